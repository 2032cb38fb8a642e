import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  atMost,
  firstOf,
  listOfTags,
  literal,
  needlesslyEscaped,
  roundedUpTo,
  spelled,
} from "../../src/hosts/patterns.ts";
import { parseQuery } from "../../src/routes/query.ts";

const whole = (pattern: string): RegExp => new RegExp(`^(?:${pattern})$`);
const limits = fc.oneof(fc.integer({ min: 1, max: 12 }), fc.integer({ min: 1, max: 99_999 }));

describe("numbers", () => {
  const decimal = fc
    .tuple(fc.integer({ min: 0, max: 99_999 }), fc.integer({ min: 0, max: 9_999 }), fc.nat(2))
    .map(([number, decimals, zeros]) => {
      const fraction = decimals === 0 ? "" : `.${String(decimals).padStart(4, "0")}`;
      return "0".repeat(zeros) + number + fraction.slice(0, 2 + zeros);
    })
    .filter((text) => Number(text) > 0);

  it("are told apart by what they round to", () => {
    fc.assert(
      fc.property(
        limits,
        decimal,
        fc.constantFrom("", ".4", ".4999", ".5", ".0"),
        (limit, text, end) => {
          for (const tried of [text, `${limit}${end}`, `${limit - 1}.5`, `0${limit + 1}`]) {
            const rounded = Math.max(1, Math.round(Number(tried)));
            expect(whole(roundedUpTo(limit)).test(tried), `${tried}, ${limit}`).toBe(
              rounded <= limit,
            );
          }
        },
      ),
    );
  });

  it("are compared with a limit that has decimals", () => {
    const limit = fc.tuple(limits, fc.constantFrom("", ".5", ".25", ".0625", ".1"));
    fc.assert(
      fc.property(
        limit,
        decimal,
        fc.constantFrom("", ".5", ".2", ".2501", ".1"),
        ([most, part], text, end) => {
          const number = Number(`${most}${part}`);
          for (const tried of [text, `${most}${end}`, String(number)]) {
            expect(whole(atMost(number)).test(tried), `${tried}, ${number}`).toBe(
              Number(tried) <= number,
            );
          }
        },
      ),
    );
  });
});

describe("values in a query", () => {
  /** Some way to write a text, of all that mean it. */
  const written = (text: string, seed: number): string =>
    [...Buffer.from(text)]
      .map((byte, at) => {
        const char = String.fromCharCode(byte);
        const hex = byte.toString(16).padStart(2, "0");
        const choice = (seed >> (at % 15)) & 3;
        if (/[A-Za-z0-9._~!*'(),:@/-]/.test(char) && choice > 1) return char;
        if (char === " " && choice > 1) return "+";
        return `%${choice % 2 === 0 ? hex : hex.toUpperCase()}`;
      })
      .join("");
  const texts = fc.string({ unit: "binary", minLength: 1, maxLength: 12 }).filter(isWellFormed);

  it("are found in every way to write them", () => {
    fc.assert(
      fc.property(texts, fc.nat(), (text, seed) => {
        const form = written(text, seed);
        expect(parseQuery(`x=${form}`).get("x")).toBe(text);
        expect(form).toMatch(whole(spelled(text)));
      }),
    );
  });

  it("are found nowhere else", () => {
    fc.assert(
      fc.property(texts, texts, fc.nat(), (text, other, seed) => {
        fc.pre(text !== other);
        expect(written(other, seed)).not.toMatch(whole(spelled(text)));
      }),
    );
  });

  it("are those of the first parameter with a name", () => {
    const part = fc
      .tuple(
        fc.constantFrom("a", "ab", "A", "", "a[]", "b"),
        fc.constantFrom("", "=", "=1", "=2", "=a=b"),
      )
      .map((pair) => pair.join(""));
    fc.assert(
      fc.property(
        fc.array(part, { maxLength: 6 }),
        fc.constantFrom("a", "ab", "a[]"),
        (parts, name) => {
          const [, value] = new RegExp(firstOf(name)).exec(parts.join("&")) ?? [];
          expect(value ?? "").toBe(parseQuery(parts.join("&")).get(name) ?? "");
        },
      ),
    );
  });

  it.each([
    ["%61", true],
    ["a%2Db", true],
    ["%41BC", true],
    ["abc", false],
    ["a%C3%A9", false],
    ["%2c", false],
    ["", false],
  ])("%s is escaped without need: %s", (text, expected) => {
    expect(whole(needlesslyEscaped).test(text)).toBe(expected);
  });
});

describe("texts", () => {
  it("match themselves only", () => {
    const text = fc.string({ maxLength: 10 });
    fc.assert(
      fc.property(text, text, (own, other) => {
        expect(own).toMatch(whole(literal(own)));
        expect(whole(literal(own)).test(other)).toBe(own === other);
      }),
    );
  });
});

describe("lists of tags", () => {
  const tag = fc.constantFrom("a", "b", "ab", "c", "%C3%A9");
  const separators = fc.constantFrom(",", "%2C", "%2c", ",,", ",%2C");

  it("are told by how many they have", () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(tag, separators), { maxLength: 7 }),
        fc.boolean(),
        (pairs, ends) => {
          const text =
            (ends ? "," : "") +
            pairs
              .flat()
              .slice(0, ends ? undefined : -1)
              .join("");
          const tags = pairs.map(([name]) => name);
          for (const count of [0, 1, 2, 3]) {
            const found = new RegExp(listOfTags(count)).exec(text)?.slice(1);
            expect(found).toEqual(tags.length === count ? tags : undefined);
          }
        },
      ),
    );
  });
});

function isWellFormed(text: string): boolean {
  return !/[\ud800-\udfff]/.test(text.replace(/[\ud800-\udbff][\udc00-\udfff]/g, ""));
}
