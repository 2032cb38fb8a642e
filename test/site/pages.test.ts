import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { chromiumPath } from "../support/browser.ts";
import { found, requireProgram } from "../support/programs.ts";
import { type OpenSite, openSite, watched } from "./in-browser.ts";

const pages = [
  "index.html",
  "articles/index.html",
  "articles/article-rich.html",
  "articles/article-plain.html",
  "galleries/gallery-g.html",
  "images/i0.html",
  "images/lost.html",
  "categories/nature/index.html",
  "tags/index.html",
  "archive/2024/index.html",
  "search.html",
  "snapshot.html",
  "404-here.html",
];

const shifts = readFileSync(new URL("./in-page/shifts.js", import.meta.url), "utf8");

requireProgram(chromiumPath);

describe.runIf(found(chromiumPath))("a page of the site, opened from a folder", () => {
  let site: OpenSite;
  beforeAll(async () => {
    site = await openSite();
    // The links of the 404 page begin at the root of its host, which is the folder here.
    const notFound = readFileSync(join(site.folder, "404.html"), "utf8");
    const here = notFound.replaceAll(/(href|src)="\//g, '$1="./');
    writeFileSync(join(site.folder, "404-here.html"), here);
  });
  afterAll(() => site?.close());

  it.each([
    ["on a screen", { viewport: { width: 1280, height: 800 } }],
    ["on a phone in the dark", { viewport: { width: 390, height: 800 }, colorScheme: "dark" }],
  ] as const)("loads nothing from elsewhere and complains of nothing, %s", async (_, settings) => {
    const context = await site.browser.newContext(settings);
    const page = await context.newPage();
    for (const path of pages) {
      const complaints = await watched(page, async () => {
        await page.goto(site.urlOf(path));
        expect(await page.locator("h1").count(), path).toBe(1);
      });
      page.removeAllListeners();
      const foreign = complaints.filter((complaint) => !complaint.startsWith("request: data:"));
      expect(foreign, path).toEqual([]);
    }
    await context.close();
  });

  it("stays where it is while it loads, and its links lead somewhere", async () => {
    const page = await site.browser.newPage({ viewport: { width: 390, height: 800 } });
    await page.route(/\.(?:jpg|webp|png)$/, async (route) => {
      await setTimeout(100);
      await route.continue();
    });
    for (const path of pages) {
      await page.goto(site.urlOf(path));
      expect(await page.evaluate(shifts), path).toBe(0);
      expect(await page.locator("a:not([href], [id], [name])").count(), path).toBe(0);
    }
    await page.close();
  });
});
