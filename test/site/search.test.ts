import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Config } from "../../src/config.ts";
import type { OutputFile } from "../../src/lib/output.ts";
import { type Findable, segmentsOf } from "../../src/site/search/segments.ts";
import { TermIndex } from "../../src/site/search/term-index.ts";
import { searchWords } from "../../src/site/search/words.ts";
import { loadTemplates } from "../../src/site/templates.ts";
import { chromiumPath, startChromium } from "../support/browser.ts";
import { found, requireProgram } from "../support/programs.ts";
import { type ArticleInput, type Content, createArchive, writeSite } from "./fixture.ts";
import { serveFolder } from "./in-browser.ts";

const inPage = (name: string): string =>
  readFileSync(new URL(`./in-page/${name}.js`, import.meta.url), "utf8");
const layout = inPage("layout");
const lowContrast = inPage("low-contrast");
const separators = inPage("separators");
const secret = "7f3c2b1a-1111-4222-8333-944445555666";

const lighthouse: ArticleInput = {
  id: "light",
  title: "The lighthouse of Préfailles",
  synopsis: "A keeper counts the ships.",
  published_at: "2023-05-02T10:00:00Z",
  category: { id: "c", title: "Nature" },
  tags: ["sea"],
  body: "<p>He drinks <b>chamomile</b> tea &amp; sleeps. https://a.example/?signature=abcsecret</p>",
};
const content: Content = {
  categories: [{ id: "c", title: "Nature", slug: "nature" }],
  tags: [{ slug: "sea", title: "Ocean tides" }],
  images: [
    { id: "shown", title: "Harbour at dusk", caption: "Boats" },
    { id: secret, title: "Undisclosed portrait", state: "private" },
  ],
  articles: [
    lighthouse,
    { id: "ar", title: "المدرسة الأولى", published_at: "2024-01-02T10:00:00Z" },
    { id: "zh", title: "老灯塔上的夜晚", published_at: "2022-01-02T10:00:00Z" },
    { id: "th", title: "ประภาคารเก่าริมทะเล" },
    ...Array.from({ length: 60 }, (_, at) => ({
      id: `many${at}`,
      title: `Report ${at}`,
      published_at: `${2010 + (at % 3)}-02-02T10:00:00Z`,
    })),
  ],
  galleries: [{ id: "g", title: "Lighthouses by night", images: ["shown"] }],
};

function textOf(file: OutputFile): string {
  return "content" in file ? String(file.content()) : "";
}

function indexFiles(given: Content, search: Config["site"]["search"] = "titles") {
  const archive = createArchive(given, { site: { search } });
  const files = archive.files().filter(({ path }) => path.startsWith("search/"));
  const texts = new Map(files.map((file) => [file.path, textOf(file)]));
  const keys = new Map(files.flatMap((file) => ("key" in file ? [[file.path, file.key()]] : [])));
  const paths = archive.files().map(({ path }) => path);
  archive.close();
  return { texts, keys, paths };
}

describe("the words of the search", () => {
  const { words } = searchWords(loadTemplates());

  it.each([
    ["Ünïcode Straße", ["unicode", "strasse"]],
    ["İstanbul ΣΊΣΥΦΟΣ Ёлка", ["istanbul", "σισυφοσ", "елка"]],
    ["l’été 2024", ["l", "ete", "2024"]],
    ["الْمَدْرَسَةُ الأُولى", ["مدرسه", "اولي"]],
    ["مـــدرسة", ["مدرسه"]],
    ["हिन्दी", ["हिन्दी"]],
    ["灯塔上", ["灯塔", "塔上", "上"]],
    ["ガイド", ["ガイ", "イド", "ド"]],
    ["한국어", ["한국어"]],
    ["— !", []],
  ])("of %s are %j", (text, expected) => {
    expect([...words(text)]).toEqual(expected);
  });
});

