import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type Filters,
  filterNames,
  filtersOf,
  folderOf,
  isFiltered,
  parametersOf,
} from "../../src/routes/filters.ts";
import { parseQuery } from "../../src/routes/query.ts";
import { anyFilters } from "./support.ts";

describe("filtersOf", () => {
  it.each<[string, Filters | undefined]>([
    ["", {}],
    ["?page=2&x=y&expires=1&signature=2&private=1", {}],
    ["?year=2024", { year: 2024 }],
    ["?year=0024", { year: 24 }],
    ["?year=0", { year: 0 }],
    ["?year=2024&month=5", { year: 2024, month: 5 }],
    ["?month=05&year=2024", { year: 2024, month: 5 }],
    ["?year=2024&month=13", { year: 2024, month: 13 }],
    ["?year=2024&month=", { year: 2024 }],
    ["?year=&month=5", {}],
    // A month alone is not even looked at.
    ["?month=5", {}],
    ["?month=x", {}],
    ["?year=x", undefined],
    ["?year=20240", undefined],
    ["?year=-5", undefined],
    ["?year=+5", undefined],
    ["?year=20.4", undefined],
    ["?year=2024&month=x", undefined],
    ["?year=2024&month=1e1", undefined],
    ["?year=٢٠٢٤", undefined],
    ["?category=news", { category: "news" }],
    ["?category=a,b", { category: "a,b" }],
    ["?category=A", { category: "A" }],
    ["?tags=a", { tags: ["a"] }],
    ["?tags=b,a", { tags: ["b", "a"] }],
    ["?tags=b%2Ca", { tags: ["b", "a"] }],
    ["?tags=,a,,a,b,a,", { tags: ["a", "b"] }],
    ["?tags=,", {}],
    ["?tags=%20", { tags: [" "] }],
    ["?tags=a&tags=b", { tags: ["a"] }],
    [
      "?tags=a&category=news&month=1&year=2024",
      { year: 2024, month: 1, category: "news", tags: ["a"] },
    ],
  ])("%s → %o", (query, expected) => {
    expect(filtersOf(parseQuery(query), filterNames)).toEqual(expected);
  });

  it("does not look at what an index does not know", () => {
    const query = parseQuery("?year=2024&month=5&category=news&tags=a");
    expect(filtersOf(query, ["year", "month"])).toEqual({ year: 2024, month: 5 });
    expect(filtersOf(parseQuery("?year=x"), [])).toEqual({});
  });

  it("finds the filters again in the parameters that ask for them", () => {
    fc.assert(
      fc.property(anyFilters, (filters) => {
        const query = parametersOf(filters).map(
          ([name, value]) => `${name}=${encodeURIComponent(value)}`,
        );
        expect(filtersOf(parseQuery(query.join("&")), filterNames)).toEqual(filters);
      }),
    );
  });
});

describe("folderOf", () => {
  it.each<[Filters, string]>([
    [{}, ""],
    [{ tags: [] }, ""],
    [{ year: 2024 }, "by/year/2024"],
    [{ year: 2024, month: 5 }, "by/year/2024/month/5"],
    [{ category: "news" }, "by/category/news"],
    [{ tags: ["a"] }, "by/tags/a"],
    [{ tags: ["b", "a"] }, "by/tags/b/tags/a"],
    [{ category: "Été" }, "by/category/_c3_89t_c3_a9"],
    [{ category: "../x" }, "by/category/_2e._2fx"],
    [
      { category: "by", tags: ["page", "index", "con"] },
      "by/category/_62y/tags/_70age/tags/_69ndex/tags/_63on",
    ],
    [{ tags: ["z"], category: "c", month: 12, year: 1 }, "by/year/1/month/12/category/c/tags/z"],
  ])("%o → %s", (filters, folder) => {
    expect(folderOf(filters)).toBe(folder);
  });

  it("gives different filters different folders, none of them inside another's pages", () => {
    fc.assert(
      fc.property(anyFilters, anyFilters, (a, b) => {
        const [one, other] = [folderOf(a).toLowerCase(), folderOf(b).toLowerCase()];
        if (JSON.stringify(parametersOf(a)) === JSON.stringify(parametersOf(b))) {
          expect(one).toBe(other);
        } else expect(one).not.toBe(other);
        for (const folder of [one, other])
          expect(folder).not.toMatch(/(?:^|\/)(?:page|index)(?:\/|$)/);
      }),
      { numRuns: 500 },
    );
  });
});

describe("isFiltered", () => {
  it.each<[Filters | undefined, boolean]>([
    [undefined, false],
    [{}, false],
    [{ tags: [] }, false],
    [{ year: 0 }, true],
    [{ tags: ["a"] }, true],
  ])("%o → %s", (filters, expected) => {
    expect(isFiltered(filters)).toBe(expected);
  });
});
