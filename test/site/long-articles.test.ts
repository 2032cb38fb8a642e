import { describe, expect, it } from "vitest";
import { partOf } from "../../src/site/series.ts";
import { type ArticleInput, closedArchives } from "./fixture.ts";

const archiveOf = closedArchives();

describe("the part that a title names", () => {
  it.each([
    ["Modernizing Federal IT Part 5: Software", ["modernizingfederalit", 5]],
    ["Progressive Apps, Part 2: Pros and Cons", ["progressiveapps", 2]],
    ["A case study (Part 2)", ["acasestudy", 2]],
    ["What is a “Customer Centric” Culture – Part II", ["whatisacustomercentricculture", 2]],
    ["Der Hafen, Teil 3", ["derhafen", 3]],
    ["الميناء: الجزء ٢", ["الميناء", 2]],
    ["Part 2", undefined],
    ["Apart 2 go", undefined],
    ["A part of 5 things", undefined],
    ["Counterpart 7", undefined],
    ["Part-time 3", undefined],
  ])("%s", (title, expected) => {
    const found = partOf(title);
    expect(found && [found.name, found.part]).toEqual(expected);
  });
});

describe("an article of a series", () => {
  const titles = ["The light", "The light, Part 3: Oil", "The light, Part 2", "Another, Part 1"];
  const articles = titles.map(
    (title, at): ArticleInput => ({ id: `a${at}`, slug: `a${at}`, title }),
  );
  const lines = (id: string): string[] => {
    const html = archiveOf({ articles }).page(`articles/${id}.html`);
    const found = html.matchAll(/<p class="(?:text )?series.*?<\/p>/gs);
    return Array.from(found, ([line]) =>
      line
        .replace(/<[^>]+>/g, " ")
        .replace(/\s+/g, " ")
        .trim(),
    );
  };

  it("says its part, and leads to those beside it", () => {
    expect(lines("a0")).toEqual([
      "Part 1 of 3 Next part: The light, Part 2",
      "Next part: The light, Part 2",
    ]);
    expect(lines("a2")).toEqual([
      "Part 2 of 3 Previous part: The light Next part: The light, Part 3: Oil",
      "Next part: The light, Part 3: Oil",
    ]);
    expect(lines("a1")).toEqual(["Part 3 of 3 Previous part: The light, Part 2"]);
    expect(lines("a3")).toEqual([]);
  });
});

describe("an article that others link to", () => {
  const articles: ArticleInput[] = [
    {
      id: "new",
      slug: "new",
      title: "New",
      body: '<p><a href="old">x</a> <a href="new">me</a></p>',
    },
    { id: "old", slug: "old", title: "Old", body: "<p>Nothing</p>" },
    {
      id: "last",
      slug: "last",
      title: "Last",
      body: '<p><a href="/view/articles/old#part">x</a></p>',
    },
  ].map((one) => ({
    ...one,
    links: { view: `https://media.example.org/view/articles/${one.slug}` },
  }));

  it("says which", () => {
    const archive = archiveOf({ articles });
    const linking = (id: string): string[] => {
      const aside = /<aside class="text linking.*?<\/aside>/s.exec(
        archive.page(`articles/${id}.html`),
      );
      return Array.from(
        aside?.[0].matchAll(/<li><a[^>]*>([^<]*)/g) ?? [],
        ([, title = ""]) => title,
      );
    };
    expect(linking("old")).toEqual(["New", "Last"]);
    expect(linking("new")).toEqual([]);
  });

  it("is made again when one of them is renamed", () => {
    const before = archiveOf({ articles }).keys();
    const renamed = articles.map((one) => (one.id === "last" ? { ...one, title: "Renamed" } : one));
    const after = archiveOf({ articles: renamed }).keys();
    expect(after.get("articles/old.html")).not.toBe(before.get("articles/old.html"));
    expect(after.get("articles/new.html")).toBe(before.get("articles/new.html"));
  });
});

describe("the contents of an article", () => {
  const contentsOf = (body: string): string[] => {
    const html = archiveOf({ articles: [{ id: "a", slug: "a", body }] }).page("articles/a.html");
    const nav = /<nav class="contents alongside.*?<\/nav>/s.exec(html)?.[0] ?? "";
    return Array.from(
      nav.matchAll(/href="(#[^"]*)"[^>]*>([^<]*)/g),
      ([, href, title]) => `${title} ${href}`,
    );
  };

  it("list its headings where there are four or more", () => {
    expect(contentsOf("<h2>A</h2><h2>B</h2><h3>C</h3>")).toEqual([]);
    expect(contentsOf("<h2>A</h2><h2>B</h2><h3>C &amp; D</h3><h2>A</h2>")).toEqual([
      "A #user-content-a",
      "B #user-content-b",
      "C &amp; D #user-content-c--d",
      "A #user-content-a-1",
    ]);
  });
});
