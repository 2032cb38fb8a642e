import { describe, expect, it } from "vitest";
import {
  oldPathOf,
  parseRedirects,
  redirectOf,
  redirectsText,
} from "../../src/routes/redirects.ts";

describe("oldPathOf", () => {
  it.each([
    ["https://news.example.org/2024/05/caf%C3%A9/", "/2024/05/café"],
    ["https://news.example.org/2024/05/café#top", "/2024/05/café"],
    ["http://other.example:8080/a", "/a"],
    ["https://news.example.org/", undefined],
    ["https://news.example.org/?p=12", undefined],
    ["https://news.example.org/index.php?id=5", undefined],
    ["https://news.example.org/a%2Fb", undefined],
    ["https://news.example.org/a//b", undefined],
    ["https://news.example.org/a%00b", undefined],
    ["https://news.example.org/a%0d%0aSet-Cookie:x", undefined],
    ["https://news.example.org/{$HOME}/%7Bpath%7D", undefined],
    ["https://news.example.org/%E0%A4%A", "/%E0%A4%A"],
    ["https://news.example.org/a/../../b", "/b"],
    [`https://news.example.org/${"x".repeat(1_000)}`, undefined],
    ["javascript:alert(1)", undefined],
    ["/relative", undefined],
    ["", undefined],
  ])("%s → %s", (view, path) => {
    expect(oldPathOf(view)).toBe(path);
  });
});

describe("redirectsText", () => {
  it("gives a path to the first of its pages, in an order that does not depend on theirs", () => {
    const pages: [string, string][] = [
      ["https://b.example/B", "articles/b.html"],
      ["https://a.example/a", "articles/a.html"],
      ["https://other.example/b/", "articles/late.html"],
      ["https://a.example/__proto__", "articles/proto.html"],
    ];
    const redirects = parseRedirects(redirectsText(pages));
    expect([...redirects]).toEqual([
      ["/B", "articles/b.html"],
      ["/__proto__", "articles/proto.html"],
      ["/a", "articles/a.html"],
    ]);
    expect(redirectOf(redirects, "/a/")).toBe("articles/a.html");
    expect(redirectOf(redirects, "/A")).toBeUndefined();
    expect(parseRedirects(redirectsText([])).size).toBe(0);
  });
});
