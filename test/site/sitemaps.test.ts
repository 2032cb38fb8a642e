import { describe, expect, it } from "vitest";
import { sitemapsOf } from "../../src/site/pages/sitemaps.ts";
import { found, requireProgram } from "../support/programs.ts";
import { requireValid } from "../support/xmllint.ts";
import { type Archive, api, type Content, closedArchives, isPage } from "./fixture.ts";

const archiveOf = closedArchives();

const url = "https://archive.example/old";
const content = (): Content => ({
  categories: [{ id: "c", title: "Nature", slug: "nature" }],
  tags: [{ slug: "sea", title: "Sea" }],
  images: [
    { id: "i1" },
    { id: "i2" },
    { id: "lost", kept: false },
    { id: "priv-7", state: "private" },
  ],
  articles: [
    { id: "new", images: ["i1", "priv-7"], body: `<p><img src="${api}/images/i2.jpg"></p>` },
    { id: "old", published_at: "2023-01-01T00:00:00Z", category: { id: "c", title: "Nature" } },
    { id: "undated", published_at: null, tags: ["sea"] },
    ...Array.from({ length: 30 }, (_, at) => ({ id: `n${at}` })),
  ],
  galleries: [{ id: "g", images: ["i2", "lost"] }],
});

const sitemapPaths = (archive: Archive): string[] =>
  archive.files().flatMap(({ path }) => (/^sitemap/.test(path) ? [path] : []));
const locsOf = (xml: string): string[] =>
  Array.from(xml.matchAll(/<loc>([^<]*)<\/loc>/g), ([, loc = ""]) => loc);

requireProgram("xmllint");

describe("the sitemap", () => {
  it.runIf(found("xmllint"))("is an index of sitemaps, all valid by their schema", () => {
    const archive = archiveOf(content(), { site: { url } });
    const parts = ["pages", "articles", "galleries", "images"].map(
      (part) => `sitemaps/${part}-1.xml`,
    );
    expect(sitemapPaths(archive)).toEqual([...parts, "sitemap.xml"]);
    for (const path of sitemapPaths(archive)) requireValid(archive.page(path), "sitemap.xsd");
    const index = locsOf(archive.page("sitemap.xml"));
    expect(index).toEqual(parts.map((path) => `${url}/${path}`));
  });

  it("names every page by its canonical address, but not the one for unknown addresses", () => {
    const archive = archiveOf(content(), { site: { url } });
    const listed = sitemapPaths(archive)
      .filter((path) => path !== "sitemap.xml")
      .flatMap((path) => locsOf(archive.page(path)));
    const canonical = archive
      .files()
      .filter(isPage)
      .flatMap(
        ({ content }) => /<link rel="canonical" href="([^"]*)"/.exec(String(content()))?.[1],
      );
    expect(canonical.filter((address) => address === undefined)).toHaveLength(1);
    expect([...listed].sort()).toEqual(canonical.filter(Boolean).sort());
  });

  it("tells the pictures of a page and when it was published, nothing of private images", () => {
    const archive = archiveOf(content(), { site: { url } });
    const picture = (id: string): string =>
      `<image:image><image:loc>${url}/api/v1/images/by/width/1280/${id}.jpg</image:loc></image:image>`;
    const articles = archive.page("sitemaps/articles-1.xml");
    expect(articles).toContain(
      `<url><loc>${url}/articles/article-new.html</loc><lastmod>2024-05-02T10:00:00.000Z</lastmod>${picture("i1")}${picture("i2")}</url>`,
    );
    expect(articles).toContain(`<url><loc>${url}/articles/article-undated.html</loc></url>`);
    expect(archive.page("sitemaps/galleries-1.xml")).toContain(`${picture("i2")}</url>`);
    const images = archive.page("sitemaps/images-1.xml");
    expect(images).toContain(`<loc>${url}/images/i1.html</loc>${picture("i1")}`);
    expect(images).toContain(`<url><loc>${url}/images/lost.html</loc></url>`);
    for (const path of sitemapPaths(archive)) expect(archive.page(path)).not.toContain("priv-7");
    expect(archive.page("sitemap.xml")).toContain(
      `${url}/sitemaps/articles-1.xml</loc><lastmod>2024-05-02T10:00:00.000Z</lastmod>`,
    );
  });

  it("changes with its content alone", () => {
    const today = archiveOf(content(), { site: { url } });
    const later = { ...content(), time: "2030-01-01T00:00:00.000Z" };
    const tomorrow = archiveOf(later, { site: { url } });
    for (const path of [...sitemapPaths(today), "robots.txt"]) {
      expect(tomorrow.page(path)).toBe(today.page(path));
      expect(tomorrow.keys().get(path)).toBe(today.keys().get(path));
    }
  });

  it.each([{}, { url, robots: "noindex" as const }])("is left out with %o", (site) => {
    expect(sitemapPaths(archiveOf(content(), { site }))).toEqual([]);
  });

  const entries = (count: number) =>
    Array.from({ length: count }, (_, at) => ({
      text: `<url><loc>https://a.example/${at}é</loc></url>`,
      time: at % 2 === 0 ? null : `2024-01-0${at}T00:00:00.000Z`,
    }));

  it.each([
    [0, { urls: 3, bytes: 50_000 }, []],
    [3, { urls: 3, bytes: 50_000 }, [3]],
    [7, { urls: 3, bytes: 50_000 }, [3, 3, 1]],
    [5, { urls: 9, bytes: 1_100 }, [2, 2, 1]],
    [2, { urls: 9, bytes: 1_000 }, [1, 1]],
  ])("of %i pages within %o has files of %j", (count, limits, expected) => {
    const files = [...sitemapsOf(entries(count), limits)];
    expect(files.map(({ content }) => locsOf(content).length)).toEqual(expected);
  });

  it("gives each file the time of its latest page", () => {
    const files = [...sitemapsOf(entries(4), { urls: 2, bytes: 50_000 })];
    expect(files.map(({ time }) => time?.slice(0, 10))).toEqual(["2024-01-01", "2024-01-03"]);
  });
});

describe("robots.txt", () => {
  it.each([
    [{}, "User-agent: *\nAllow: /\n"],
    [{ url }, `User-agent: *\nAllow: /\n\nSitemap: ${url}/sitemap.xml\n`],
    [{ url, robots: "noindex" as const }, "User-agent: *\nDisallow: /\n"],
  ])("with %o is %j", (site, expected) => {
    expect(archiveOf({}, { site }).page("robots.txt")).toBe(expected);
  });

  it('comes with a mark on every page where site.robots is "noindex"', () => {
    const mark = '<meta name="robots" content="noindex">';
    const marked = (archive: Archive): string[] =>
      archive
        .files()
        .filter(isPage)
        .flatMap(({ path, content }) => (String(content()).includes(mark) ? [path] : []));
    expect(marked(archiveOf(content()))).toEqual(["404.html"]);
    const closed = archiveOf(content(), { site: { robots: "noindex" } });
    expect(marked(closed)).toEqual(
      closed.files().flatMap((one) => (isPage(one) ? [one.path] : [])),
    );
  });
});
