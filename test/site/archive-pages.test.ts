import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { sitePaths } from "../../src/routes/site.ts";
import { initialOf } from "../../src/site/initials.ts";
import { closedArchives } from "./fixture.ts";

const archiveOf = closedArchives();

describe("the initial of a title", () => {
  it.each([
    ["Über den Wolken", "U"],
    ["“quoted”", "Q"],
    ["12 o'clock", "0–9"],
    ["٣ سفن", "0–9"],
    ["البحر", "ا"],
    ["Ωmega", "Ω"],
    ["ßtraße", "S"],
    ["灯塔", "漢"],
    ["とうだい", "あ"],
    ["등대", "가"],
    ["!?", "#"],
  ])("of %s is %s", (title, initial) => {
    expect(initialOf(title)).toBe(initial);
  });

  it("has a path of its own, in plain letters", () => {
    const title = fc.string({ unit: "grapheme", minLength: 1 });
    fc.assert(
      fc.property(title, title, (a, b) => {
        const [one, other] = [initialOf(a), initialOf(b)];
        const [path, otherPath] = [one, other].map((initial) => sitePaths.initial(initial, 1));
        expect(path).toMatch(/^archive\/a-z\/[a-z0-9-]+\/index\.html$/);
        expect(path === otherPath).toBe(one === other);
      }),
      { numRuns: 2000 },
    );
  });
});

const articles = [
  ["a", "2024-05-02", "nature"],
  ["b", "2024-01-02", "nature"],
  ["c", "2022-01-02", "nature"],
  ["d", "2024-01-02", "craft"],
  ["e", null, "nature"],
].map(([id, day, category]) => ({
  id: id as string,
  title: `${id}: title`,
  published_at: day && `${day}T10:00:00Z`,
  category: { id: category, title: category },
}));
const categories = ["nature", "craft"].map((id) => ({ id, title: id, slug: id }));

const linked = (html: string, folder: string): string[] =>
  Array.from(
    html.matchAll(new RegExp(`href="(?:\\.\\./)*${folder}/([^"]*)"`, "g")),
    ([, to]) => `${to}`,
  );
const mainOf = (html: string): string => /<main.*<\/main>/s.exec(html)?.[0] ?? "";

describe("a category in several years", () => {
  it("has a page for each, and leads there", () => {
    const archive = archiveOf({ articles, categories });
    const page = mainOf(archive.page("categories/nature/index.html"));
    expect([...page.matchAll(/href="(20\d\d\/index\.html)"/g)].map(([, to]) => to)).toEqual([
      "2024/index.html",
      "2022/index.html",
    ]);
    const year = mainOf(archive.page("categories/nature/2024/index.html"));
    expect(year).toContain("nature, 2024");
    expect(linked(year, "articles")).toEqual(
      expect.arrayContaining(["article-a.html", "article-b.html"]),
    );
    expect(year).not.toMatch(/article-[cde]\.html/);
    expect(year).toContain('href="../2022/index.html"');
  });

  it("has none where one year has all articles", () => {
    const paths = archiveOf({ articles, categories })
      .files()
      .map(({ path }) => path);
    expect(paths.filter((path) => /^categories\/craft\/\d/.test(path))).toEqual([]);
  });

  it("stands in the archive's table by year", () => {
    const page = archiveOf({ articles, categories }).page("archive/index.html");
    const [, table = ""] = /<table>(.*)<\/table>/s.exec(page) ?? [];
    expect(linked(table, "categories")).toEqual([
      "nature/index.html",
      "nature/2024/index.html",
      "nature/2022/index.html",
    ]);
    expect(archiveOf({}).page("archive/index.html")).not.toContain("<table");
  });
});

describe("titles from A to Z", () => {
  it("are all there, each once, in their order", () => {
    const many = Array.from({ length: 230 }, (_, at) => ({ id: `m${at}`, title: `M ${at}` }));
    const archive = archiveOf({ articles: [...articles, ...many] });
    const archivePage = mainOf(archive.page("archive/index.html"));
    const letters = [...archivePage.matchAll(/href="a-z\/([^"]*)\/index\.html"/g)].map(
      ([, to]) => to,
    );
    expect(letters).toEqual(["a", "b", "c", "d", "e", "m"]);
    const pages = ["archive/a-z/m/index.html", "archive/a-z/m/page/2.html"].map((path) =>
      Array.from(mainOf(archive.page(path)).matchAll(/articles\/article-m(\d+)\.html/g), ([, at]) =>
        Number(at),
      ),
    );
    expect(pages.map(({ length }) => length)).toEqual([200, 30]);
    expect(pages.flat()).toEqual(Array.from({ length: 230 }, (_, at) => at));
  });
});
