import { describe, expect, it } from "vitest";
import { type Content, closedArchives } from "./fixture.ts";

const archiveOf = closedArchives();

/** Titles of articles in each section of the home page: "" is the front, others go by their headings. */
function sectionsOf(content: Content): Record<string, string[]> {
  const html = archiveOf(content).page("index.html");
  const main = html.slice(html.indexOf("<main"), html.indexOf('<div class="ways">'));
  const found: Record<string, string[]> = { "": [] };
  let section = "";
  const parts = main.matchAll(
    /<h2 id[^>]*>([^<]*)<\/h2>|<a href="articles\/[^"/]*"[^>]*>([^<]+)<\/a>/g,
  );
  for (const [, heading, title] of parts) {
    if (heading !== undefined) section = heading;
    if (title !== undefined && !/ articles?$/.test(title)) {
      found[section] = [...(found[section] ?? []), title];
    }
  }
  return found;
}

/** Articles of these categories, the newest first, titled "1", "2" and so on. */
function contentOf(categories: readonly string[]): Content {
  const ids = [...new Set(categories)];
  return {
    categories: ids.map((id, order) => ({ id, title: `Of ${id}`, slug: id, order })),
    articles: categories.map((id, at) => ({
      id: `${at + 1}`,
      title: `${at + 1}`,
      slug: `n${at + 1}`,
      category: { id, title: `Of ${id}` },
      published_at: `2024-01-${String(30 - at).padStart(2, "0")}T00:00:00Z`,
    })),
  };
}

describe("the home page", () => {
  it("leads with the latest article, and has two beside it and three below", () => {
    const { "": front, "Latest articles": below } = sectionsOf(contentOf("aaaaaaa".split("")));
    expect(front).toEqual(["1", "2", "3"]);
    expect(below).toEqual(["4", "5", "6"]);
  });

  it("has a section for each category with two articles or more that do not stand above", () => {
    const sections = sectionsOf(contentOf([..."ababab", ..."bbbbbaca"]));
    expect(Object.keys(sections)).toEqual(["", "Latest articles", "Of a", "Of b"]);
    expect(sections["Of a"]).toEqual(["12", "14"]);
    expect(sections["Of b"]).toEqual(["7", "8", "9", "10"]);
  });

  it("has six of them at most, in the order of the categories", () => {
    const sections = sectionsOf(contentOf([..."aaaaaa", ..."hhggffeeddccbb"]));
    expect(Object.keys(sections).slice(2)).toEqual([..."hgfedc"].map((id) => `Of ${id}`));
  });

  it("is a page for one article, too, and for none", () => {
    expect(sectionsOf(contentOf(["a"]))).toEqual({ "": ["1"] });
    expect(archiveOf({}).page("index.html")).toContain("There are no articles in this archive.");
  });

  it("says at its end what it is an archive of", () => {
    const main = /<main.*<\/main>/s.exec(archiveOf(contentOf(["a"])).page("index.html"))?.[0] ?? "";
    const text = main.replace(/<[^>]*>/g, "").trim();
    expect(text).toMatch(
      /An archive of media\.example\.org as it was on 1 June 2024: 1 article, 0 galleries, 0 images\.$/,
    );
  });
});
