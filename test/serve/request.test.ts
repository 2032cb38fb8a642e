import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { acceptsGzip, isFresh, parseTarget, rangeOf } from "../../src/serve/request.ts";

describe("parseTarget", () => {
  it.each([
    ["/", "/", ""],
    ["/a/b.html?x=1&y=%2F", "/a/b.html", "?x=1&y=%2F"],
    ["/caf%C3%A9/", "/café/", ""],
    ["/a..b/...", "/a..b/...", ""],
    ["/%252e%252e/x", "/%2e%2e/x", ""],
  ])("%s → %s", (raw, path, query) => {
    expect(parseTarget(raw)).toEqual({ path, raw, query });
  });

  it.each([
    "/../x",
    "/a/../../x",
    "/a/..",
    "/./x",
    "/%2e%2e/x",
    "/..%2fx",
    "/a%5c..%5cx",
    "/a\\b",
    "/a%00",
    "/a%0d%0ab",
    "//host/x",
    "/a//b",
    "/%2Fhost",
    "/%ff",
    "/%",
    "http://host/x",
    "*",
    "",
  ])("refuses %s", (raw) => {
    expect(parseTarget(raw)).toBeUndefined();
  });

  it("gives no path with a segment that leads upwards", () => {
    const piece = fc.constantFrom(
      "..",
      ".",
      "%2e",
      "%2E.",
      "/",
      "%2f",
      "\\",
      "%5c",
      "a",
      "%00",
      "?",
      "%25",
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        const target = parseTarget(`/${pieces.join("")}`);
        for (const segment of target?.path.slice(1).split(/[/\\]/) ?? []) {
          expect([".", ".."]).not.toContain(segment);
        }
      }),
      { numRuns: 1000 },
    );
  });
});

describe("acceptsGzip", () => {
  it.each([
    [undefined, false],
    ["", false],
    ["gzip", true],
    ["br, GZIP;q=0.5", true],
    ["gzip;q=0", false],
    ["*", true],
    ["*;q=0.1, gzip;q=0", false],
    ["identity", false],
  ])("%s → %s", (header, expected) => {
    expect(acceptsGzip(header)).toBe(expected);
  });
});

const modified = Date.parse("2024-05-02T10:00:00.500Z");
const version = { etag: '"a"', modified };

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
    expect(isFresh(headers, version)).toBe(expected);
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
    expect(rangeOf(headers, 10, version)).toEqual(expected);
  });
});
