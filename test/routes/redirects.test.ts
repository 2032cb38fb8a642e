import { describe, expect, it } from "vitest";
import {
  oldPathOf,
  parseRedirects,
  planRedirects,
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

describe("planRedirects", () => {
  it("gives a path to the first of its pages, in an order that does not depend on theirs", () => {
    const pages: [string, string][] = [
      ["/B", "articles/b.html"],
      ["/a", "articles/旧.html"],
      ["/b", "articles/late.html"],
      ["/a", "articles/旧.html"],
      ["/__proto__", "articles/proto.html"],
    ];
    const plan = planRedirects(pages);
    expect(plan.shared).toEqual(["/B"]);
    const redirects = parseRedirects(redirectsText(plan.redirects));
    expect([...redirects]).toEqual([
      ["/B", "articles/b.html"],
      ["/__proto__", "articles/proto.html"],
      ["/a", "articles/%E6%97%A7.html"],
    ]);
    expect(redirectOf(redirects, "/a/")).toBe("articles/%E6%97%A7.html");
    expect(redirectOf(redirects, "/A")).toBeUndefined();
    expect(parseRedirects(redirectsText(planRedirects([]).redirects)).size).toBe(0);
  });
});
