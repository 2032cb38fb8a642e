import type { Page } from "playwright-core";
import sharp, { type Sharp } from "sharp";
import { rgbaToThumbHash, thumbHashToRGBA } from "thumbhash";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { chromiumPath } from "../support/browser.ts";
import { found, requireProgram } from "../support/programs.ts";
import { api, type Content, closedArchives } from "./fixture.ts";
import { type OpenSite, openSite, serveFolder, watched } from "./in-browser.ts";

/** The hash of a picture with another colour in each quarter. */
function hashOf(width: number, height: number): string {
  const pixels = Array.from({ length: width * height }, (_, at) => {
    const isLeft = at % width < width / 2;
    const isUpper = at < (width * height) / 2;
    const colour = isLeft ? [isUpper ? 230 : 60, 40, 40] : [40, isUpper ? 180 : 90, 200];
    return [...colour, 255];
  });
  return Buffer.from(rgbaToThumbHash(width, height, pixels.flat())).toString("base64");
}

const wide = hashOf(80, 60);
const tall = hashOf(48, 84);
const square = hashOf(60, 60);

const many = Array.from({ length: 60 }, (_, at) => `m${at}`);

const content: Content = {
  images: [
    { id: "wide", size: [1600, 1200], thumbHash: wide },
    { id: "tall", size: [800, 1400], thumbHash: tall },
    { id: "square", size: [900, 900], thumbHash: square },
    { id: "older", size: [1600, 1200] },
    { id: "icon", size: [64, 48], thumbHash: wide },
    ...many.map((id) => ({ id, thumbHash: wide })),
  ],
  articles: [
    {
      id: "body",
      slug: "body",
      body: `<p><img src="${api}/images/tall.jpg" data-hash="${square}" alt="t"></p>
        <p><img src="${api}/images/older.jpg" data-hash="${square}" alt="o"></p>
        <p><img src="${api}/images/wide.jpg" width="40" alt="w"> and text</p>
        <p data-hash="x">Text</p><picture data-hash="x"><source data-hash="x" srcset="x.jpg"></picture>
        <p><img src="data:image/gif;base64,R0lGODlhAQABAAAAACw=" data-hash="${square}" alt="d"></p>`,
    },
    { id: "none", slug: "none", body: '<p>Text <img src="a.png" data-hash="x"></p>' },
    { id: "old", slug: "old", images: ["older", "icon"] },
  ],
  galleries: [
    { id: "g", slug: "g", images: ["wide", "tall", "square", "older", "icon"] },
    { id: "long", slug: "long", images: many },
  ],
};

/** Colours of 8 × 8 places of a picture. */
async function gridOf(picture: Sharp): Promise<number[]> {
  const size = { width: 8, height: 8, fit: "fill" } as const;
  return [...(await picture.removeAlpha().resize(size).raw().toBuffer())];
}

describe("a page", () => {
  const archiveOf = closedArchives();
  const hashesIn = (html: string): string[] =>
    Array.from(html.matchAll(/ data-hash="([^"]*)"/g), ([, hash]) => hash as string);

  it("has the hash of each picture that a reader may wait for, and the script for them", () => {
    const html = archiveOf(content).page("galleries/g.html");
    expect(hashesIn(html)).toEqual([wide, tall, square]);
    expect(html).toMatch(/<script src="\.\.\/assets\/placeholders\.\w+\.js" defer><\/script>/);
  });

  it("without such pictures has no script for them", () => {
    const html = archiveOf(content).page("articles/old.html");
    expect(html.match(/<img /g)).toHaveLength(2);
    expect(html).not.toMatch(/data-hash|placeholders/);
  });

  it("takes no hash from a body, only the archive's own", () => {
    const archive = archiveOf(content);
    const html = archive.page("articles/body.html");
    expect(html).toContain('src="data:image/gif');
    expect(hashesIn(html)).toEqual([tall]);
    expect(archive.page("articles/none.html")).not.toMatch(/data-hash|placeholders/);
  });

  it("has another key with another hash, if it shows the picture", () => {
    const [before, after] = [wide, square].map((thumbHash) =>
      archiveOf({
        images: [{ id: "a", thumbHash }, { id: "b" }],
        articles: [{ id: "a", slug: "a", images: ["a"] }],
        galleries: [{ id: "g", slug: "g", images: ["b"] }],
      }).keys(),
    );
    const differ = (path: string): boolean => before?.get(path) !== after?.get(path);
    expect(["articles/a.html", "images/a.html", "index.html"].filter(differ)).toHaveLength(3);
    expect(["images/b.html", "galleries/g.html"].filter(differ)).toEqual([]);
  });
});