describe("segments", () => {
  const item = (at: number, day: string, kind: Findable["kind"] = "article"): Findable => ({
    ...{ id: `i${at}`, digest: "", kind, path: `images/i${at}.html`, day, time: null },
  });
  const many = (length: number, dayOf: (at: number) => string) =>
    segmentsOf(Array.from({ length }, (_, at) => item(at, dayOf(at))));

  it("are one for a small archive, and two for a large one", () => {
    expect(many(2000, () => "2024-01-01").map(({ name }) => name)).toEqual(["recent"]);
    const two = many(2001, (at) => `${2020 + (at % 3)}-01-01`);
    expect(two.map(({ name, items }) => [name, items.length])).toEqual([
      ["recent", 667],
      ["earlier", 1334],
    ]);
    expect(new Set(two[0]?.items.map(({ day }) => day))).toEqual(new Set(["2022-01-01"]));
  });

  it("number articles last and the latest one highest, so that a new one moves none", () => {
    const given = [item(1, "2024-02-01"), item(2, ""), item(3, "2024-01-01", "image")];
    const all = [...given, item(4, "2024-01-01"), item(5, "2025-01-01", "gallery")];
    expect(segmentsOf(all)[0]?.items.map(({ id }) => id)).toEqual(["i3", "i5", "i2", "i4", "i1"]);
  });
});

describe("the index of terms", () => {
  const { words } = searchWords(loadTemplates());
  const fields = { title: "", subjects: "", text: "", body: "" };

  it("has each word of each item once, in the order of the words", () => {
    const index = new TermIndex({ words });
    index.add({ ...fields, title: "Boats and boats", body: "boats" });
    for (let n = 0; n < 40; n++) index.add({ ...fields, title: "tides" });
    index.add({ ...fields, title: "Boats", body: "Ääkköset" });
    const lines = index.lines();
    expect(lines.map(({ term, items }) => [term, items])).toEqual([
      ["aakkoset", 1],
      ["and", 1],
      ["boats", 2],
      ["tides", 40],
    ]);
    // 40 items lie between the two with boats: 14 in base 36.
    expect(lines[2]?.line).toMatch(/^boats [A-Z]14[A-Z]$/);
    expect(lines[3]?.line).toMatch(/^tides 0?1[A-Z]{40}$/);
  });

  it("weighs a title above a synopsis above a body, however often the word stands there", () => {
    const index = new TermIndex({ words });
    const often = "boats ".repeat(30);
    index.add({ ...fields, title: "A very long title that has a lot of words beside the boats" });
    index.add({ ...fields, text: "The boats" });
    index.add({ ...fields, body: often });
    const [title = "", text = "", body = ""] =
      index
        .lines()
        .find(({ term }) => term === "boats")
        ?.line.slice("boats ".length) ?? [];
    expect(title > text && text > body).toBe(true);
  });
});

describe("the files of the index", () => {
  const changed = (before: Map<string, string>, after: Map<string, string>): string[] =>
    [...after].filter(([path, key]) => before.get(path) !== key).map(([path]) => path);

  it("change with a new article, but for those of older items", () => {
    const many = Array.from({ length: 64 }, (_, at): ArticleInput => {
      return { id: `old${at}`, published_at: "2001-01-01T10:00:00Z", body: "<p>Old.</p>" };
    });
    const given = { ...content, articles: [...many, ...(content.articles ?? [])] };
    const before = indexFiles(given, "bodies").keys;
    const more = { ...lighthouse, id: "new", slug: "new", published_at: "2026-01-01T10:00:00Z" };
    const after = indexFiles({ ...given, articles: [more, ...given.articles] }, "bodies").keys;
    const paths = changed(before, after);
    expect(paths).toEqual(expect.arrayContaining(["search/recent/index.js"]));
    for (const old of ["article-0", "article-6"]) {
      expect(after.has(`search/recent/${old}.js`), old).toBe(true);
      expect(paths).not.toContain(`search/recent/${old}.js`);
    }
    expect(indexFiles(given, "bodies").keys).toEqual(before);
  });

  it("change with the text of an article if they hold it", () => {
    const edited = { ...lighthouse, body: "<p>He drinks coffee.</p>" };
    const articles = [edited, ...(content.articles ?? []).slice(1)];
    for (const search of ["titles", "bodies"] as const) {
      const before = indexFiles(content, search).keys;
      const after = indexFiles({ ...content, articles }, search);
      const paths = changed(before, after.keys);
      expect(paths.length > 0, search).toBe(search === "bodies");
      const text = [...after.texts.values()].join();
      expect(text.includes("coffee"), search).toBe(search === "bodies");
    }
  });

  it("hold no private image and no signed link", () => {
    for (const search of ["titles", "bodies"] as const) {
      for (const [path, text] of indexFiles(content, search).texts) {
        expect(text, path).not.toMatch(/undisclosed|7f3c2b1a|abcsecret/i);
      }
    }
  });

  it("are not made if the search is off", () => {
    const { paths } = indexFiles(content, "off");
    expect(paths.filter((path) => /^search[./]/.test(path))).toEqual([]);
  });
});

