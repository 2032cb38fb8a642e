import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type OpenSite, openSite } from "./in-browser.ts";

interface Chosen {
  src: string;
  /** Pixels of the file that the browser chose. */
  natural: number;
  /** Pixels of the screen that the picture is drawn on. */
  needed: number;
  /** Widths of the files that it could choose. */
  widths: number[];
}

// Run in the page, and therefore not TypeScript of this program. A cropped picture is wider than its box, a contained one narrower.
const chosen = `Promise.all([...document.images].filter((img) => img.srcset !== "").map(async (img) => {
  img.loading = "eager";
  await img.decode();
  const file = new Image();
  file.src = img.currentSrc;
  await file.decode();
  const box = img.getBoundingClientRect();
  const across = box.height * file.naturalWidth / file.naturalHeight;
  const fit = getComputedStyle(img).objectFit;
  const drawn = fit === "cover" ? Math.max(box.width, across)
    : fit === "contain" ? Math.min(box.width, across) : box.width;
  return {
    src: img.currentSrc.replace(/.*\\/api/, ""),
    natural: file.naturalWidth,
    needed: Math.round(drawn * devicePixelRatio),
    widths: [...img.srcset.matchAll(/ (\\d+)w/g)].map(([, width]) => Number(width)),
  };
}))`;

let site: OpenSite;
beforeAll(async () => {
  site = await openSite();
});
afterAll(() => site?.close());

describe("the files that a browser chooses", () => {
  it.each([
    ["a telephone", { viewport: { width: 390, height: 844 }, deviceScaleFactor: 2 }],
    ["a desk", { viewport: { width: 1440, height: 900 }, deviceScaleFactor: 1 }],
  ])("on %s have the pixels that it draws, but not many more", async (_, screen) => {
    const wrong: string[] = [];
    for (const path of [
      "index.html",
      "articles/index.html",
      "articles/article-rich.html",
      "articles/article-n1.html",
      "galleries/index.html",
      "galleries/gallery-g.html",
      "images/i0.html",
    ]) {
      // A browser that already has a larger file of a picture shows that.
      const context = await site.browser.newContext(screen);
      const page = await context.newPage();
      await page.goto(site.urlOf(path));
      const pictures = await page.evaluate<Chosen[]>(chosen);
      expect(pictures.length, path).toBeGreaterThan(0);
      for (const { src, natural, needed, widths } of pictures) {
        const enough = Math.min(...widths.filter((width) => width >= needed), Math.max(...widths));
        const below = Math.max(0, ...widths.filter((width) => width < enough));
        // Browsers take the next smaller file where its width is nearer in proportion.
        const least = needed <= Math.sqrt(below * enough) * 1.1 ? below : enough;
        if (natural < least) wrong.push(`${path} ${src} is too small for ${needed}`);
        // The larger file that the page shows in another place is there already, and costs nothing.
        const largest = Math.max(
          ...pictures.filter((one) => one.src === src).map((one) => one.needed),
        );
        const most = Math.max(largest * 1.5, enough);
        if (natural > most) wrong.push(`${path} ${src} is too large for ${needed}`);
      }
      await context.close();
    }
    expect(wrong).toEqual([]);
  });
});
