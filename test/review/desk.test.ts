import { once } from "node:events";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { get, type IncomingMessage } from "node:http";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Element } from "hast";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { walkSorted } from "../../src/lib/files.ts";
import { startServer } from "../../src/serve/server.ts";
import { asText, elementsIn } from "../../src/site/nodes.ts";
import { walk } from "../site/by-keyboard.ts";
import { watched } from "../site/in-browser.ts";
import { stillpress } from "../support/archive.ts";
import { startChromium } from "../support/browser.ts";
import { csvRows, type EditedPress, elementsOf, formula, pressEdited } from "./support.ts";

let edited: EditedPress;
let folder: string;
/** Id of the last snapshot. */
let night: string;

beforeAll(async () => {
  edited = await pressEdited();
  folder = join(edited.press.out, "review");
  night =
    readdirSync(join(folder, "changes"))
      .sort()
      .at(-1)
      ?.replace(/\.\w+$/, "") ?? "";
});

afterAll(() => edited.close());

const textOf = (one: Element): string =>
  one.children
    .map((child) =>
      child.type === "text" ? child.value : child.type === "element" ? textOf(child) : "",
    )
    .join("");

/** The elements of a page that have a property. */
function having(path: string, property: string, value?: string): Element[] {
  return elementsOf(edited.read(path)).filter(({ properties }) =>
    value === undefined ? property in properties : properties[property] === value,
  );
}

const inGroup = (kind: string): string =>
  having("index.html", "dataKind", kind).map(textOf).join(" ").replace(/\s+/g, " ");

/** Status of a request with its path sent exactly as given. */
async function statusOf(port: number, path: string): Promise<number | undefined> {
  const request = get({ host: "127.0.0.1", port, path });
  const [response] = (await once(request, "response")) as [IncomingMessage];
  response.resume();
  return response.statusCode;
}

const files = (): string[] => [...walkSorted(folder)];
const texts = (): string[] => files().filter((path) => !path.endsWith(".jpg"));

/** Everything that tells whether a file was touched. */
const stamps = (): string[] =>
  files().map((path) => {
    const { ino, mtimeMs, size } = statSync(join(folder, path));
    return `${path} ${ino} ${mtimeMs} ${size}`;
  });

describe("what changed", () => {
  it("is told word by word, with the item's page", () => {
    const page = elementsOf(edited.read(`changes/${night}.html`));
    const words = (tag: string): string[] =>
      page.filter(({ tagName }) => tagName === tag).map(textOf);
    expect(words("del")).toContain("three");
    expect(words("ins").join(" ")).toMatch(/\b3\b/);
    const rows = page.filter(({ properties }) => "dataRow" in properties);
    const row = rows.find((one) => textOf(one).includes("One two"));
    const hrefs = row ? elementsIn(row).map(({ properties }) => String(properties.href ?? "")) : [];
    expect(hrefs).toContainEqual(expect.stringMatching(/^\.\.\/\.\.\/public\/articles\/.+\.html$/));
  });

  it("shows a replaced picture before and after, and a withdrawn one not at all", () => {
    const { file, hidden } = edited.ids;
    const { pictures, items } = JSON.parse(edited.read(`changes/${night}.json`));
    expect(Object.keys(pictures)).toEqual([file]);
    const { before, after } = pictures[file];
    expect(before).not.toBe(after);
    for (const path of [before, after]) {
      expect(readFileSync(join(folder, path)).subarray(0, 3).toString("hex")).toBe("ffd8ff");
    }
    expect(items.map(({ what }: { what: string }) => what)).toEqual(
      expect.arrayContaining(["removed", "withdrawn", "media changed", "changed"]),
    );
    const rows = having(`changes/${night}.html`, "dataKind", "withdrawn").flatMap((one) =>
      elementsIn(one),
    );
    expect(rows.filter(({ tagName }) => /^(?:img|a)$/.test(tagName))).toEqual([]);
    expect(texts().filter((path) => edited.read(path).includes(hidden))).toEqual([]);
  });

  it("has a page for each date, from the first page on", () => {
    const dates = files().filter((path) => /^changes\/.*\.html$/.test(path));
    const linked = having("index.html", "href").map(({ properties }) => properties.href);
    expect(dates).toHaveLength(2);
    for (const path of dates) expect(linked).toContain(path);
  });
});

