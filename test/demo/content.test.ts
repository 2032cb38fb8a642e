import { readdir } from "node:fs/promises";
import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { uuids } from "../../src/demo/ids.ts";
import type { Content, Image } from "../../src/demo/model.ts";
import { startOrigin } from "../../src/demo/origin.ts";
import { generateContent, mixedIds } from "../support/content.ts";
import { ask, askOne, bytesOf, temporaryDir, walk } from "./support.ts";

let temporary: Awaited<ReturnType<typeof temporaryDir>>;
beforeAll(async () => {
  temporary = await temporaryDir();
});
afterAll(() => temporary.remove());

const small = { articles: 60, galleries: 4, images: 12, seed: 3 };

/** What an origin with a fixed clock and port says about a content. */
async function portrait(content: Content): Promise<unknown[]> {
  const origin = await startOrigin({ content, now: () => new Date("2025-07-01T00:00:00Z") });
  try {
    const articles = await walk(origin, "/articles");
    const bodies = [];
    for (const { id } of articles) bodies.push((await askOne(origin, `/articles/${id}`)).body);
    const images = await walk(origin, "/images?private=1");
    const all = [articles, bodies, images, (await ask(origin, "/tags")).json];
    return JSON.parse(JSON.stringify(all).replaceAll(`:${origin.port}`, ":PORT"));
  } finally {
    await origin.close();
  }
}