requireProgram(chromiumPath);

describe.runIf(found(chromiumPath))("the search page", () => {
  const archive = createArchive(content);
  const folder = mkdtempSync(join(tmpdir(), "stillpress-search-"));
  let browser: Browser;
  let server: Awaited<ReturnType<typeof serveFolder>>;
  let http: string;

  beforeAll(async () => {
    await writeSite(archive, folder);
    browser = await startChromium();
    server = await serveFolder(folder);
    http = server.url;
  });
  afterAll(async () => {
    await browser?.close();
    server?.close();
    archive.close();
    rmSync(folder, { recursive: true });
  });

  /** Opens a page, does something there, and gives what the browser requested; nothing may complain. */
  async function visit(
    base: string,
    path: string,
    run: (page: Page) => Promise<unknown>,
  ): Promise<string[]> {
    const page = await browser.newPage();
    const requested: string[] = [];
    const complaints: string[] = [];
    page.on("console", (message) => complaints.push(message.text()));
    page.on("pageerror", (error) => complaints.push(error.message));
    page.on("requestfailed", (request) => {
      // A page that is left early, or loaded again, ends its requests.
      const aborted = request.failure()?.errorText === "net::ERR_ABORTED";
      if (!aborted) complaints.push(request.url());
    });
    page.on("request", (request) => requested.push(request.url().slice(base.length + 1)));
    await page.goto(`${base}/${path}`);
    await run(page);
    await page.close();
    expect(complaints).toEqual([]);
    return requested;
  }

  const titles = (page: Page) => page.locator("#results h2").allTextContents();
  const sees = async (page: Page, selector: string) => page.locator(selector).isVisible();
  const isDone = (page: Page) => page.getByRole("status").filter({ hasText: /\.$/ }).waitFor();

  async function search(base: string, query: string): Promise<string[]> {
    let hits: string[] = [];
    await visit(base, `search.html?q=${encodeURIComponent(query)}`, async (page) => {
      await isDone(page);
      hits = await titles(page);
    });
    return hits;
  }

  const bases = [
    ["from a folder", () => pathToFileURL(folder).href],
    ["over HTTP", () => http],
  ] as const;

  describe.each(bases)("%s", (_, base) => {
    it.each([
      ["lighthouse", ["The lighthouse of Préfailles", "Lighthouses by night"]],
      ["préfailles", ["The lighthouse of Préfailles"]],
      ["PREFAI", ["The lighthouse of Préfailles"]],
      ["lighthuose of", ["The lighthouse of Préfailles", "Lighthouses by night"]],
      ["keeper ships", ["The lighthouse of Préfailles"]],
      ["nature tides", ["The lighthouse of Préfailles"]],
      ["boats", ["Harbour at dusk"]],
      ["مدرسه", ["المدرسة الأولى"]],
      ["المدرسه الاولى", ["المدرسة الأولى"]],
      ["灯塔", ["老灯塔上的夜晚"]],
      ["晚", ["老灯塔上的夜晚"]],
      ["ประภาคาร", ["ประภาคารเก่าริมทะเล"]],
      ["undisclosed", []],
      ["__proto__ constructor", []],
    ])("finds %s", async (query, expected) => {
      expect((await search(base(), query)).sort()).toEqual(expected.sort());
    });

    it("finds what is typed, marks it and leads to it", async () => {
      await visit(base(), "search.html", async (page) => {
        await page.locator("input[type=search]").pressSequentially("prefailles");
        await isDone(page);
        expect(await page.locator("mark").allTextContents()).toEqual(["Préfailles"]);
        expect(await sees(page, "#ways")).toBe(false);
        await page.click("#results a");
        expect(await page.locator("h1").textContent()).toBe("The lighthouse of Préfailles");
      });
    });

    it("shows ten results first, and others on demand", async () => {
      await visit(base(), "search.html?q=report", async (page) => {
        await isDone(page);
        expect(await page.getByRole("status").textContent()).toBe("60 results.");
        expect(await page.locator("#results li").count()).toBe(10);
        for (const shown of [20, 30, 40, 50, 60]) {
          await page.click("text=Show more results");
          await page.locator(`#results li:nth-child(${shown})`).waitFor();
        }
        expect(await sees(page, ".search-more")).toBe(false);
      });
    });
  });

  it("remembers words and filters in the address, and takes them from there", async () => {
    await visit(http, "search.html?q=light", async (page) => {
      await isDone(page);
      expect(await titles(page)).toHaveLength(2);
      await page.selectOption("select[name=kind]", "gallery");
      await isDone(page);
      expect(await titles(page)).toEqual(["Lighthouses by night"]);
      await page.selectOption("select[name=kind]", "");
      await page.selectOption("select[name=category]", "Nature");
      await isDone(page);
      expect(await titles(page)).toEqual(["The lighthouse of Préfailles"]);
      await page.selectOption("select[name=year]", "2024");
      await isDone(page);
      expect(await titles(page)).toEqual([]);
      expect(new URL(page.url()).search).toBe("?q=light&year=2024&category=Nature");
      await page.reload();
      await isDone(page);
      expect(await page.locator("select[name=year]").inputValue()).toBe("2024");
      await page.keyboard.press("/");
      expect(await page.locator("input:focus").count()).toBe(1);
      expect(await titles(page)).toEqual([]);
    });
  });

  it("shows only items of a chosen year, the newer one of equals first", async () => {
    await visit(http, "search.html?q=report&year=2010", async (page) => {
      await isDone(page);
      expect(await page.getByRole("status").textContent()).toBe("20 results.");
      const years = await page.locator("#results time").allTextContents();
      expect(new Set(years)).toEqual(new Set(["2 February 2010"]));
    });
    await visit(http, "search.html?q=report", async (page) => {
      await isDone(page);
      expect(await page.locator("#results time").first().textContent()).toBe("2 February 2012");
    });
  });

  it("shows what else a reader may look through if nothing is found", async () => {
    await visit(http, "search.html?q=nothinglikethis", async (page) => {
      await isDone(page);
      expect(await page.getByRole("status").textContent()).toBe("Nothing found.");
      expect(await sees(page, "#ways")).toBe(true);
    });
  });

  it.each([
    ["on a screen", { viewport: { width: 1280, height: 800 } }],
    ["on a phone in the dark", { viewport: { width: 390, height: 800 }, colorScheme: "dark" }],
    ["on a small phone", { viewport: { width: 320, height: 600 } }],
  ] as const)("has hits that fit and are easy to read, %s", async (_, settings) => {
    const context = await browser.newContext(settings);
    const page = await context.newPage();
    await page.goto(`${http}/search.html?q=lighthouse`);
    await isDone(page);
    expect(await page.evaluate<string[]>(lowContrast)).toEqual([]);
    expect(await page.evaluate<string[]>(separators)).toEqual([]);
    const { scroll } = await page.evaluate<{ scroll: number }>(layout);
    expect(scroll).toBe(settings.viewport.width);
    await context.close();
  });

  it("can be asked from every page, which loads nothing of it before", async () => {
    const requested = await visit(http, "articles/index.html", async (page) => {
      await page.waitForLoadState("networkidle");
    });
    expect(requested.filter((path) => /search/.test(path))).toEqual([]);
    for (const base of [http, pathToFileURL(folder).href]) {
      await visit(base, "articles/index.html", async (page) => {
        await page.keyboard.press("/");
        await page.keyboard.type("boats");
        await page.keyboard.press("Enter");
        await page.waitForURL(/\/search\.html\?q=boats$/);
        await isDone(page);
        expect(await titles(page)).toEqual(["Harbour at dusk"]);
      });
    }
  });

  it("leads on without scripts", async () => {
    const context = await browser.newContext({ javaScriptEnabled: false });
    const page = await context.newPage();
    await page.goto(`${http}/search.html?q=lighthouse`);
    expect(await sees(page, "main form")).toBe(false);
    expect(await sees(page, "footer >> text=Search")).toBe(true);
    await page.click("main >> text=Tags from A to Z");
    expect(page.url()).toMatch(/\/tags\/index\.html$/);
    await context.close();
  });
});
