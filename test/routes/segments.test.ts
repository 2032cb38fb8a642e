import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { encodeSegment } from "../../src/routes/segments.ts";

const wellFormed = fc.oneof(
  fc.string({ unit: "grapheme" }),
  fc.string({ unit: "binary" }).filter((text) => !/\p{Surrogate}/u.test(text)),
  fc.string({ unit: "grapheme", minLength: 50, maxLength: 300 }),
  fc.string({ unit: fc.constantFrom(..."aA_.-0159eE/%con") }),
  fc.uuid(),
);

describe("encodeSegment", () => {
  it.each([
    ["7f3c0000-0000-4000-8000-000000000001", "7f3c0000-0000-4000-8000-000000000001"],
    ["123", "123"],
    ["plain-slug.v2", "plain-slug.v2"],
    ["été", "_c3_a9t_c3_a9"],
    ["A", "_41"],
    ["a_b", "a_5fb"],
    ["", "_"],
    [".", "_2e"],
    ["..", "_2e_2e"],
    ["a.", "a_2e"],
    [".hidden", "_2ehidden"],
    ["con", "_63on"],
    ["nul.txt", "_6eul.txt"],
    ["lpt9", "_6cpt9"],
    ["index", "_69ndex"],
    ["page", "_70age"],
    ["by", "_62y"],
    ["console", "console"],
    ["a/../b", "a_2f.._2fb"],
    ["a b", "a_20b"],
    ["\0", "_00"],
  ])("%j → %s", (value, expected) => {
    expect(encodeSegment(value)).toBe(expected);
  });

  it("uses safe characters, no reserved names, and at most 120 bytes", () => {
    fc.assert(
      fc.property(wellFormed, (value) => {
        const segment = encodeSegment(value);
        expect(segment).toMatch(/^[A-Za-z0-9_-](?:[A-Za-z0-9._-]*[A-Za-z0-9_-])?$/);
        expect(segment).not.toMatch(/^(?:con|prn|aux|nul|com\d|lpt\d|index|page|by)(?:\.|$)/i);
        expect(segment.length).toBeLessThanOrEqual(120);
      }),
      { numRuns: 1000 },
    );
  });

  it("never gives two values names that a file system could confuse, spellings of one UUID aside", () => {
    const isUuid = (value: string): boolean =>
      /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(value);
    fc.assert(
      fc.property(wellFormed, wellFormed, (a, b) => {
        fc.pre(a !== b && !(isUuid(a) && isUuid(b)));
        expect(encodeSegment(a).toLowerCase()).not.toBe(encodeSegment(b).toLowerCase());
      }),
      { numRuns: 2000 },
    );
  });

  it.each([
    ["a".repeat(200), "a".repeat(201)],
    ["é".repeat(100), "é".repeat(101)],
    ["x".repeat(79) + "É".repeat(99), "x".repeat(79) + "é".repeat(99)],
  ])("keeps long values apart", (a, b) => {
    expect(encodeSegment(a)).not.toBe(encodeSegment(b));
  });
});
