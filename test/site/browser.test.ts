import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type OpenSite, openSite, watched } from "./in-browser.ts";
import { brokenLinks } from "./links.ts";

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

let site: OpenSite;
beforeAll(async () => {
  site = await openSite();
});
afterAll(() => site?.close());

const urlOf = (path: string): string => site.urlOf(path);

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
  "search.html",
  "snapshot.html",
];

describe("the site in a browser, from a folder, without scripts", () => {
  it("has only links that lead to a file, and anchors that exist", () => {
    expect(brokenLinks(site.folder, site.paths)).toEqual([]);
  });

  it.each([320, 390, 1280])("loads nothing from elsewhere and fits %i pixels", async (width) => {
    const context = await site.browser.newContext({
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
    const context = await site.browser.newContext({ viewport: { width: 390, height: 800 } });
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
    const context = await site.browser.newContext();
    const page = await context.newPage();
    const complaints = await watched(page, async () => {
      await page.goto(urlOf("articles/article-plain.html"));
      expect(await page.locator("img[alt=inline]").evaluate(naturalWidth)).toBe(9);
    });
    expect(complaints.filter((complaint) => !complaint.startsWith("request: data:"))).toEqual([]);
    await context.close();
  });

  it("can be walked from the first page to everything", async () => {
    const context = await site.browser.newContext({ javaScriptEnabled: false });
    const page = await context.newPage();
    await page.goto(urlOf("index.html"));
    await page.click("nav >> text=Articles");
    await page.click("nav[aria-label=Pages] >> text=Older");
    expect(page.url()).toMatch(/articles\/page\/2\.html$/);
    await page.click("article h2 a");
    await page.click("nav[aria-label='Neighbouring articles'] a.older");
    await page.click("section.attached a");
    expect(page.url()).toMatch(/images\/i6\.html$/);
    await page.click("text=Appears in >> xpath=.. >> a >> nth=0");
    expect(page.url()).toMatch(/articles\//);
    await page.click("footer >> text=About this archive");
    expect(await page.title()).toBe("About this archive · The Archive");
    await context.close();
  });

  it("turns pages with the arrow keys where scripts run", async () => {
    const context = await site.browser.newContext();
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
      const context = await site.browser.newContext({ colorScheme });
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