describe("what to mend", () => {
  it("names broken links and dangling anchors, and no other", () => {
    expect(inGroup("link")).toContain("articles/00000000-aaaa-4000-8000-000000000000");
    expect(inGroup("link")).toContain("a picture that is not shown");
    expect(inGroup("anchor")).toContain("#nowhere");
    expect(inGroup("anchor")).not.toContain("#here");
  });

  it("finds pictures without words, equal titles, empty texts and dates to come", () => {
    const counts = ["caption", "title", "text", "future"].map((kind) => {
      return having("index.html", "dataKind", kind).flatMap((one) => elementsIn(one));
    });
    const rows = counts.map(
      (all) => all.filter(({ properties }) => "dataRow" in properties).length,
    );
    expect(rows).toEqual([1, 2, 1, 1]);
  });

  it("is a table without formulas", () => {
    const csv = edited.read("findings.csv");
    expect(csv.startsWith("\uFEFF")).toBe(true);
    const [head, ...rows] = csvRows(csv.slice(1));
    expect(head).toEqual(["Finding", "Kind", "Title", "Detail", "Page", "At the origin"]);
    expect(new Set(rows.map((row) => row.length))).toEqual(new Set([6]));
    expect(rows.filter((row) => row[2] === `'${formula}`).length).toBeGreaterThanOrEqual(2);
    expect(rows.flat().filter((cell) => /^\s*[=+\-@]/.test(cell))).toEqual([]);
    const pages = rows.flatMap(([, , , , page = ""]) => (page === "" ? [] : [page]));
    expect(pages.length).toBeGreaterThan(3);
    expect(pages.filter((page) => !existsSync(join(edited.press.out, page)))).toEqual([]);
  });
});

