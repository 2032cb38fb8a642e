import { afterEach, describe, expect, it } from "vitest";
import type { OutputFile } from "../../src/lib/output.ts";
import {
  article,
  base,
  body,
  type Fixture,
  ids,
  image,
  type Json,
  jsonOf,
  makeConfig,
  makeFixture,
  putMedia,
} from "./fixture.ts";

const [first = "", second = "", third = "", fourth = "", fifth = ""] = ids.articles;
const [one = "", two = ""] = ids.images;
const root = "api/v1";

let fixture: Fixture | undefined;
function start(sections?: Record<string, unknown>): Fixture {
  fixture = makeFixture(sections);
  return fixture;
}
afterEach(() => {
  fixture?.close();
  fixture = undefined;
});

function text(files: Map<string, OutputFile>, path: string): string {
  const file = files.get(path);
  if (file === undefined || !("content" in file)) throw new Error(`no file ${path}`);
  return String(file.content());
}

function keys(files: Map<string, OutputFile>): Map<string, string> {
  return new Map([...files].map(([path, file]) => [path, "blob" in file ? file.blob : file.key()]));
}

/** Every URL in a JSON value, with the file it stands in. */
function* stringsOf(value: Json): Generator<string> {
  if (typeof value === "string") yield value;
  else if (typeof value === "object" && value !== null) {
    for (const member of Object.values(value)) yield* stringsOf(member);
  }
}

