import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, normalize } from "node:path";
import { pathToFileURL } from "node:url";
import { type Browser, chromium, type Page } from "playwright-core";
import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Archive, api, createArchive, writeSite } from "./fixture.ts";

const long =
  "Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft".repeat(3);
// Run in the page, and therefore not TypeScript of this program.
const inPage = (name: string): string =>
  readFileSync(new URL(`./in-page/${name}.js`, import.meta.url), "utf8");
const layout = inPage("layout");
const lowContrast = inPage("low-contrast");
const separators = inPage("separators");
interface Layout {
  /** Pixels that the page is wide. */
  scroll: number;
  font: string;
  /** Pictures that could not be loaded. */
  broken: number;
}

const naturalWidth = (image: { naturalWidth?: number }): number | undefined => image.naturalWidth;

let archive: Archive;
let folder: string;
let paths: string[];
let browser: Browser;

beforeAll(async () => {
  const dot = sharp({ create: { width: 9, height: 9, channels: 3, background: "#a33" } });
  const inline = `data:image/png;base64,${(await dot.png().toBuffer()).toString("base64")}`;
  const images = Array.from({ length: 7 }, (_, at) => `i${at}`);
  archive = createArchive(
    {
      categories: [
        { id: "c", title: "Nature", slug: "nature" },
        { id: "d", title: "Application programming interface", slug: "api" },
      ],
      tags: [{ slug: "sea", title: long }],
      images: [
        ...images.map((id, at) => ({ id, size: [900 + at * 100, 700] as [number, number] })),
        { id: "lost", kept: false, title: long },
        { id: "held", state: "attached" as const },
      ],
      files: [
        { id: "v", kind: "videos", type: "video/mp4", extension: "mp4" },
        { id: "s", kind: "audio", type: "audio/mpeg", extension: "mp3" },
        { id: "d", kind: "documents", title: long },
      ],
      articles: [
        {
          id: "rich",
          title: long,
          synopsis: long,
          category: { id: "c", title: "Nature" },
          tags: ["sea", long],
          images: [...images.slice(0, 3), "lost", "held"],
          videos: ["v"],
          audio: ["s"],
          documents: ["d"],
          body: `<h1>Head</h1><p>${long} <a href="https://media.example.org/view/articles/plain#x">other</a></p>
            <p><img src="${api}/images/i0.jpg?width=640" alt="a"></p>
            <p><img src="https://tracker.example/p.gif"><img src="${api}/images/held.jpg"></p>
            <iframe src="https://video.example/1"></iframe><script src="https://evil.example/x.js"></script>
            <video src="https://video.example/1.mp4"></video><link rel="stylesheet" href="https://evil.example/x.css">
            <p style="background:url(https://evil.example/x.png)">styled</p>
            <table><tr>${"<td>a wide cell</td>".repeat(30)}</tr></table><pre>${"x".repeat(300)}</pre>`,
        },
        {
          id: "plain",
          title: "مقال بالعربية",
          images: ["i4"],
          body: `<p id="x">Text</p><p><img alt="inline" src="${inline}"></p>`,
        },
        ...Array.from({ length: 30 }, (_, at) => ({
          id: `n${at}`,
          images: ["i5"],
          category: { id: "d", title: "Application programming interface" },
        })),
      ],
      galleries: [{ id: "g", images, videos: ["v"], audio: ["s"] }, { id: "empty" }],
      problems: [{ subject: `image ${long}`, reason: "download: 404" }],
    },
    { site: { title: "The Archive" } },
  );
  folder = mkdtempSync(join(tmpdir(), "stillpress-browser-"));
  paths = await writeSite(archive, folder);
  browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking"],
  });
});
afterAll(async () => {
  await browser?.close();
  archive?.close();
  if (folder) rmSync(folder, { recursive: true });
});

const urlOf = (path: string): string => pathToFileURL(join(folder, path)).href;
const pages = (): string[] => paths.filter((path) => path.endsWith(".html"));

/** One page of each kind; the 404 page's links start at a host's root and so do not work from a folder. */
const kinds = [
  "index.html",
  "articles/index.html",
  "articles/article-rich.html",
  "articles/article-plain.html",
  "galleries/index.html",
  "galleries/gallery-g.html",
  "galleries/gallery-empty.html",
  "images/index.html",
  "images/i0.html",
  "images/lost.html",
  "categories/index.html",
  "categories/nature/index.html",
  "tags/index.html",
  "archive/index.html",
  "archive/2024/index.html",
  "archive/2024/05/page/2.html",
  "snapshot.html",
];

