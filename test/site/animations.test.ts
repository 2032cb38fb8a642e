import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { chromiumPath } from "../support/browser.ts";
import { found, requireProgram } from "../support/programs.ts";
import { type OpenSite, openSite, watched } from "./in-browser.ts";

requireProgram(chromiumPath);

describe.runIf(found(chromiumPath))("an animation in a browser", () => {
  let site: OpenSite;
  let page: Page;
  beforeAll(async () => {
    site = await openSite();
    page = await site.browser.newPage();
  });
  afterAll(async () => {
    await site?.close();
  });

  /** The file that an image shows: "by/width/1280/i0.webp". */
  const shownBy = (selector: string) =>
    page.$eval(selector, (image) => image.currentSrc.split("/images/").pop());

  it.each([
    ["an article", "articles/article-rich.html", ".prose figure"],
    ["its image's page", "images/i0.html", ".stage"],
    ["a contact sheet", "galleries/gallery-g.html", ".tiles li:first-child"],
  ])("in %s stands still, and moves when it is asked to", async (_, path, place) => {
    const complaints = await watched(page, async () => {
      await page.goto(site.urlOf(path));
      const image = `${place} img`;
      await expect.poll(() => shownBy(image)).toMatch(/^(?:by\/width\/\d+\/)?i0\.webp$/);
      const still = await shownBy(image);
      const sizeNow = () => page.$eval(image, (one) => [one.clientWidth, one.clientHeight / 10]);
      const size = await sizeNow();
      await page.click(`${place} .play`);
      await expect.poll(() => shownBy(image)).toBe("by/animation/i0.webp");
      // Its smaller file takes the same place.
      const [width = 0, height = 0] = await sizeNow();
      expect(width).toBe(size[0]);
      // Of another size, its proportions are rounded in another way.
      expect(height).toBeCloseTo(size[1] ?? 0, 0);
      expect(await page.textContent(`${place} .play`)).toBe("■ Stop animation");
      await page.click(`${place} .play`);
      await expect.poll(() => shownBy(image)).toBe(still);
    });
    expect(complaints).toEqual([]);
    expect(await page.$$(".play")).toHaveLength(1);
  });

  it("in the viewer has a button of its own, and others have none", async () => {
    await page.goto(`${site.urlOf("galleries/gallery-g.html")}`);
    await page.click(".tiles li:first-child a");
    await page.click("dialog[open] .play");
    await expect.poll(() => shownBy(".viewer-stage img")).toBe("by/animation/i0.webp");
    await page.keyboard.press("ArrowRight");
    expect(await page.$$("dialog[open] .play")).toHaveLength(0);
    await page.keyboard.press("ArrowLeft");
    expect(await page.textContent("dialog[open] .play")).toBe("▶ Play animation");
  });

  it("can be had without scripts, by its image's page", async () => {
    const files = site.archive.page("images/i0.html");
    expect(files).toMatch(/<th scope="row">Animation<\/th>.*?by\/animation\/i0\.webp"/s);
    expect(site.archive.page("images/i1.html")).not.toContain("animation");
  });
});