requireProgram(chromiumPath);

describe.runIf(found(chromiumPath))("a placeholder in a browser", () => {
  let site: OpenSite;
  let host: Awaited<ReturnType<typeof serveFolder>>;
  beforeAll(async () => {
    site = await openSite(content);
    host = await serveFolder(site.folder);
  });
  afterAll(async () => {
    host?.close();
    await site?.close();
  });

  /** The pictures of the page, or of a part, that have a placeholder, by their hashes. */
  const drawn = (page: Page, part = "body") =>
    page.evaluate<string[]>(
      `Array.from(document.querySelectorAll(${JSON.stringify(`${part} img`)}))
        .filter((img) => getComputedStyle(img).backgroundImage !== "none")
        .map((img) => img.dataset.hash)`,
    );
  const become = (page: Page, hashes: string[]) =>
    expect.poll(() => drawn(page), { timeout: 5_000 }).toEqual(hashes);

  /** Opens a page whose pictures do not come before `answer` says what becomes of them. */
  async function held(
    url: string,
    use: (page: Page, answer: (outcome: "come" | "fail") => void) => Promise<void>,
  ): Promise<void> {
    const context = await site.browser.newContext({ viewport: { width: 1000, height: 800 } });
    const page = await context.newPage();
    let answer: (outcome: "come" | "fail") => void = () => {};
    const answered = new Promise((resolve) => {
      answer = resolve;
    });
    await page.route(/\.(?:jpg|webp)$/, async (route) => {
      await ((await answered) === "come" ? route.continue() : route.abort("aborted"));
    });
    const complaints = await watched(page, async () => {
      await page.goto(url, { waitUntil: "domcontentloaded" });
      await use(page, answer);
    });
    expect(complaints.filter((one) => !/^request: (?:http:\/\/127|data:image)/.test(one))).toEqual(
      [],
    );
    await context.close();
  }

  it.each(["a folder", "a host"])("is there until the picture has come, from %s", async (from) => {
    const path = "galleries/g.html";
    const url = from === "a folder" ? site.urlOf(path) : `${host.url}/${path}`;
    await held(url, async (page, answer) => {
      await become(page, [wide, tall, square]);
      answer("come");
      await become(page, []);
      expect(await page.evaluate("document.images[0].naturalWidth")).toBeGreaterThan(0);
      expect(await page.evaluate("document.images[0].getAttribute('style')")).toBe("");
    });
  });

  it("leaves nothing behind if the picture does not come", async () => {
    await held(`${host.url}/articles/body.html`, async (page, answer) => {
      await become(page, [tall]);
      answer("fail");
      await become(page, []);
    });
  });

  it("shows what the reference decoder makes of the hash, cut as the picture is", async () => {
    await held(site.urlOf("galleries/g.html"), async (page, answer) => {
      await become(page, [wide, tall, square]);
      for (const hash of [wide, tall, square]) {
        const { w, h, rgba } = thumbHashToRGBA(Buffer.from(hash, "base64"));
        const wanted = sharp(rgba, { raw: { width: w, height: h, channels: 4 } });
        const shown = sharp(await page.locator(`img[data-hash="${hash}"]`).screenshot());
        const [a, b] = await Promise.all([wanted, shown].map(gridOf));
        const off = a?.map((level, at) => Math.abs(level - (b?.[at] ?? Number.NaN))) ?? [];
        expect(off).toHaveLength(8 * 8 * 3);
        expect(Math.max(...off), hash).toBeLessThan(30);
      }
      answer("come");
    });
  });

  it("does not follow the picture into the viewer, which has another shape", async () => {
    await held(site.urlOf("galleries/g.html"), async (page, answer) => {
      await become(page, [wide, tall, square]);
      await page.click(".tiles a");
      expect(await page.locator(".viewer-stage img").count()).toBe(1);
      expect(await drawn(page, ".viewer-stage")).toEqual([]);
      answer("come");
    });
  });

  it("is drawn when its picture comes near the window", async () => {
    await held(site.urlOf("galleries/long.html"), async (page, answer) => {
      const count = async () => (await drawn(page)).length;
      await expect.poll(count, { timeout: 5_000 }).toBeGreaterThan(5);
      expect(await count()).toBeLessThan(40);
      await page.evaluate("scrollTo(0, document.body.scrollHeight)");
      await expect
        .poll(() =>
          page.evaluate("[...document.querySelectorAll('.tiles img')].at(-1).style.background"),
        )
        .toContain("data:image/png");
      answer("come");
    });
  });
});