describe("mirrorFiles", () => {
  it("yields a file for every stored answer, rendition and original, and nothing of held images", () => {
    const files = start().files();
    const names = [...files.keys()].sort();
    const rendition = (id: string): string[] =>
      ["", "by/thumb/square/", "by/width/320/", "by/width/640/"].flatMap((slot) =>
        ["jpg", "webp"].map((extension) => `${root}/images/${slot}${id}.${extension}`),
      );
    const year = "articles/by/year/2024";
    const expected = [
      ".nojekyll",
      ...["article", "article-in-index", "gallery", "gallery-in-index", "image", "video"].map(
        (name) => `schemas/${name}`,
      ),
      ...["openapi", "schemas/category", "schemas/tag"],
      ...["404", "mirror", "articles/index", "articles/page/2", "articles/page/3"],
      ...["galleries/index", "images/index", "images/page/2", "videos/index"],
      ...["categories/index", "tags/index", "galleries/by/none", "galleries/by/index"],
      ...["articles/by/none", "articles/by/index", "articles/by/tags/zoo/index"],
      ...["news", ids.category].map((category) => `articles/by/category/${category}/index`),
      ...[`${year}/index`, `${year}/page/2`, `${year}/page/3`],
      ...Array.from({ length: 12 }, (_, month) => `${year}/month/${month + 1}/index`),
      ...[`${year}/month/5/page/2`, `${year}/month/5/page/3`],
      ...ids.articles.map((id) => `articles/${id}`),
      `galleries/${ids.gallery}`,
      ...ids.images.map((id) => `images/${id}`),
      ...[`articles/${first}/images/index`, `articles/${first}/images/page/2`],
      ...[`articles/${second}/images/index`, `articles/${second}/images/page/2`],
      ...[`articles/${first}/videos/index`, `galleries/${ids.gallery}/images/index`],
    ].map((name) => (name === ".nojekyll" ? name : `${root}/${name}.json`));
    const binaries = [one, two].flatMap((id) => [
      ...rendition(id),
      `${root}/images/by/download/${id}.png`,
    ]);
    binaries.push(`${root}/by/download/videos/${ids.video}/download/index.mp4`);
    expect(names).toEqual([...expected, ...binaries].sort());
  });

  it.each([
    ["file", null],
    ["file", "https://archive.test/sub"],
    ["api", null],
    ["api", "https://archive.test"],
  ])("names no held image anywhere, links %s, site %s", (links, url) => {
    const files = start({ mirror: { links }, site: { url } }).files();
    for (const [path, file] of files) {
      expect(path).not.toMatch(new RegExp(`${ids.unprovedImage}|${ids.privateImage}`));
      if (!("content" in file) || path.includes("articles/")) continue;
      const content = String(file.content());
      expect(content).not.toContain(ids.unprovedImage);
      expect(content).not.toContain(ids.privateImage);
    }
    const article = text(files, `${root}/articles/${first}.json`);
    expect(article).not.toContain(ids.unprovedImage);
    expect(article).not.toContain(ids.privateImage);
    const held = jsonOf(files, `${root}/articles/${third}.json`);
    expect(held.data.links.thumbnail).toEqual({ square: null });
  });

  it("publishes unproved images when it is told to", () => {
    const files = start({ media: { unproved: "publish" } }).files();
    expect(files.has(`${root}/images/${ids.unprovedImage}.json`)).toBe(true);
    expect(files.has(`${root}/images/by/download/${ids.unprovedImage}.png`)).toBe(true);
    expect(files.has(`${root}/images/${ids.privateImage}.json`)).toBe(false);
    expect(jsonOf(files, `${root}/articles/${second}/images/index.json`).meta.total).toBe(4);
    // The index is what the origin listed, not what was found elsewhere.
    expect(jsonOf(files, `${root}/images/index.json`).meta.total).toBe(3);
  });

  it("leaves out of the index what its own record says to be private", () => {
    const make = start({ media: { unproved: "publish" } }).files;
    const marked = { ...image(one), visibility: "private" };
    fixture?.write("images", [marked, ...ids.images.slice(1).map((id) => image(id))]);
    const files = make();
    for (const [path, file] of files) {
      expect(path).not.toContain(one);
      if ("content" in file) expect(String(file.content()), path).not.toContain(one);
    }
    const index = jsonOf(files, `${root}/images/index.json`);
    expect(index.meta).toMatchObject({ total: 2, last_page: 1 });
    expect(index.links.next).toBeNull();
    expect(index.data.map(({ id }: { id: string }) => id)).toEqual(ids.images.slice(1));
    expect(files.has(`${root}/images/page/2.json`)).toBe(false);
    expect(jsonOf(files, `${root}/articles/${first}/images/index.json`).meta.total).toBe(2);
    expect(jsonOf(files, `${root}/articles/${first}.json`).data.links.thumbnail).toBeNull();
  });

  it("writes links from each file to the others, which all exist", () => {
    const { files: make, config } = start();
    const files = make();
    const catalogue = (fixture as Fixture).catalogue();
    const site = new Set([
      ...ids.articles.map((id) => catalogue.page("articles", id)),
      ...ids.images.map((id) => catalogue.page("images", id)),
      catalogue.page("galleries", ids.gallery),
    ]);
    let followed = 0;
    for (const [path, file] of files) {
      if (!("content" in file) || !path.endsWith(".json")) continue;
      for (const string of stringsOf(JSON.parse(String(file.content())))) {
        if (!/^\.\.?\/[\w./-]+$/.test(string) || string.includes("/media/")) continue;
        const target = new URL(string, `http://x/${path}`).pathname.slice(1);
        expect(files.has(target) || site.has(target), `${path}: ${string}`).toBe(true);
        followed++;
      }
    }
    expect(followed).toBeGreaterThan(100);
    expect(config.site.url).toBeNull();
  });

  it("pages its lists as the origin does", () => {
    const files = start().files();
    const page = jsonOf(files, `${root}/articles/page/2.json`);
    expect(page.data.map((item: { id: string }) => item.id)).toEqual([third, fourth]);
    expect(page.links).toEqual({
      first: "../index.json",
      last: "./3.json",
      prev: "../index.json",
      next: "./3.json",
    });
    expect(page.meta).toMatchObject({ current_page: 2, from: 3, to: 4, last_page: 3, total: 5 });
    expect(page.meta.path).toBe("../index.json");
    expect(page.meta.links.map((link: { url: string }) => link.url)).toEqual([
      "../index.json",
      "../index.json",
      "./2.json",
      "./3.json",
      "./3.json",
    ]);
    expect(jsonOf(files, `${root}/articles/page/3.json`).data[0].id).toBe(fifth);
  });

  it("counts anew what is left of a list with held images", () => {
    const files = start().files();
    const firstPage = jsonOf(files, `${root}/articles/${second}/images/index.json`);
    expect(firstPage.data.map((item: { id: string }) => item.id)).toEqual([one, two]);
    expect(firstPage.meta).toMatchObject({ total: 3, to: 2, last_page: 2 });
    const empty = jsonOf(files, `${root}/galleries/${ids.gallery}/images/index.json`);
    expect(empty.data).toEqual([]);
    expect(empty.meta).toMatchObject({ total: 0, from: null, to: null, last_page: 1 });
  });

  it("keeps a page that does not follow from the first one as the origin wrote it", () => {
    const files = start().files();
    expect(text(files, `${root}/articles/${first}/images/page/2.json`)).toContain('"odd":4.50');
  });

  it("keeps the raw form of objects", () => {
    const files = start().files();
    expect(text(files, `${root}/tags/index.json`)).toContain('"10":"a"');
    const { links, ...rest } = jsonOf(files, `${root}/articles/${fourth}.json`).data;
    const { links: _, ...expected } = { ...article(fourth, 3), body: body(3) };
    expect(rest).toEqual(expected);
    // Without an entry in the media index there is nothing to lead to.
    expect(links.thumbnail).toBe(`${base}/images/${ids.missingImage}.jpg?thumb=1`);
  });

  it("rewrites the URLs in body HTML and nothing else in it", () => {
    const files = start({ site: { url: "https://archive.test" } }).files();
    const at = "https://archive.test";
    const api = `${at}/${root}/images`;
    const catalogue = (fixture as Fixture).catalogue();
    expect(jsonOf(files, `${root}/articles/${first}.json`).data.body.split("\n")).toEqual([
      `<p>See <a href="${at}/${catalogue.page("articles", second)}#user-content-part">the next</a>, ${at}/${catalogue.page("articles", fifth)}.`,
      `<img src="${api}/by/width/640/${one}.jpg" alt="a &quot;b&quot;">`,
      `<img src='${api}/${two}.jpg' srcset="${api}/by/width/320/${two}.jpg 1x, ${api}/${two}.jpg 2x">`,
      '<img src="about:invalid">',
      '<a href="about:invalid">p</a>',
      `<img src="${base}/images/${ids.missingImage}.jpg?width=5">`,
      `<a style="background:url(${api}/by/download/${one}.png)" href="https://elsewhere.test/?a=1&amp;b=2">x</a></p>`,
      `<a href="${base}/articles?page=99">gone</a> <a href="${at}/${root}/articles/${second}.json">api</a>`,
      expect.stringMatching(/^<video src="https:\/\/archive\.test\/media\/.*\.mp4"><\/video>$/),
    ]);
  });

  it("keeps the form of the origin's URLs with links api", () => {
    const files = start({ mirror: { links: "api" } }).files();
    const page = jsonOf(files, `${root}/articles/page/2.json`);
    expect(page.links).toMatchObject({
      first: "/api/v1/articles?page=1",
      next: "/api/v1/articles?page=3",
    });
    expect(jsonOf(files, `${root}/images/${one}.json`).data.links).toEqual({
      view: `/images/${one}.html`,
      thumbnail: {
        square: `/api/v1/images/${one}.jpg?thumb=1`,
        portrait: `/api/v1/images/${one}.jpg?orientation=p&thumb=1`,
        landscape: `/api/v1/images/${one}.jpg?orientation=l&thumb=1`,
      },
      web: `/api/v1/images/${one}.jpg`,
      download: `/api/v1/images/${one}/download`,
    });
  });

  it("leads downloads to a rendition where originals are not published", () => {
    const files = start({ media: { publishOriginals: false } }).files();
    expect([...files.keys()].filter((path) => path.includes("images/by/download/"))).toEqual([]);
    expect(jsonOf(files, `${root}/images/${one}.json`).data.links.download).toBe(`./${one}.jpg`);
  });

  it("has no single images where the origin has none", () => {
    const files = start({ origin: { baseUrl: base, paths: { image: null } } }).files();
    expect(files.has(`${root}/images/${one}.json`)).toBe(false);
    expect(files.has(`${root}/images/${one}.jpg`)).toBe(true);
  });
});

