import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Config } from "../../src/config.ts";
import type { OutputFile } from "../../src/lib/output.ts";
import { shardsOf } from "../../src/site/search-plan.ts";
import { searchWords } from "../../src/site/search-words.ts";
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

function shardFiles(given: Content, search: Config["site"]["search"] = "titles") {
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

describe("shards", () => {
  const day = (at: number) => `2024-${String(1 + (at % 12)).padStart(2, "0")}-01`;
  const item = (at: number, ofDay: string) => ({
    id: `i${at}`,
    digest: "",
    kind: "image" as const,
    path: `images/i${at}.html`,
    day: ofDay,
  });
  const named = (length: number, dayOf: (at: number) => string) =>
    shardsOf(Array.from({ length }, (_, at) => item(at, dayOf(at)))).map(({ name }) => name);

  it("are years, and months of large years, and parts of large months", () => {
    expect(named(500, day)).toEqual(["2024"]);
    expect(named(600, day)).toHaveLength(12);
    expect(named(1001, () => "2024-03-01")).toEqual([3, 2, 1, 0].map((at) => `2024-03-part${at}`));
    expect(named(3, (at) => ["", "2023-01-01", "2024-01-01"][at] ?? "")).toEqual([
      "2024",
      "2023",
      "undated",
    ]);
  });

  it("change alone when an article comes or goes", () => {
    const before = shardFiles(content).keys;
    const more = { ...lighthouse, id: "new", slug: "new" };
    const after = shardFiles({ ...content, articles: [more, ...(content.articles ?? [])] }).keys;
    const changed = [...after].filter(([path, key]) => before.get(path) !== key);
    expect(changed.map(([path]) => path)).toEqual(["search/2023.js", "search/shards.js"]);
    expect(before.size).toBe(after.size);
    expect(shardFiles(content).keys).toEqual(before);
  });

  it("change with the text of an article if they hold it", () => {
    const before = shardFiles(content, "bodies").keys;
    const edited = { ...lighthouse, body: "<p>He drinks coffee.</p>" };
    const articles = [edited, ...(content.articles ?? []).slice(1)];
    const after = shardFiles({ ...content, articles }, "bodies");
    const changed = [...after.keys].filter(([path, key]) => before.get(path) !== key);
    const paths = changed.map(([path]) => path);
    expect(paths).toEqual(["search/2023.js", "search/texts/2023.js"]);
    for (const path of paths) expect(after.texts.get(path)).toContain("coffee");
  });

  it("hold no private image and no signed link", () => {
    for (const search of ["titles", "bodies"] as const) {
      for (const [path, text] of shardFiles(content, search).texts) {
        expect(text, path).not.toMatch(/undisclosed|7f3c2b1a|abcsecret/i);
      }
    }
  });

  it("hold the words of bodies only if the setting says so", () => {
    expect(shardFiles(content).texts.get("search/2023.js")).not.toContain("chamomile");
    expect(shardFiles(content, "bodies").texts.get("search/2023.js")).toContain("chamomile");
  });

  it("are not made if the search is off", () => {
    const { paths } = shardFiles(content, "off");
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
      ["lighthuose of", ["The lighthouse of Préfailles"]],
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

    it("shows fifty results first, and older ones on demand", async () => {
      const requested = await visit(base(), "search.html?q=report", async (page) => {
        await isDone(page);
        expect(await page.locator("#results li").count()).toBe(50);
        await page.click("text=Show more results");
        expect(await page.locator("#results li").count()).toBe(60);
        expect(await sees(page, ".search-more")).toBe(false);
      });
      expect(requested.filter((path) => path.startsWith("search/20"))).toHaveLength(6);
    });
  });

  it("remembers words and filters in the address, and takes them from there", async () => {
    await visit(http, "search.html?q=light", async (page) => {
      await isDone(page);
      expect(await titles(page)).toHaveLength(2);
      await page.selectOption("select[name=kind]", "gallery");
      expect(await titles(page)).toEqual(["Lighthouses by night"]);
      await page.selectOption("select[name=kind]", "");
      await page.selectOption("select[name=category]", "Nature");
      expect(await titles(page)).toEqual(["The lighthouse of Préfailles"]);
      await page.selectOption("select[name=year]", "2024");
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

  it("loads one year's shard if a year is chosen", async () => {
    const requested = await visit(http, "search.html?q=report&year=2010", isDone);
    expect(requested.filter((path) => path.startsWith("search/"))).toEqual([
      "search/shards.js",
      "search/2010.js",
    ]);
  });

  it("loads older shards side by side when the latest one has too few hits", async () => {
    await visit(http, "search.html", async (page) => {
      const held: (() => void)[] = [];
      await page.route("**/search/20*.js", async (route) => {
        const isLatest = route.request().url().endsWith("/2024.js");
        // None of the others comes before four are asked for.
        if (!isLatest && held.length < 3) await new Promise<void>((done) => held.push(done));
        for (const release of held) release();
        await route.continue();
      });
      await page.locator("input[type=search]").fill("report");
      await isDone(page);
      expect(await page.locator("#results li").count()).toBe(50);
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

  it("is linked from every page, which loads nothing of it", async () => {
    const requested = await visit(http, "articles/index.html", async (page) => {
      await page.waitForLoadState("networkidle");
    });
    expect(requested.filter((path) => /search/.test(path))).toEqual([]);
    await visit(http, "articles/index.html", async (page) => {
      await page.click("nav >> text=Search");
      await page.waitForURL(/\/search\.html$/);
    });
  });

  it("leads on without scripts", async () => {
    const context = await browser.newContext({ javaScriptEnabled: false });
    const page = await context.newPage();
    await page.goto(`${http}/search.html?q=lighthouse`);
    expect(await sees(page, "form")).toBe(false);
    await page.click("main >> text=Tags from A to Z");
    expect(page.url()).toMatch(/\/tags\/index\.html$/);
    await context.close();
  });
});
