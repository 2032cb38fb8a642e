import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { encodeSegment } from "../../src/routes/segments.ts";

const wellFormed = fc.oneof(
  fc.string({ unit: "grapheme" }),
  fc.string({ unit: "binary" }).filter((text) => !/\p{Surrogate}/u.test(text)),
  fc.string({ unit: "grapheme", minLength: 50, maxLength: 300 }),
  fc.string({ unit: fc.constantFrom(..."aA_.-0159eE/%con") }),
  fc.uuid(),
  fc.uuid().map((id) => id.toUpperCase()),
  fc.uuid().chain(inSomeCase),
);

/** The same text with some of its letters in upper case. */
function inSomeCase(text: string): fc.Arbitrary<string> {
  const { length } = text;
  return fc
    .array(fc.boolean(), { minLength: length, maxLength: length })
    .map((upper) => [...text].map((c, at) => (upper[at] ? c.toUpperCase() : c)).join(""));
}

describe("encodeSegment", () => {
  it.each([
    ["7f3c0000-0000-4000-8000-000000000001", "7f3c0000-0000-4000-8000-000000000001"],
    ["7F3C0000-0000-4000-8000-00000000000A", "7f3c0000-0000-4000-8000-00000000000a_u"],
    ["7F3c0000-0000-4000-8000-000000000001", "7_463c0000-0000-4000-8000-000000000001"],
    ["70000000-0000-4000-8000-000000000001", "70000000-0000-4000-8000-000000000001"],
    ["7f3c0000-0000-4000-8000-00000000000a_u", "7f3c0000-0000-4000-8000-00000000000a_5fu"],
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
    ["none.json", "none_2ejson"],
    ["a.json.", "a.json_2e"],
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
        expect(segment).toMatch(/^[a-z0-9_-](?:[a-z0-9._-]*[a-z0-9_-])?$/);
        expect(segment).not.toMatch(/^(?:con|prn|aux|nul|com\d|lpt\d|index|page|by)(?:\.|$)/i);
        expect(segment.length).toBeLessThanOrEqual(120);
      }),
      { numRuns: 1000 },
    );
  });

  it("never gives two values names that a file system could confuse", () => {
    const pairs = fc.oneof(
      fc.tuple(wellFormed, wellFormed),
      // Values that differ in the case of some letters only.
      fc.uuid().chain((id) => fc.tuple(inSomeCase(id), inSomeCase(id))),
      wellFormed.chain((value) => fc.tuple(inSomeCase(value), inSomeCase(value))),
      // A value, and what its name looks like.
      wellFormed.map((value): [string, string] => [value, encodeSegment(value)]),
      fc.uuid().map((id): [string, string] => [`${id}_u`, id.toUpperCase()]),
    );
    fc.assert(
      fc.property(pairs, ([a, b]) => {
        fc.pre(a !== b);
        expect(encodeSegment(a).toLowerCase()).not.toBe(encodeSegment(b).toLowerCase());
      }),
      { numRuns: 5000 },
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
