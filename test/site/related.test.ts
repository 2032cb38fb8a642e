import { describe, expect, it } from "vitest";
import { type ArticleInput, closedArchives } from "./fixture.ts";

const archiveOf = closedArchives();

const tags = ["sea", "salt", "ships"].map((slug) => ({ slug, title: slug }));
const categories = [{ id: "c", title: "Coast", slug: "coast" }];
const article = (id: string, own: string[], category: string | null = null): ArticleInput => ({
  id,
  title: `Title ${id}`,
  slug: id,
  tags: own,
  category: category === null ? null : { id: category, title: "Coast" },
});

/** Titles of the related articles of one. */
function relatedOf(articles: ArticleInput[], id: string): string[] {
  const html = archiveOf({ tags, categories, articles }).page(`articles/${id}.html`);
  const aside = /<aside class="wrap related".*?<\/aside>/s.exec(html)?.[0] ?? "";
  return Array.from(aside.matchAll(/<h3[^>]*><a [^>]*>Title ([^<]*)</g), ([, title = ""]) => title);
}

describe("related articles", () => {
  it("are those with most in common", () => {
    const articles = [
      article("a", ["sea", "salt"], "c"),
      article("one", [], "c"),
      article("two", ["sea"]),
      article("three", ["salt", "sea"]),
      article("other", ["ships"]),
      article("both", ["sea"], "c"),
    ];
    expect(relatedOf(articles, "a")).toEqual(["three", "both", "one"]);
    expect(relatedOf(articles, "one")).toEqual(["both", "a"]);
    expect(relatedOf(articles, "other")).toEqual([]);
  });

  it("are the nearest ones, older and newer alike", () => {
    const articles = ["1", "2", "3", "4", "5", "6"].map((id) => article(id, ["sea"]));
    expect(relatedOf(articles, "1")).toEqual(["2", "3", "4"]);
    expect(relatedOf(articles, "4")).toEqual(["5", "3", "6"]);
  });

  it("count a rare tag more than one that many have", () => {
    const many = Array.from({ length: 12 }, (_, at) => article(`many${at}`, ["sea"]));
    const articles = [article("a", ["sea", "ships"]), ...many, article("rare", ["ships"])];
    expect(relatedOf(articles, "a")[0]).toBe("rare");
  });

  it("change few pages when an article comes, and each page whose list changes", () => {
    const articles = Array.from({ length: 40 }, (_, at) => article(`${at}`, ["sea"]));
    const before = archiveOf({ tags, categories, articles }).keys();
    const after = archiveOf({ tags, categories, articles: [article("new", ["sea"]), ...articles] });
    const changed = [...after.keys()].filter(
      ([path, key]) => /^articles\/\w+\.html$/.test(path) && before.get(path) !== key,
    );
    expect(changed.map(([path]) => path).sort()).toEqual([
      "articles/0.html",
      "articles/index.html",
      "articles/new.html",
    ]);
    const renamed = articles.map((one) => (one.id === "20" ? { ...one, title: "Renamed" } : one));
    const then = archiveOf({ tags, categories, articles: renamed }).keys();
    const rebuilt = [...then].filter(([path, key]) => before.get(path) !== key);
    const pages = rebuilt.map(([path]) => path);
    for (const id of [18, 19, 20, 21]) expect(pages).toContain(`articles/${id}.html`);
    expect(pages).not.toContain("articles/17.html");
    expect(pages).not.toContain("articles/23.html");
  });
});