describe("the desk", () => {
  it("has no secret, no inline script, and only links to files that exist", () => {
    const { token, missing } = {
      token: edited.press.origin.tokens.organisation,
      missing: [] as string[],
    };
    for (const path of texts()) {
      const text = edited.read(path);
      expect(text).not.toContain(token);
      expect(text).not.toMatch(/signature=|expires=/);
      if (!path.endsWith(".html")) continue;
      for (const { tagName, properties } of elementsOf(text)) {
        if (tagName === "script") expect(properties.src).toBeTruthy();
        for (const target of [properties.href, properties.src]) {
          if (!target || /^(?:https?:|#)/.test(asText(target))) continue;
          const file = join(folder, dirname(path), decodeURI(asText(target)).replace(/#.*/, ""));
          if (!existsSync(file)) missing.push(`${path}: ${target}`);
        }
      }
    }
    expect(missing).toEqual([]);
  });

  it("filters in a browser, from a folder, without a complaint", async () => {
    const browser = await startChromium();
    try {
      const page = await browser.newPage();
      const complaints = await watched(page, async () => {
        await page.goto(pathToFileURL(join(folder, "index.html")).href);
        const shown = page.locator("#mend [data-row]:visible");
        const all = await shown.count();
        await page.fill("[name=text]", "HYPERLINK");
        expect(await shown.count()).toBeLessThan(all);
        expect(await page.textContent("[role=status]")).toMatch(/^\d+ of \d+ rows$/);
        await page.fill("[name=text]", "");
        await page.selectOption("[name=kind]", "caption");
        expect(await shown.count()).toBe(1);
        await page.fill("[name=text]", "nothing has this");
        expect(await shown.count()).toBe(0);
        await page.click(".tally a");
        await expect.poll(() => shown.count()).toBe(all);
        await page.goto(pathToFileURL(join(folder, "changes", `${night}.html`)).href);
        await page.locator(".pair img").first().scrollIntoViewIfNeeded();
        const before = page.locator(".pair img").first();
        await expect.poll(() => before.evaluate((image) => image.naturalWidth)).toBeGreaterThan(0);
      });
      expect(complaints).toEqual([]);
    } finally {
      await browser.close();
    }
  });

  it("lets a reader reach and see everything by keyboard", async () => {
    const browser = await startChromium();
    try {
      for (const [width, colorScheme] of [
        [1280, "light"],
        [390, "dark"],
      ] as const) {
        const page = await browser.newPage({ viewport: { width, height: 800 }, colorScheme });
        const seen = new Set<string>();
        for (const path of ["index.html", join("changes", `${night}.html`)]) {
          await page.goto(pathToFileURL(join(folder, path)).href);
          const { usable, forward, back, unseen } = await walk(page, seen);
          expect(usable.length).toBeGreaterThan(10);
          expect(forward).toEqual(usable);
          expect(back).toEqual(usable.toReversed());
          expect(unseen).toEqual([]);
        }
        await page.close();
      }
    } finally {
      await browser.close();
    }
  });

  it("is served by nothing: not by serve, and not by the configuration of a host", async () => {
    const { press } = edited;
    const server = await startServer({ publicRoot: join(press.out, "public"), root: "api/v1" });
    try {
      for (const path of [
        "/review/index.html",
        "/../review/index.html",
        "/..%2freview/index.html",
        "/%2e%2e/review/index.html",
        "/articles/../../review/index.html",
        "/..\\review\\index.html",
      ]) {
        expect(await statusOf(server.port, path)).toBeGreaterThanOrEqual(400);
      }
      expect(await statusOf(server.port, "/index.html")).toBe(200);
    } finally {
      await server.close();
    }
    expect((await press.run("hosts", "all")).code).toBe(0);
    const deploy = join(press.out, "deploy");
    const configurations = [...walkSorted(realpathSync(deploy))];
    expect(configurations.length).toBeGreaterThan(7);
    for (const path of configurations) {
      expect(readFileSync(join(deploy, path), "utf8")).not.toMatch(/\breview\/|\/review\b/);
    }
    expect([...walkSorted(realpathSync(join(press.out, "public")))]).not.toContainEqual(
      expect.stringMatching(/^review\/|desk\.|findings/),
    );
  });

  it("is not touched by a quiet night", async () => {
    const before = stamps();
    expect((await edited.press.run("snapshot")).code).toBe(0);
    expect(stamps()).toEqual(before);
  });

  it("is made again where it was damaged, which verify tells", async () => {
    const before = edited.read("index.html");
    writeFileSync(join(folder, "index.html"), "half");
    const { code, stdout } = await edited.press.run("verify");
    expect(code).toBe(0);
    expect(JSON.parse(stdout).remarks.map(({ path }: { path: string }) => path)).toContain(
      "review/index.html",
    );
    expect((await edited.press.run("build")).code).toBe(0);
    expect(edited.read("index.html")).toBe(before);
  });

  it("costs a warning where it fails, and leaves no old one", async () => {
    const { press } = edited;
    const before = edited.read("index.html");
    const templates = join(press.folder, "templates");
    mkdirSync(join(templates, "review"), { recursive: true });
    writeFileSync(join(templates, "review/desk.eta"), "<% throw new Error('no desk') %>");
    const env = { STILLPRESS_SITE_TEMPLATES: templates };
    const build = () => stillpress(["build", "--config", press.configFile, "--json"], { env });
    const { code, stdout } = await build();
    expect([code, existsSync(folder)]).toEqual([0, false]);
    const { warnings } = JSON.parse(stdout) as { warnings: { text: string }[] };
    expect(warnings.map(({ text }) => text)).toContainEqual(
      expect.stringMatching(/^there is no reviewer's desk \(out\/review\): .*no desk/s),
    );
    rmSync(templates, { recursive: true });
    expect((await press.run("build")).code).toBe(0);
    expect(edited.read("index.html")).toBe(before);
  });

  it("is never half: what a kill leaves is not the desk, and prune removes it", async () => {
    const half = join(edited.press.out, "review.99999.tmp");
    mkdirSync(half);
    writeFileSync(join(half, "index.html"), "half");
    expect((await edited.press.run("prune")).code).toBe(0);
    expect(existsSync(half)).toBe(false);
    rmSync(join(folder, "desk.json"));
    expect((await edited.press.run("build")).code).toBe(0);
    expect(existsSync(join(folder, "desk.json"))).toBe(true);
  });

  it("follows a rollback, and leaves no unfinished folder", async () => {
    const { press, ids } = edited;
    const before = edited.read("index.html");
    press.origin.content.articles.edit(ids.edited, { title: "A third title" });
    expect((await press.run("snapshot")).code).toBe(0);
    expect(edited.read("index.html")).toContain("A third title");
    expect((await press.run("rollback")).code).toBe(0);
    expect(edited.read("index.html")).toBe(before);
    expect(readdirSync(edited.press.out).filter((name) => name.includes(".tmp"))).toEqual([]);
  });
});
