import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { sha256 } from "../../src/lib/digest.ts";
import { walkSorted } from "../../src/lib/files.ts";
import { stillpress } from "../support/archive.ts";
import { startChromium } from "../support/browser.ts";
import type { WorldCase } from "./case.ts";
import { type Json, odd, startWorld, type World } from "./world.ts";

/*
 * Odd answers that somebody has met, each in a file of its own under cases/: a night is run against the origin that
 * gives it, and its archive is compared with what the origin has. A new report is one more file.
 */

const folder = new URL("cases/", import.meta.url);
const cases: [string, WorldCase][] = [];
for (const file of readdirSync(folder).sort()) {
  const { worldCase } = (await import(new URL(file, folder).href)) as { worldCase: WorldCase };
  cases.push([worldCase.says, worldCase]);
}

let browser: Browser;
beforeAll(async () => {
  browser = await startChromium();
});
afterAll(() => browser.close());

describe("a night in a world in which", () => {
  it.each(cases)("%s", async (_, worldCase) => {
    const { world, close } = await startWorld(worldCase.change);
    const home = mkdtempSync(join(tmpdir(), "stillpress-world-"));
    const page = await browser.newPage();
    try {
      const out = await night(home, world, worldCase);
      compareRows(join(out, "public/api/v1"), world, worldCase);
      compareFiles(join(out, "public"), world, worldCase);
      const isShown = world.articles.some((item) => item.id === odd);
      if (isShown) await lookAt(page, join(out, "public"), worldCase);
      await worldCase.also?.({ out, page, world });
    } finally {
      await page.close();
      await close();
      rmSync(home, { recursive: true, force: true });
    }
  });
});

/** Runs a first night, and checks its exit code. Returns the output folder. */
async function night(home: string, world: World, worldCase: WorldCase): Promise<string> {
  const { config = {}, exitCode = 0 } = worldCase;
  const file = join(home, "config.json");
  const sections = {
    ...config,
    origin: {
      baseUrl: world.base,
      rate: { requests: 1_000_000, perSeconds: 1 },
      ...config.origin,
    },
    crawl: { patience: 0, ...config.crawl },
    media: { formats: ["jpeg"], variants: [{ width: 32 }], ...config.media },
    out: join(home, "out"),
  };
  writeFileSync(file, JSON.stringify(sections));
  const env = { STILLPRESS_TOKEN: "token-of-the-world" };
  const run = await stillpress(["snapshot", "--config", file], { env });
  expect(run.code, run.stderr).toBe(exitCode);
  return sections.out;
}

/** Each item of the origin stands in the mirror's index, and alone, as it came; links aside. */
function compareRows(mirror: string, world: World, { lacks = [] }: WorldCase): void {
  const read = (path: string): Json => JSON.parse(readFileSync(join(mirror, path), "utf8"));
  for (const kind of ["articles", "galleries", "images", "categories", "tags"] as const) {
    // An index that lists an item twice has it once.
    const expected = [...new Set(world[kind])].filter(({ id }) => !lacks.includes(String(id)));
    const { data } = read(`${kind}/index.json`) as { data: Json[] };
    expect(data.map(withoutLinks), `rows of ${kind}`).toEqual(expected.map(withoutLinks));
    if (kind === "categories" || kind === "tags") continue;
    for (const item of expected) {
      const single = read(`${kind}/${item.id}.json`).data as Json;
      expect(withoutLinks(single), `${kind}/${item.id}`).toEqual(withoutLinks(item));
    }
  }
}

function withoutLinks({ links, body, ...rest }: Json): Json {
  return rest;
}

/** Each original and each document is published, byte for byte. */
function compareFiles(root: string, world: World, { withoutFile = [] }: WorldCase): void {
  const published = new Set<string>();
  for (const path of walkSorted(root)) published.add(sha256(readFileSync(join(root, path))));
  for (const [path, { body }] of Object.entries(world.files)) {
    const isExpected = path.endsWith("/download") && !withoutFile.some((id) => path.includes(id));
    if (isExpected) expect(published, path).toContain(sha256(body as Buffer));
  }
}

/** The page of the odd article opens from its folder, without a complaint of the browser. */
async function lookAt(page: Page, root: string, worldCase: WorldCase): Promise<void> {
  const complaints: string[] = [];
  page.on("console", (message) => complaints.push(message.text()));
  page.on("pageerror", (error) => complaints.push(String(error)));
  page.on("requestfailed", (request) => complaints.push(request.url()));
  await page.goto(pathToFileURL(pageOfOdd(root)).href);
  await page.evaluate("window.scrollTo(0, document.body.scrollHeight)");
  await page.waitForLoadState("networkidle");
  const text = await page.innerText("main");
  for (const wanted of worldCase.shows ?? []) expect(text).toContain(wanted);
  for (const unwanted of worldCase.hides ?? []) expect(text).not.toContain(unwanted);
  if (worldCase.pictures !== undefined) {
    const seen =
      "[...document.querySelectorAll('main article img')].filter((i) => i.naturalWidth > 0).length";
    expect(await page.evaluate(seen)).toBe(worldCase.pictures);
  }
  expect(complaints).toEqual([]);
}

/** The page of an article that is not the plain one's. */
function pageOfOdd(root: string): string {
  const pages = readdirSync(join(root, "articles")).filter((name) => name.endsWith(".html"));
  const [page, ...others] = pages.filter((name) => !/^(?:index|plain-article)\.html$/.test(name));
  expect(others, pages.join(", ")).toEqual([]);
  return join(root, "articles", page ?? "");
}