async function watched(page: Page, run: () => Promise<void>): Promise<string[]> {
  const complaints: string[] = [];
  page.on("console", (message) => complaints.push(`console: ${message.text()}`));
  page.on("pageerror", (error) => complaints.push(`error: ${error.message}`));
  page.on("request", (request) => {
    if (!request.url().startsWith("file:")) complaints.push(`request: ${request.url()}`);
  });
  page.on("requestfailed", (request) => {
    // The fixture's videos are no videos, and a page that is left early ends its requests.
    const aborted = request.failure()?.errorText === "net::ERR_ABORTED";
    if (!aborted && !/\/media\//.test(request.url())) complaints.push(`failed: ${request.url()}`);
  });
  await run();
  return complaints;
}

describe("the site in a browser, from a folder, without scripts", () => {
  it("has only links that lead to a file, and anchors that exist", async () => {
    const known = new Set(paths);
    for (const path of pages()) {
      if (path === "404.html") continue;
      const file = archive.files().find((one) => one.path === path);
      const html = file && "content" in file ? String(file.content()) : "";
      for (const [, url = ""] of html.matchAll(/\s(?:href|src|poster)="([^"]*)"/g)) {
        if (/^(?:https?:|mailto:|data:image\/)/.test(url)) continue;
        const [to = "", anchor] = url.split("#");
        const target = to === "" ? path : normalize(join(dirname(path), to));
        expect(known, `${path} → ${url}`).toContain(target);
        if (anchor === undefined) continue;
        const other = archive.files().find((one) => one.path === target);
        expect(other && "content" in other && String(other.content())).toContain(`id="${anchor}"`);
      }
      for (const [, set = ""] of html.matchAll(/\ssrcset="([^"]*)"/g)) {
        for (const candidate of set.split(", ")) {
          const target = normalize(join(dirname(path), candidate.split(" ")[0] ?? ""));
          expect(known, `${path} → ${candidate}`).toContain(target);
        }
      }
    }
  });

  it.each([320, 390, 1280])("loads nothing from elsewhere and fits %i pixels", async (width) => {
    const context = await browser.newContext({
      javaScriptEnabled: false,
      viewport: { width, height: 800 },
    });
    const page = await context.newPage();
    const complaints = await watched(page, async () => {
      for (const path of kinds) {
        await page.goto(urlOf(path));
        // With scripts off the page itself runs none, but the debugger still may.
        const size = await page.evaluate<Layout>(layout);
        expect(size.scroll, path).toBeLessThanOrEqual(width);
        expect(size.font, path).toContain("system-ui");
        expect(size.broken, path).toBe(0);
      }
    });
    expect(complaints).toEqual([]);
    await context.close();
  });

  it("begins no line of facts with a separator", async () => {
    const context = await browser.newContext({ viewport: { width: 390, height: 800 } });
    const page = await context.newPage();
    for (const path of kinds) {
      await page.goto(urlOf(path));
      for (const width of [320, 390, 700, 1280]) {
        await page.setViewportSize({ width, height: 800 });
        expect(await page.evaluate<string[]>(separators), `${path}, ${width}`).toEqual([]);
      }
    }
    await context.close();
  });

  it("shows the pictures that a body carries in itself", async () => {
    const context = await browser.newContext();
    const page = await context.newPage();
    const complaints = await watched(page, async () => {
      await page.goto(urlOf("articles/article-plain.html"));
      expect(await page.locator("img[alt=inline]").evaluate(naturalWidth)).toBe(9);
    });
    expect(complaints.filter((complaint) => !complaint.startsWith("request: data:"))).toEqual([]);
    await context.close();
  });

  it("can be walked from the first page to everything", async () => {
    const context = await browser.newContext({ javaScriptEnabled: false });
    const page = await context.newPage();
    await page.goto(urlOf("index.html"));
    await page.click("nav >> text=Articles");
    await page.click("nav[aria-label=Pages] >> text=Older");
    expect(page.url()).toMatch(/articles\/page\/2\.html$/);
    await page.click("article h2 a");
    await page.click("nav[aria-label='Neighbouring articles'] a.older");
    await page.click("section.attached a");
    expect(page.url()).toMatch(/images\/i5\.html$/);
    await page.click("text=Appears in >> xpath=.. >> a >> nth=0");
    expect(page.url()).toMatch(/articles\//);
    await page.click("footer >> text=About this archive");
    expect(await page.title()).toBe("About this archive · The Archive");
    await context.close();
  });

  it("turns pages with the arrow keys where scripts run", async () => {
    const context = await browser.newContext();
    const page = await context.newPage();
    const complaints = await watched(page, async () => {
      await page.goto(urlOf("images/i0.html"));
      await page.keyboard.press("ArrowRight");
      await page.waitForURL(/i1\.html$/);
      await page.keyboard.press("ArrowLeft");
      await page.waitForURL(/i0\.html$/);
    });
    expect(complaints).toEqual([]);
    await context.close();
  });

  it("has enough contrast in both schemes", async () => {
    for (const colorScheme of ["light", "dark"] as const) {
      const context = await browser.newContext({ colorScheme });
      const page = await context.newPage();
      for (const path of kinds) {
        await page.goto(urlOf(path));
        const poor = await page.evaluate<string[]>(lowContrast);
        expect(poor, `${path}, ${colorScheme}`).toEqual([]);
      }
      await context.close();
    }
  });
});