describe("generated content", () => {
  it("is the same for the same seed, painted anew or from the cache", async () => {
    let painted = 0;
    const first = await generateContent({
      ...small,
      cacheDir: `${temporary.dir}/one`,
      onProgress: () => {
        painted += 1;
      },
    });
    expect(painted).toBe(12);
    const again = await generateContent({ ...small, cacheDir: `${temporary.dir}/one` });
    const elsewhere = await generateContent({ ...small, cacheDir: `${temporary.dir}/two` });
    const expected = await portrait(first);
    // Signatures are of the path alone here, but the port is part of the links.
    expect(await portrait(again)).toEqual(expected);
    expect(await portrait(elsewhere)).toEqual(expected);
    const names = await readdir(`${temporary.dir}/one`);
    expect(names.filter((name) => name.endsWith(".tmp"))).toEqual([]);
  });

  it("differs for another seed", async () => {
    const options = { articles: 3, galleries: 0, images: 0 };
    const cacheDir = temporary.dir;
    const [one, two] = await Promise.all(
      [1, 2].map((seed) => generateContent({ ...options, seed, cacheDir })),
    );
    expect(one?.articles.at(0)?.id).not.toBe(two?.articles.at(0)?.id);
  });

  it("tells the truth about the size of its files", async () => {
    const content = await generateContent({ ...small, cacheDir: `${temporary.dir}/one` });
    for (const image of content.images) expect((await image.read()).length).toBe(image.filesize);
  });

  it("has titles and slugs of its own for each article", async () => {
    const options = { articles: 2000, galleries: 90, images: 0 };
    const content = await generateContent({ ...options, seed: 9, cacheDir: temporary.dir });
    expect(new Set([...content.articles].map(({ slug }) => slug)).size).toBe(2000);
    expect(new Set([...content.galleries].map(({ slug }) => slug)).size).toBe(90);
    const times = [...content.articles].map(({ publishedAt }) => publishedAt);
    expect(times).toEqual([...times].sort((a, b) => b - a));
    expect(Math.max(...times) - Math.min(...times)).toBeGreaterThan(4.9 * 365 * 86_400_000);
  });

  it("is ready to serve tens of thousands of articles within seconds", async () => {
    const options = { galleries: 15, images: 0, seed: 9 };
    const cacheDir = temporary.dir;
    const content = await generateContent({ ...options, articles: 20_000, cacheDir });
    const origin = await startOrigin({ content });
    const last = (await ask(origin, "/articles?page=1000")).json;
    expect([last.data.length, last.links.next]).toEqual([20, null]);
    const article = await askOne(origin, `/articles/${last.data[7]?.id}`);
    expect(article.body).toContain("<p>");
    await origin.close();
  });

  it("includes articles that are hard to render", async () => {
    const options = { articles: 120, galleries: 0, images: 0 };
    const content = await generateContent({ ...options, seed: 3, cacheDir: temporary.dir });
    const all = [...content.articles];
    const titles = all.map(({ title }) => title);
    expect(titles.some((title) => /[&<>]/.test(title))).toBe(true);
    expect(titles.some((title) => /[\u0590-\u05ff]/.test(title))).toBe(true);
    expect(titles.some((title) => title.length > 400)).toBe(true);
    expect(new Set(titles).size).toBeLessThan(titles.length);
    expect(all.some(({ synopsis }) => synopsis === "")).toBe(true);
  });

  it("leaves out what is hard to render where that is asked for", async () => {
    const options = { articles: 120, galleries: 0, images: 0 };
    const cacheDir = temporary.dir;
    const content = await generateContent({ ...options, hardArticles: false, seed: 3, cacheDir });
    const origin = await startOrigin({ content });
    for (const { id, title, synopsis } of content.articles) {
      expect([title, synopsis]).toEqual([
        expect.stringMatching(/^[^&<>\u0590-\u05ff]{1,120}$/),
        expect.stringMatching(/./),
      ]);
      expect((await askOne(origin, `/articles/${id}`)).body).toContain("<p>");
    }
    await origin.close();
  });

  it("breaks some files, each in its own way, and is honest about their length", async () => {
    const options = { articles: 3, galleries: 1, images: 8, seed: 3, cacheDir: temporary.dir };
    const content = await generateContent({ ...options, brokenFiles: true });
    const decodes = async (at: number): Promise<boolean> => {
      const image = content.images.at(at) as Image;
      const bytes = await image.read();
      expect(bytes.length).toBe(image.filesize);
      return sharp(bytes, { failOn: "error" })
        .stats()
        .then(
          () => true,
          () => false,
        );
    };
    const decoded = await Promise.all([0, 1, 2, 3, 4].map(decodes));
    expect(decoded).toEqual([true, false, false, true, false]);
    const origin = await startOrigin({ content });
    const images = (await ask(origin, "/images")).json.data;
    expect((await bytesOf(images[5]?.links.download ?? "")).status).toBe(404);
    const [document] = (await ask(origin, "/documents")).json.data;
    expect((await bytesOf(document?.links.download ?? "")).status).toBe(410);
    await origin.close();
  });

  it("gives neighbours one time, in batches", async () => {
    const options = { articles: 20, galleries: 0, images: 0 };
    const content = await generateContent({ ...options, batch: 7, seed: 3 });
    const times = [...content.articles].map(({ publishedAt }) => publishedAt);
    expect(times.map((time) => times.indexOf(time))).toEqual([
      ...Array(7).fill(0),
      ...Array(7).fill(7),
      ...Array(6).fill(14),
    ]);
  });
});

describe("mixedIds", () => {
  it.each([
    ["article", /^[0-9a-f]{32}$/],
    ["gallery", /^[0-9a-f]{24}$/],
    ["image", /^(IMG_\d{4,}\.b|img_\d{4,}\.B)$/],
    ["category", /^[0-9A-F]{8}(-[0-9A-F]{4}){3}-[0-9A-F]{12}$/],
    ["videos", /^\d+$/],
  ])("of %s have a form of their own and differ", (kind, form) => {
    const ids = Array.from({ length: 200 }, (_, index) => mixedIds(kind, 1, index));
    for (const id of ids) expect(id).toMatch(form);
    expect(new Set(ids).size).toBe(200);
  });
});

describe("uuids", () => {
  it("are UUIDs of version 4, others for another kind or seed", () => {
    const ids = [uuids("article", 1, 0), uuids("image", 1, 0), uuids("article", 2, 0)];
    for (const id of ids) {
      expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    }
    expect(new Set(ids).size).toBe(3);
    expect(uuids("article", 1, 0)).toBe(ids[0]);
  });
});
