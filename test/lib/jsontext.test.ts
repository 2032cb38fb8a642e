import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { elementsOf, mapMembers, membersOf, rewriteJson } from "../../src/lib/jsontext.ts";

const same = (value: string): string => value;
/** JSON values with strings that end in backslashes and hold quotes and brackets. */
const tricky = fc.oneof(
  fc.jsonValue(),
  fc.array(
    fc.string({ unit: fc.constantFrom("\\", '"', "{", "}", "[", "]", ",", ":", "é", "\n") }),
  ),
  fc.dictionary(fc.string({ unit: fc.constantFrom("\\", '"', "a", ":") }), fc.jsonValue()),
);
const written = fc.tuple(tricky, fc.constantFrom(0, 1, "\t")).map(([value, space]) => {
  return JSON.stringify(value, null, space);
});

describe("rewriteJson", () => {
  it("means the same, and has no white space, when nothing is replaced", () => {
    fc.assert(
      fc.property(written, (text) => {
        const out = rewriteJson(text, same);
        expect(JSON.parse(out)).toEqual(JSON.parse(text));
        expect(out).toBe(JSON.stringify(JSON.parse(text)));
      }),
      { numRuns: 500 },
    );
  });

  it("replaces every string value once, and no member's name", () => {
    fc.assert(
      fc.property(written, (text) => {
        const seen: string[] = [];
        const out = rewriteJson(text, (value) => {
          seen.push(value);
          return `<${value}>`;
        });
        const strings: string[] = [];
        const expected = JSON.parse(text, (_, value) => {
          if (typeof value === "string") strings.push(value);
          return typeof value === "string" ? `<${value}>` : value;
        });
        expect(JSON.parse(out)).toEqual(expected);
        expect([...seen].sort()).toEqual([...strings].sort());
      }),
      { numRuns: 500 },
    );
  });

  it.each([
    ['{ "b" : 4.50, "a" : "x" }', '{"b":4.50,"a":"y"}'],
    ['{"x":"\\u00e9\\/","n":12345678901234567890}', '{"x":"\\u00e9\\/","n":12345678901234567890}'],
    ['{"__proto__":"x","2":1,"1":2}', '{"__proto__":"y","2":1,"1":2}'],
    ['"x"', '"y"'],
    ['{"x" : "x"}', '{"x":"y"}'],
    ["[1E5, -0, true]", "[1E5,-0,true]"],
  ])("keeps what is written: %s → %s", (text, expected) => {
    expect(rewriteJson(text, (value) => (value === "x" ? "y" : value))).toBe(expected);
  });

  it("writes null where it is told to", () => {
    expect(rewriteJson('{"x":"x","y":["x"]}', () => null)).toBe('{"x":null,"y":[null]}');
  });
});

describe("membersOf and elementsOf", () => {
  it("find what JSON.parse finds", () => {
    fc.assert(
      fc.property(written, (text) => {
        const value = JSON.parse(text) as unknown;
        if (Array.isArray(value)) {
          expect(elementsOf(text).map((element) => JSON.parse(element))).toEqual(value);
        } else if (typeof value === "object" && value !== null) {
          const members = membersOf(text);
          expect([...members.keys()].sort()).toEqual(Object.keys(value).sort());
          for (const [name, member] of members) {
            expect(JSON.parse(member)).toEqual(Object.getOwnPropertyDescriptor(value, name)?.value);
          }
        }
      }),
      { numRuns: 500 },
    );
  });

  it("take the last of two members with one name", () => {
    expect(membersOf('{"a":1,"a":2}').get("a")).toBe("2");
  });

  it.each(["1", '"a"', '["a"]', " null"])("find no members in %s", (text) => {
    expect(membersOf(text).size).toBe(0);
    expect(mapMembers(text, () => "0")).toBe(text);
  });

  it.each(["{}", "{ }", "[]", "[ ]"])("find nothing in %s", (text) => {
    expect(text.startsWith("{") ? membersOf(text).size : elementsOf(text).length).toBe(0);
  });
});

describe("mapMembers", () => {
  it("changes values alone, also where a name comes twice", () => {
    const text = ' { "b" : 1 , "a":[2],"b":{"a":3} }';
    expect(mapMembers(text, (_, value) => value)).toBe(text);
    const changed = mapMembers(text, (name, value) => `"${name} was ${value.length}"`);
    expect(changed).toBe(' { "b" : 1 , "a":"a was 3","b":"b was 7" }');
  });
});
