import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { refusalOf } from "../../src/serve/asked.ts";
import { isFresh, rangeOf } from "../../src/serve/content.ts";

describe("refusalOf", () => {
  it.each(["/", "/a/b.html?x=1&y=%2F/../", "/caf%C3%A9/", "/a..b/...", "/%252e%252e/x", "/a?//"])(
    "lets %s pass",
    (target) => {
      expect(refusalOf(target)).toBeUndefined();
    },
  );

  it.each([
    [400, "/../x"],
    [400, "/a/../../x"],
    [400, "/a/.."],
    [400, "/./x"],
    [400, "/%2e%2E/x"],
    [400, "/.%2e/x"],
    [400, "/a%5c..%5cx"],
    [400, "/a\\b"],
    [400, "/a%00"],
    [400, "/%"],
    [400, "http://host/x"],
    [400, "*"],
    [400, ""],
    [404, "/..%2fx"],
    [404, "//host/x"],
    [404, "/a//b"],
    [404, "/%2Fhost"],
  ])("refuses with %i %s", (status, target) => {
    expect(refusalOf(target)).toBe(status);
  });

  it("refuses with 414 what is longer than 8,000 characters", () => {
    expect(refusalOf(`/?${"a".repeat(7_998)}`)).toBeUndefined();
    expect(refusalOf(`/?${"a".repeat(7_999)}`)).toBe(414);
  });

  it("lets no path pass with a segment that leads upwards", () => {
    const piece = fc.constantFrom(..."..,.,%2e,%2E.,/,%2f,\\,%5c,a,%00,?,%25".split(","));
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        const target = `/${pieces.join("")}`;
        if (refusalOf(target) !== undefined) return;
        const path = decodeURIComponent(target.split("?")[0] as string);
        for (const segment of path.slice(1).split(/[/\\]/)) {
          expect([".", ".."]).not.toContain(segment);
        }
      }),
      { numRuns: 1000 },
    );
  });
});

const modified = Date.parse("2024-05-02T10:00:00.500Z");
const version = { etag: "a", modified };

describe("isFresh", () => {
  it.each([
    [{}, false],
    [{ "if-none-match": '"a"' }, true],
    [{ "if-none-match": '"b", W/"a"' }, true],
    [{ "if-none-match": "*" }, true],
    [{ "if-none-match": '"b"', "if-modified-since": "Thu, 02 May 2024 10:00:00 GMT" }, false],
    [{ "if-modified-since": "Thu, 02 May 2024 10:00:00 GMT" }, true],
    [{ "if-modified-since": "Thu, 02 May 2024 09:59:59 GMT" }, false],
    [{ "if-modified-since": "yesterday" }, false],
  ])("%o → %s", (headers, expected) => {
    expect(isFresh(new Headers(headers as Record<string, string>), version)).toBe(expected);
  });
});

describe("rangeOf", () => {
  it.each([
    [{}, undefined],
    [{ range: "bytes=0-" }, { start: 0, end: 9 }],
    [{ range: "bytes=3-4" }, { start: 3, end: 4 }],
    [{ range: "bytes=3-99" }, { start: 3, end: 9 }],
    [{ range: "bytes=-2" }, { start: 8, end: 9 }],
    [{ range: "bytes=-99" }, { start: 0, end: 9 }],
    [{ range: "bytes=10-" }, "unsatisfiable"],
    [{ range: "bytes=-0" }, "unsatisfiable"],
    [{ range: "bytes=4-3" }, undefined],
    [{ range: "bytes=-" }, undefined],
    [{ range: "bytes=0-1,3-4" }, undefined],
    [{ range: "pages=1-2" }, undefined],
    [
      { range: "bytes=0-1", "if-range": '"a"' },
      { start: 0, end: 1 },
    ],
    [{ range: "bytes=0-1", "if-range": '"b"' }, undefined],
    [
      { range: "bytes=0-1", "if-range": "Thu, 02 May 2024 10:00:00 GMT" },
      { start: 0, end: 1 },
    ],
    [{ range: "bytes=0-1", "if-range": "Thu, 02 May 2024 10:00:01 GMT" }, undefined],
  ])("%o of 10 bytes → %o", (headers, expected) => {
    expect(rangeOf(new Headers(headers as Record<string, string>), 10, version)).toEqual(expected);
  });
});
