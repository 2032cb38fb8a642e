import { describe, expect, it } from "vitest";
import { foldedPath } from "../../src/routes/readable.ts";

describe("foldedPath", () => {
  it.each([
    ["ΟΔΟΣ/α", "οδος/Α"],
    ["οδοσ", "οδος"],
    ["Straße", "STRASSE"],
    ["caf\u00e9", "cafe\u0301"],
    ["\u212a", "k"],
    ["ｶ", "カ"],
    ["\u1e9e", "ss"],
  ])("is one for %s and %s", (one, other) => {
    expect(foldedPath(one)).toBe(foldedPath(other));
  });

  it.each([
    ["灯", "塔"],
    ["e", "é"],
    ["a-b", "a_b"],
  ])("is another for %s and %s", (one, other) => {
    expect(foldedPath(one)).not.toBe(foldedPath(other));
  });
});
