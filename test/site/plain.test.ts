import { describe, expect, it } from "vitest";
import { relativeHref } from "../../src/routes/site.ts";
import { createFormats } from "../../src/site/formats.ts";
import { pageCount, pageWindow, paginationOf } from "../../src/site/pagination.ts";
import { ratioClass } from "../../src/site/pictures.ts";
import { excerpt } from "../../src/site/plain-text.ts";

describe("pagination", () => {
  it.each([
    [1, 1, [1]],
    [1, 2, [1, 2]],
    [1, 9, [1, 2, null, 9]],
    [3, 9, [1, 2, 3, 4, null, 9]],
    [4, 9, [1, 2, 3, 4, 5, null, 9]],
    [5, 9, [1, null, 4, 5, 6, null, 9]],
    [9, 9, [1, null, 8, 9]],
    [2500, 5000, [1, null, 2499, 2500, 2501, null, 5000]],
  ])("offers on page %i of %i: %j", (current, last, expected) => {
    expect(pageWindow(current, last)).toEqual(expected);
  });

  it.each([
    [0, 20, 1],
    [20, 20, 1],
    [21, 20, 2],
  ])("counts %i items, %i a page → %i pages", (items, perPage, pages) => {
    expect(pageCount(items, perPage)).toBe(pages);
  });

  it("has no links where one page is enough, and none beyond the ends", () => {
    expect(paginationOf(1, 1, String)).toBeUndefined();
    expect(paginationOf(1, 2, String)).toMatchObject({ previous: null, next: "2" });
    expect(paginationOf(2, 2, String)).toMatchObject({ previous: "1", next: null });
  });
});

describe("formats", () => {
  const { bytes } = createFormats("en", "UTC");
  it.each([
    [0, "0 bytes"],
    [1, "1 byte"],
    [999, "999 bytes"],
    [1000, "1 kB"],
    [999_499, "999 kB"],
    [999_500, "1 MB"],
    [1_234_567, "1.2 MB"],
    [5e12, "5 TB"],
  ])("writes %i bytes as %s", (value, expected) => {
    expect(bytes(value)).toBe(expected);
  });

  it.each([
    ["UTC", ["2023", "12"]],
    ["Asia/Kathmandu", ["2024", "01"]],
    ["America/Anchorage", ["2023", "12"]],
  ])("puts a time at the turn of the year into its month in %s", (timezone, expected) => {
    expect(createFormats("en", timezone).yearMonth("2023-12-31T20:00:00Z")).toEqual(expected);
  });

  it("falls back to English for a language that nobody knows", () => {
    expect(createFormats("qaa", "UTC").date("2024-05-02T00:00:00Z")).toBe("2 May 2024");
  });

  it("counts months in the usual calendar, whatever the language's own", () => {
    expect(createFormats("fa", "UTC").yearMonth("2024-05-02T00:00:00Z")).toEqual(["2024", "05"]);
  });
});

describe("relativeHref", () => {
  it.each([
    ["index.html", "index.html", "index.html"],
    ["index.html", "a/b.html", "a/b.html"],
    ["a/b.html", "index.html", "../index.html"],
    ["a/b.html", "a/c.html", "c.html"],
    ["a/b/c.html", "a/d/e.html", "../d/e.html"],
    ["ab/c.html", "a/c.html", "../a/c.html"],
    ["a/b/c/d.html", "a/b.html", "../../b.html"],
    ["tags/x/page/2.html", "tags/x/index.html", "../index.html"],
  ])("leads from %s to %s by %s", (from, to, expected) => {
    expect(relativeHref(from, to)).toBe(expected);
  });
});

it.each([
  [1600, 900, "r18"],
  [100, 1000, "r5"],
  [9000, 100, "r30"],
  [0, 0, "r15"],
])("ratioClass names the proportions of %i × %i: %s", (width, height, expected) => {
  expect(ratioClass(width, height)).toBe(expected);
});

it("excerpt ends at a word", () => {
  expect(excerpt("one  two\nthree", 9)).toBe("one two…");
  expect(excerpt("short")).toBe("short");
});
