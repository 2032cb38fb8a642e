import { describe, expect, it } from "vitest";
import { filterLinksOf } from "../../src/crawl/learned.ts";
import { startBench } from "./support.ts";

describe("how filters stand in links", () => {
  const url = "https://origin.test/api/v1/articles";
  it.each([
    ["year=2024&month=5&page=1", { page: "last", comma: "%2C" }],
    ["page=1&year=2024&month=5", { page: "first", comma: "%2C" }],
    ["tags=a%2Cb&page=1", { page: "last", comma: "%2C" }],
    ["page=2&tags=a,b", { page: "first", comma: "," }],
    ["page=1", undefined],
    ["tags=a,b", undefined],
  ])("is read from a link: %s", (query, expected) => {
    const answer = { data: [], links: { first: `${url}?${query}`, next: null }, meta: {} };
    expect(filterLinksOf(answer)).toEqual(expected);
  });

  it("is unknown without links", () => {
    expect(filterLinksOf({ data: [], meta: {} })).toBeUndefined();
    expect(filterLinksOf("nothing")).toBeUndefined();
  });

  it.each([
    [true, "first"],
    [false, "last"],
  ])("is learnt when the filters are checked, another pager %s", async (otherPager, page) => {
    const bench = await startBench({ otherPager });
    const { manifest } = await bench.crawl();
    expect(manifest.learned?.filterLinks).toEqual({ page, comma: "%2C" });
    expect((await bench.crawl()).changed).toBe(false);
  });
});
