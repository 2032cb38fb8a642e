import { describe, expect, it } from "vitest";
import { compareJson } from "../../src/compare/answers.ts";
import { cutOriginText, mirrorUrls } from "../../src/compare/references.ts";

const hosts = {
  base: new URL("http://origin.test/api"),
  isRequest: (url: string) => url.startsWith("http://origin.test/api/"),
  clean: (text: string) => text,
};
const compare = (origin: unknown, mirror: unknown) =>
  compareJson(
    origin,
    mirror,
    (text) => cutOriginText(text, hosts),
    mirrorUrls(["http://mirror.test"]),
  );

describe("compareJson", () => {
  it.each([
    [
      { a: 1, b: [true, null] },
      { b: [true, null], a: 1 },
    ],
    [{ url: "http://origin.test/api/x" }, { url: "./x.json" }],
    [JSON.parse('{"__proto__":{"x":1},"10":2}'), JSON.parse('{"10":2,"__proto__":{"x":1}}')],
    [0, -0],
  ])("%j equals %j", (origin, mirror) => {
    expect(compare(origin, mirror).count).toBe(0);
  });

  it.each([
    [{ a: { b: [1] } }, { a: { b: [2] } }, "a.b[0]", "1", "2"],
    [{ a: 1 }, {}, "a", "1", "nothing"],
    [{}, { "a b": 1 }, "a b", "nothing", "1"],
    [{ a: [1, 2] }, { a: [1] }, "a.length", "2", "1"],
    [{ a: "x" }, { a: null }, "a", '"x"', "null"],
    [[1], { 0: 1 }, "", "[1]", '{"0":1}'],
    [{ a: "1" }, { a: 1 }, "a", '"1"', "1"],
    [
      { links: { web: "http://origin.test/api/1.jpg?expires=1&signature=secret" } },
      { links: { web: null } },
      "links.web",
      '"http://origin.test/api/1.jpg"',
      "null",
    ],
    [JSON.parse('{"__proto__":1}'), {}, "__proto__", "1", "nothing"],
  ])("%j and %j differ at %s", (origin, mirror, path, ofOrigin, ofMirror) => {
    expect(compare(origin, mirror)).toMatchObject({
      count: 1,
      changes: [{ path, origin: ofOrigin, mirror: ofMirror }],
    });
  });

  it("shows long texts around the first character that differs, and no more than a few places", () => {
    const text = "long ".repeat(1000);
    const { changes } = compare(`${text}a${text}`, `${text}b${text}`);
    expect(changes[0]?.origin).toMatch(/^"….*a/);
    expect(changes[0]?.mirror.length).toBeLessThan(250);
    const many = compare(Array(500).fill(1), Array(500).fill(2));
    expect(many.count).toBe(500);
    expect(many.changes.length).toBeLessThan(20);
  });
});
