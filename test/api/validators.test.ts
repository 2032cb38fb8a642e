import { describe, expect, it } from "vitest";
import { conditionsOf, type Validators, validatorsOf } from "../../src/api/validators.ts";

const modified = "Thu, 02 May 2024 10:00:00 GMT";

describe("validatorsOf", () => {
  it.each<[Record<string, string>, Validators | undefined]>([
    [{}, undefined],
    [{ etag: '"5ec2"' }, { etag: '"5ec2"' }],
    [{ etag: 'W/"5ec2"' }, { etag: 'W/"5ec2"' }],
    [{ etag: '""' }, { etag: '""' }],
    [{ "last-modified": modified }, { lastModified: modified }],
    [
      { etag: '"a"', "last-modified": modified },
      { etag: '"a"', lastModified: modified },
    ],
    // These would match more than one answer.
    [{ etag: "*" }, undefined],
    [{ etag: '"a", "b"' }, undefined],
    [{ etag: "5ec2" }, undefined],
    [{ etag: "" }, undefined],
    [{ etag: `"${"x".repeat(1022)}"` }, { etag: `"${"x".repeat(1022)}"` }],
    [{ etag: `"${"x".repeat(1023)}"` }, undefined],
    [{ etag: '"\u0007"' }, undefined],
    [{ etag: '"ü"' }, undefined],
    [{ etag: '"expires=1714650000&signature=f00d"' }, undefined],
    [{ "last-modified": "yesterday" }, undefined],
    [{ "last-modified": `${modified}${" ".repeat(1024)}` }, undefined],
    [
      { "last-modified": modified, date: "Thu, 02 May 2024 10:00:01 GMT" },
      { lastModified: modified },
    ],
    // Another change in the same second would look the same.
    [{ "last-modified": modified, date: modified }, undefined],
    [{ etag: '"a"', "last-modified": modified, date: modified }, { etag: '"a"' }],
  ])("%j → %j", (headers, expected) => {
    expect(validatorsOf(headers, (text) => text)).toEqual(expected);
  });

  it("leaves away what holds something that must not be kept", () => {
    const clean = (text: string): string => text.replace("secret", "");
    expect(validatorsOf({ etag: '"secret"', "last-modified": modified }, clean)).toEqual({
      lastModified: modified,
    });
  });
});

describe("conditionsOf", () => {
  it.each<[Validators, object]>([
    [{}, {}],
    [{ etag: '"a"' }, { "if-none-match": '"a"' }],
    [{ lastModified: modified }, { "if-modified-since": modified }],
    [
      { etag: '"a"', lastModified: modified },
      { "if-none-match": '"a"', "if-modified-since": modified },
    ],
  ])("%j → %j", (validators, expected) => {
    expect(conditionsOf(validators)).toEqual(expected);
  });
});
