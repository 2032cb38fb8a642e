import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseQuery } from "../../src/routes/query.ts";

describe("parseQuery", () => {
  it.each<[string, Record<string, string>]>([
    ["", {}],
    ["?", {}],
    ["?a=1", { a: "1" }],
    ["a=1", { a: "1" }],
    ["?a=1&b=2", { a: "1", b: "2" }],
    ["?a=b=c", { a: "b=c" }],
    ["?a=x+y%20z", { a: "x y z" }],
    ["?a=1%2B1", { a: "1+1" }],
    ["?tags=a%2Cb", { tags: "a,b" }],
    ["?a=%C3%A9", { a: "é" }],
    // The first of several counts, also where it has no value, and then there is none.
    ["?a=1&a=2", { a: "1" }],
    ["?a=&a=2", {}],
    ["?a&a=2", {}],
    ["?page=", {}],
    ["?&&a=1&", { a: "1" }],
    // Names are taken as they are written.
    ["?A=1&a=2", { A: "1", a: "2" }],
    ["?%61=1", { "%61": "1" }],
    ["?tags[]=a", { "tags[]": "a" }],
    // Broken escapes stand for themselves.
    ["?a=%", { a: "%" }],
    ["?a=%zz", { a: "%zz" }],
    ["?a=%ff", { a: "%ff" }],
    ["?a=100%+b", { a: "100% b" }],
    ["?a=1#b", { a: "1" }],
    [
      "?__proto__=1&constructor=2",
      Object.fromEntries([
        ["__proto__", "1"],
        ["constructor", "2"],
      ]),
    ],
  ])("%s → %o", (query, expected) => {
    expect(Object.fromEntries(parseQuery(query))).toEqual(expected);
  });

  it("gives back every value that was written with its escapes", () => {
    const pairs = fc.uniqueArray(
      fc.tuple(fc.stringMatching(/^[a-z_]{1,8}$/), fc.string({ unit: "grapheme", minLength: 1 })),
      { selector: ([name]) => name },
    );
    fc.assert(
      fc.property(pairs, (written) => {
        const query = written.map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
        expect([...parseQuery(`?${query.join("&")}`)]).toEqual(written);
      }),
    );
  });

  it("never throws", () => {
    fc.assert(fc.property(fc.string({ unit: "binary" }), (text) => void parseQuery(text)));
  });
});
