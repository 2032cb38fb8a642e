import sharp from "sharp";
import { describe, expect, it } from "vitest";
import type { DrawnFile, OutputFile } from "../../src/lib/output.ts";
import { cutPicture, cutSize } from "../../src/media/share.ts";
import { withText } from "../../src/publish/website.ts";
import { type Archive, type Content, closedArchives } from "./fixture.ts";

const archiveOf = closedArchives();
const settings = { site: { url: "https://archive.example", title: "The Archive" } };
const content = (): Content => ({
  images: [
    { id: "large", title: "A boat" },
    { id: "small", size: [320, 200] },
  ],
  articles: [
    { id: "shown", images: ["large"] },
    { id: "worded", title: "In words <b>alone</b> & more" },
    { id: "tiny", images: ["small"] },
  ],
});

const isDrawn = (file: OutputFile): file is DrawnFile => "draw" in file;
const drawnIn = (archive: Archive): Map<string, DrawnFile> =>
  new Map(
    archive
      .files()
      .filter(isDrawn)
      .map((file) => [file.path, file]),
  );

describe("pictures to share a page with", () => {
  it("are there for each page, each once", () => {
    const archive = archiveOf(content(), settings);
    const named = archive
      .files()
      .filter(({ path }) => path.endsWith(".html"))
      .map(
        ({ path }) => /og:image" content="[^"]*?\/(share\/[^"]*)"/.exec(archive.page(path))?.[1],
      );
    expect(named).not.toContain(undefined);
    const files = drawnIn(archive);
    expect([...new Set(named)].sort()).toEqual([...files.keys()].sort());
    expect(files.has("share/pages/articles/article-worded.jpg")).toBe(true);
    expect(files.has("share/pages/articles/article-shown.jpg")).toBe(false);
    expect(files.has("share/pages/images/small.jpg")).toBe(true);
  });

  it.each([[{ ...settings, site: { ...settings.site, sharePictures: false } }], [{}]])(
    "are not made with %j",
    (none) => {
      expect(drawnIn(archiveOf(content(), none)).size).toBe(0);
    },
  );

  it("are words on paper, in the colours of the site", async () => {
    const archive = archiveOf(content(), { site: { ...settings.site, accent: "#c02040" } });
    const file = drawnIn(archive).get("share/pages/articles/article-worded.jpg");
    const { data, info } = await sharp(await file?.draw("", file.text))
      .raw()
      .toBuffer({ resolveWithObject: true });
    expect(info).toMatchObject({ width: 1200, height: 630, channels: 3 });
    const near = ([r = 0, g = 0, b = 0]: number[]): number => {
      let count = 0;
      for (let at = 0; at < data.length; at += 3) {
        const [x = 0, y = 0, z = 0] = data.subarray(at, at + 3);
        if (Math.abs(x - r) + Math.abs(y - g) + Math.abs(z - b) < 30) count++;
      }
      return count;
    };
    expect(near([0xfb, 0xf9, 0xf4])).toBeGreaterThan(600_000);
    expect(near([0x23, 0x20, 0x1b])).toBeGreaterThan(2_000);
    expect(near([0xc0, 0x20, 0x40])).toBeGreaterThan(300);
  });

  it("bear any title", async () => {
    const titles = [
      "",
      "\0\u0007",
      "</span><span>",
      "&amp; <",
      "x".repeat(9_000),
      "老".repeat(500),
      "مقال بالعربية",
      "\ud800",
    ];
    const archive = archiveOf(
      { articles: titles.map((title, at) => ({ id: `${at}`, title })) },
      settings,
    );
    for (const { path, text, draw } of drawnIn(archive).values()) {
      if (!path.includes("articles/")) continue;
      expect(await sharp(await draw("", text)).metadata()).toMatchObject({
        width: 1200,
        height: 630,
      });
    }
  });

  it("have another key with another title, picture or colour only", () => {
    const keysOf = (change: (content: Content) => void, site = {}): Map<string, string> => {
      const changed = content();
      change(changed);
      const archive = archiveOf(changed, { site: { ...settings.site, ...site } });
      return new Map([...drawnIn(archive)].map(([path, { key }]) => [path, key()]));
    };
    const before = keysOf(() => {});
    const differing = (after: Map<string, string>) =>
      [...after].filter(([path, key]) => before.get(path) !== key).map(([path]) => path);
    expect(
      differing(
        keysOf(({ articles = [] }) => Object.assign(articles[1] ?? {}, { body: "<p>new" })),
      ),
    ).toEqual([]);
    expect(
      differing(keysOf(({ articles = [] }) => Object.assign(articles[1] ?? {}, { title: "Inn" }))),
    ).toEqual(["share/pages/articles/article-worded.jpg"]);
    expect(differing(keysOf(() => {}, { accent: "#c02040" }))).not.toContain(
      "share/images/large.jpg",
    );
    expect(differing(keysOf(() => {}, { description: "Other" }))).toEqual([]);
  });
});

describe("what must not be named", () => {
  it("is taken out of the words of a picture, which then has another key", async () => {
    const drawn: string[] = [];
    const file: DrawnFile = {
      ...{ path: "share/pages/a.jpg", key: () => "k", text: "See https://o.test/1?signature=ab" },
      draw: async (_, text) => Buffer.from(drawn.push(text).toString()),
    };
    const clean = withText(file, (text) => text.replace(/\?.*/, "")) as DrawnFile;
    await clean.draw("", clean.text);
    expect(drawn).toEqual(["See https://o.test/1"]);
    expect(clean.key()).not.toBe("k");
    const same = withText(file, (text) => text) as DrawnFile;
    expect(same.key()).toBe("k");
  });
});

describe("a picture that is cut", () => {
  it.each([
    [
      [1600, 1200],
      [1200, 630],
    ],
    [
      [900, 1400],
      [900, 473],
    ],
    [
      [1600, 500],
      [952, 500],
    ],
  ])("from %j pixels has %j", async ([width = 0, height = 0], [across, down]) => {
    const bytes = await sharp({ create: { width, height, channels: 4, background: "#a33a" } })
      .png()
      .toBuffer();
    const size = cutSize({ width, height });
    expect(size).toEqual({ width: across, height: down });
    const made = await sharp(await cutPicture(bytes as unknown as string, size)).metadata();
    expect(made).toMatchObject({ format: "jpeg", width: across, height: down });
  });
});
