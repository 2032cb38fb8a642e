import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import sharp from "sharp";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { loadContent } from "../../src/demo/folder.ts";
import { startOrigin } from "../../src/demo/origin.ts";
import { ConfigError } from "../../src/errors.ts";
import { ask, askOne, bytesOf, temporaryDir, walk } from "./support.ts";

let dir: string;
let remove: () => Promise<void>;
beforeEach(async () => {
  ({ dir, remove } = await temporaryDir());
});
afterEach(() => remove());

const harbour = {
  title: "The harbour",
  slug: "harbour",
  summary: "Boats.",
  date: "2012-06-27 7:28:21 -0400",
  topics: ["sea", "boats"],
  html: '<p><a href="https://old.example.org/2013/mill/">mill</a> <a href="pic.jpg">x</a></p>',
};
const mill = {
  title: "The mill",
  slug: "mill",
  date: "2013-01-05",
  topics: [],
  html: "<p>Mill.</p>",
};

async function writeArticles(lines: unknown[]): Promise<void> {
  const text = lines.map((line) => (typeof line === "string" ? line : JSON.stringify(line)));
  await writeFile(join(dir, "articles.ndjson"), text.join("\n"));
}

async function writeImages(): Promise<void> {
  await mkdir(join(dir, "summer 2012/day [1]"), { recursive: true });
  const picture = sharp({ create: { width: 60, height: 40, channels: 3, background: "#336699" } });
  const jpeg = await picture.clone().jpeg().withMetadata({ orientation: 6 }).toBuffer();
  await writeFile(join(dir, "cover.PNG"), await picture.png().toBuffer());
  await writeFile(join(dir, "summer 2012/day [1]/a_turned-boat.jpg"), jpeg);
  await writeFile(join(dir, "summer 2012/day [1]/broken.webp"), "not a picture");
  await writeFile(join(dir, "summer 2012/sound.mp3"), "not a sound");
}

describe("content from a folder", () => {
  it("is served with dates, categories, tags and pictures worked out", async () => {
    await writeArticles([harbour, "", mill]);
    await writeImages();
    const origin = await startOrigin({ content: await loadContent(dir) });
    const articles = (await ask(origin, "/articles")).json.data;
    expect(articles.map(({ title }) => title)).toEqual(["The mill", "The harbour"]);
    expect(articles[1]?.published_at).toBe("2012-06-27T11:28:21.000000Z");
    const { data: categories } = (await ask(origin, "/categories")).json;
    expect(categories.map(({ title, articles_count }) => [title, articles_count])).toEqual([
      ["Sea", 1],
      ["General", 1],
    ]);
    expect((await ask(origin, "/tags")).json.data).toMatchObject([
      { slug: "sea", title: "Sea" },
      { slug: "boats", title: "Boats", articles_count: 1 },
    ]);
    const single = await askOne(origin, `/articles/${articles[1]?.id}`);
    const view = `http://127.0.0.1:${origin.port}/view/articles/mill`;
    expect(single.body).toBe(`<p><a href="${view}">mill</a> <a href="pic.jpg">x</a></p>`);
    expect(single.attachments.images).toBeGreaterThan(0);

    const images = await walk(origin, "/images");
    expect(images.map(({ title, dimensions }) => [title, dimensions])).toEqual([
      ["cover", { width: 60, height: 40 }],
      ["a turned boat", { width: 40, height: 60 }],
      ["broken", { width: 0, height: 0 }],
    ]);
    expect((await bytesOf(images[1]?.links.download ?? "")).type).toBe("image/jpeg");
    const [gallery] = (await ask(origin, "/galleries")).json.data;
    expect(gallery).toMatchObject({ title: "Day [1]", attachments: { images: 2 } });
    expect((await ask(origin, "/audio")).json.data).toMatchObject([{ mime_type: "audio/mpeg" }]);
    await origin.close();
  });

  it("has documents, and private images below a folder of that name", async () => {
    await writeArticles([mill]);
    await writeImages();
    await mkdir(join(dir, "private"));
    await writeFile(join(dir, "private/secret.jpg"), "not a picture");
    await writeFile(join(dir, "paper.PDF"), "%PDF-1.4");
    const { documents, images } = await loadContent(dir);
    expect([...documents]).toMatchObject([{ title: "paper", mime: "application/pdf" }]);
    expect([...images].filter((image) => image.private)).toMatchObject([{ title: "secret" }]);
  });

  it("takes galleries as they are described", async () => {
    await writeArticles([harbour]);
    await writeImages();
    const entry = { title: "Two", date: "2020-02-03", images: ["cover.PNG"] };
    await writeFile(join(dir, "galleries.json"), JSON.stringify([entry]));
    const { galleries } = await loadContent(dir);
    expect([...galleries]).toMatchObject([
      { title: "Two", slug: "two", publishedAt: Date.UTC(2020, 1, 3) },
    ]);
  });

  it("has the same ids every time", async () => {
    await writeArticles([harbour, mill]);
    await writeImages();
    const idsOf = async () => {
      const { articles, images } = await loadContent(dir);
      return [...articles, ...images].map(({ id }) => id);
    };
    expect(await idsOf()).toEqual(await idsOf());
  });

  it.each([
    [[harbour, "{"], /articles\.ndjson: line 2: not valid JSON$/],
    [[{ ...mill, date: "soon" }], /line 1: date: expected a date and time, got "soon"$/],
    [[harbour, "", { ...mill, slug: 7 }], /line 3: slug: /],
  ])("refuses wrong lines: %#", async (lines, message) => {
    await writeArticles(lines);
    const loading = loadContent(dir);
    await expect(loading).rejects.toThrow(ConfigError);
    await expect(loading).rejects.toThrow(message);
  });

  it("refuses a folder without articles and a gallery of missing images", async () => {
    await expect(loadContent(dir)).rejects.toThrow(/articles\.ndjson: cannot be read/);
    await writeArticles([harbour]);
    await writeFile(join(dir, "galleries.json"), '[{"title":"x","images":["no.jpg"]}]');
    await expect(loadContent(dir)).rejects.toThrow(/entry 1: there is no image no\.jpg/);
  });
});