describe("keys of mirror files", () => {
  it("are the same when nothing has changed", () => {
    const { files } = start();
    expect(keys(files())).toEqual(keys(files()));
  });

  it.each([
    ["a rendition is added", (f: Fixture) => putMedia(f.store, one, ["web", "thumb/portrait"])],
    ["a missing image arrives", (f: Fixture) => putMedia(f.store, ids.missingImage)],
    ["a slug moves", (f: Fixture) => f.write("articles", [article(fifth, 4), article(first, 9)])],
    ["an image turns private", (f: Fixture) => f.write("images.private", ids.images.map(image))],
    ["an image is proved public", (f: Fixture) => f.write("images", [image(ids.unprovedImage)])],
    [
      "a single form goes",
      (f: Fixture) => f.write("articles.single", [{ ...article(first, 0), body: body(0) }]),
    ],
  ])("differ for every file whose bytes differ when %s", (_, change) => {
    const { files } = start();
    const contentOf = (made: Map<string, OutputFile>): Map<string, string> =>
      new Map(
        [...made].map(([path, file]) => [
          path,
          "content" in file ? String(file.content()) : "blob" in file ? file.blob : file.key(),
        ]),
      );
    const before = { keys: keys(files()), content: contentOf(files()) };
    change(fixture as Fixture);
    const after = { keys: keys(files()), content: contentOf(files()) };
    let same = 0;
    for (const [path, key] of after.keys) {
      const equal = before.content.get(path) === after.content.get(path);
      if (before.keys.get(path) === key) expect(equal, path).toBe(true);
      if (equal) same++;
    }
    expect(after.keys).not.toEqual(before.keys);
    expect(same).toBeGreaterThan(0);
  });

  it.each([{ site: { url: "https://archive.test" } }, { mirror: { links: "api" } }])(
    "differ under %o",
    (sections) => {
      const { files } = start();
      const path = `${root}/articles/index.json`;
      expect(keys(files(makeConfig(sections))).get(path)).not.toBe(keys(files()).get(path));
    },
  );
});
