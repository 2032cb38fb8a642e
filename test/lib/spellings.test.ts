import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createTokenFinder, isFindable } from "../../src/lib/spellings.ts";
import { spelled, tokens } from "../support/spelled.ts";

const token = "17|aB3/dE+fGh=iJkLmNoPqRsTuVwXyZ";
const finder = createTokenFinder(token);

describe("a token finder", () => {
  it.each(Object.entries(spelled(token)))("cuts a token out that is written %s", (_, written) => {
    const text = `before ${written} behind`;
    const clean = finder.without(text);
    expect(clean).toMatch(/^before .*\[token\].* behind$/);
    expect(clean.length).toBeLessThanOrEqual("before Bearer user: [token] behind".length + 12);
    expect(finder.names(clean)).toBe(false);
  });

  it.each([
    ["another token", token.replace("a", "b")],
    ["the first half of it", token.slice(0, 16)],
    ["it in other letters", token.toUpperCase()],
    ["something else in base64", Buffer.from(`x ${token.slice(0, 16)}`).toString("base64")],
    ["entities of other signs", "&quot;&eacute;&#8211;&#39; &amp;amp; &#0; %zz %25 \\u00e9 \\"],
    ["nothing", ""],
  ])("leaves %s as it is", (_, text) => {
    expect(finder.without(text)).toBe(text);
  });

  it.each([
    ["user", false],
    ["", false],
    ["seven-c", false],
    ["1234567890", false],
    ["1.5e+300", false],
    ["12345678", false],
    ["abcdefgh", true],
    ["1234567890123456", true],
  ])("looks for %j: %s", (short, expected) => {
    expect(isFindable(short)).toBe(expected);
    expect(createTokenFinder(short).without(`a ${short} b`)).toBe(
      expected ? "a [token] b" : `a ${short} b`,
    );
  });

  it("overlooks no spelling in its quick look, whatever stands around it", () => {
    const around = fc.string({
      unit: fc.constantFrom("%", "&", "\\", "25", "amp;", "u00", "x", "#", "é", " ", "=", "a"),
      maxLength: 8,
    });
    fc.assert(
      fc.property(tokens, around, around, fc.nat(), (any, before, behind, seed) => {
        const { without, names, mayName, placesIn } = createTokenFinder(any);
        const ways = Object.values(spelled(any, seed));
        const written = ways[seed % ways.length] as string;
        const text = `${before} ${written} ${behind}`;
        expect(mayName(text)).toBe(true);
        expect(names(text)).toBe(true);
        expect(placesIn(text).length).toBeGreaterThan(0);
        expect(names(without(text))).toBe(false);
      }),
      { numRuns: 1000 },
    );
  });

  it("takes time in proportion to the text", () => {
    const started = performance.now();
    for (const piece of ["%", "%25", "&amp;", "&#", "\\", "\\\\n", "&#0", "%2541", "aB3dE4"]) {
      finder.without(`%41${piece.repeat(100_000)}`);
    }
    expect(performance.now() - started).toBeLessThan(4_000);
  });
});
