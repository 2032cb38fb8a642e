import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { foldedPath } from "../../src/routes/readable.ts";
import { sitePaths } from "../../src/routes/site.ts";
import { type Viewed, viewFileOf, viewPaths } from "../../src/routes/view-paths.ts";

const root = "api/v1";
const viewed = (name: string, view: string | null, createdAt: string | null = null): Viewed => ({
  name,
  view,
  createdAt,
});

describe("viewFileOf", () => {
  it.each([
    ["/2024/05/some-title", "2024/05/some-title/index.html"],
    ["/2024/05/some-title/", "2024/05/some-title/index.html"],
    ["/2024/05/Title.html", "2024/05/Title.html"],
    ["/2024/index.html", "2024/index.html"],
    ["/release/v1.2", "release/v1.2/index.html"],
    ["/%D8%A7%D9%84%D8%A8%D8%AD%D8%B1", "البحر/index.html"],
    ["/a,b+c/~d", "a,b+c/~d/index.html"],
    ["/2024/05/some-title#top", "2024/05/some-title/index.html"],
    ["/", undefined],
    ["/?p=5", undefined],
    ["/story.php", undefined],
    ["/story.php/x", undefined],
    ["/story.htm", undefined],
    ["/story.html/", undefined],
    ["/story.php.html", undefined],
    ["/a%2F..%2Fb", undefined],
    ["/a%5Cb", undefined],
    ["/.well-known/x", undefined],
    ["/ends.", undefined],
    ["/con/x", undefined],
    ["/x/NUL.html", undefined],
    ["/a*b", undefined],
    ["/a b", undefined],
    ['/a"b', undefined],
    ["/a//b", undefined],
    ["/e%CC%81", undefined],
    [`/${"x".repeat(201)}`, undefined],
    [`/${"x/".repeat(11)}x`, undefined],
  ])("%s → %s", (path, file) => {
    expect(viewFileOf(`https://news.example${path}`)).toBe(file);
  });
});

describe("viewPaths", () => {
  const why = (pages: Viewed[]) => Object.fromEntries(viewPaths(pages, root).others);

  it("gives a path to the older of two pages, and to none where another host, or the archive, has it", () => {
    const pages = [
      viewed("articles/1", "https://a.example/2024/one", "2024"),
      viewed("articles/2", "https://a.example/2024/ONE/", "2025"),
      viewed("articles/3", "https://a.example/2024"),
      viewed("articles/4", "https://b.example/2024/two"),
      viewed("articles/5", null),
      viewed("articles/6", "https://a.example/?id=5"),
      viewed("articles/7", "https://a.example/API/x"),
      viewed("articles/8", "https://a.example/search"),
      viewed("articles/9", "https://a.example/Articles/9"),
      viewed("galleries/1", "https://a.example/index.html"),
      viewed("galleries/2", "https://a.example/2024/one/index.html/more"),
      viewed("galleries/3", "https://a.example/2024/Straße"),
    ];
    const { paths } = viewPaths(pages, root);
    expect([...paths]).toEqual([
      ["articles/1", "2024/one/index.html"],
      ["articles/3", "2024/index.html"],
      ["galleries/3", "2024/Straße/index.html"],
    ]);
    expect(why(pages)).toEqual({
      none: ["articles/5"],
      unusable: ["articles/6", "galleries/2"],
      elsewhere: ["articles/4"],
      own: ["articles/7", "articles/8", "articles/9", "galleries/1"],
      taken: ["articles/2"],
    });
  });

  it("writes each folder in one way", () => {
    const pages = [
      viewed("a", "https://a.example/News/one.html", "1"),
      viewed("b", "https://a.example/news/two.html", "2"),
      viewed("c", "https://a.example/News/two", "3"),
    ];
    expect([...viewPaths(pages, root).paths.keys()]).toEqual(["a", "c"]);
    expect(why(pages)).toEqual({ taken: ["b"] });
  });

  it("gives paths that never clash and leave no folder, whatever the views", () => {
    const segment = fc.oneof(
      fc.constantFrom("a", "A", "b.html", "index.html", "é", "e\u0301", "ß", "SS", "灯", "api"),
      fc.constantFrom("..", ".", "%2e%2e", "con", "articles", "_redirects", "search.html", "x.php"),
      fc.string({ unit: "grapheme", maxLength: 4 }),
    );
    const path = fc.array(segment, { maxLength: 4 }).map((parts) => `/${parts.join("/")}`);
    const host = fc.constantFrom("https://a.example", "https://a.example", "https://b.example");
    const view = fc.oneof(
      fc.tuple(host, path, fc.constantFrom("", "/", "#x", "?q=1")).map((parts) => parts.join("")),
      fc.constantFrom(null, "javascript:alert(1)", "/x"),
    );
    const pages = fc.uniqueArray(
      fc.record({
        name: fc.string({ minLength: 1 }),
        view,
        createdAt: fc.constantFrom(null, "1", "2"),
      }),
      { selector: ({ name }) => name, maxLength: 12 },
    );
    const own = new Set(
      [sitePaths.home, sitePaths.articles(1), sitePaths.search, "api/v1/x"].map(
        (one) => one.split("/")[0],
      ),
    );
    fc.assert(
      fc.property(pages, (some) => {
        const { paths, others } = viewPaths(some, root);
        const count = [...others.values()].reduce((sum, names) => sum + names.length, 0);
        expect(paths.size + count).toBe(some.length);
        const folded = [...paths.values()].map(foldedPath);
        expect(new Set(folded).size).toBe(folded.length);
        const folders = new Map<string, string>();
        for (const file of paths.values()) {
          expect(file).toMatch(/^(?:(?!\.)[^/\\:*?"<>|\s]{1,200}\/)*[^/]+\.html$/);
          expect(own).not.toContain(file.split("/")[0]);
          expect(file).toBe(file.normalize("NFC"));
          for (const { index } of file.matchAll(/\//g)) {
            const folder = file.slice(0, index);
            expect(folded).not.toContain(foldedPath(folder));
            expect(folders.get(foldedPath(folder)) ?? folder).toBe(folder);
            folders.set(foldedPath(folder), folder);
          }
        }
        expect(viewPaths([...some].reverse(), root).paths).toEqual(paths);
      }),
      { numRuns: 1_000 },
    );
  });
});
