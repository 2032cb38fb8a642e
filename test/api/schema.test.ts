import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { z } from "zod";
import {
  describeIssues,
  readItem,
  WireArticle,
  WireCategory,
  WireEnvelope,
  WireGallery,
  WireMedia,
  WireTag,
} from "../../src/api/schema.ts";
import { utcTime } from "../../src/api/times.ts";

describe("utcTime", () => {
  it.each([
    ["2024-05-02T10:00:00Z", "2024-05-02T10:00:00.000Z"],
    ["2024-05-02T10:00:00+13:00", "2024-05-01T21:00:00.000Z"],
    ["2024-05-02T10:00:00+1300", "2024-05-01T21:00:00.000Z"],
    ["2024-05-02T10:00:00+13", "2024-05-01T21:00:00.000Z"],
    ["2024-05-02T10:00:00-03:30", "2024-05-02T13:30:00.000Z"],
    ["2024-05-02T10:00:00.5Z", "2024-05-02T10:00:00.500Z"],
    ["2024-05-02T10:00:00.05Z", "2024-05-02T10:00:00.050Z"],
    ["2024-05-02T10:00:00.000123Z", "2024-05-02T10:00:00.000Z"],
    ["2024-05-02T10:00:00.123456789+02:00", "2024-05-02T08:00:00.123Z"],
    ["2024-05-02T10:00:00.999999Z", "2024-05-02T10:00:00.999Z"],
    ["2024-05-02 10:00:00", "2024-05-02T10:00:00.000Z"],
    ["2024-05-02 10:00:00+0200", "2024-05-02T08:00:00.000Z"],
    ["2024-05-02", "2024-05-02T00:00:00.000Z"],
    ["2024-02-29T23:59:59-01:00", "2024-03-01T00:59:59.000Z"],
    ["0001-01-01T00:00:00Z", "0001-01-01T00:00:00.000Z"],
    ["", undefined],
    ["yesterday", undefined],
    ["1714644000", undefined],
    ["2024-5-2", undefined],
    ["2024-02-30", undefined],
    ["2023-02-29T00:00:00Z", undefined],
    ["2024-13-01T00:00:00Z", undefined],
    ["2024-05-02T24:00:00Z", "2024-05-03T00:00:00.000Z"],
    ["2016-12-31T23:59:60Z", "2017-01-01T00:00:00.000Z"],
    ["2024-05-02T10:00Z", "2024-05-02T10:00:00.000Z"],
    ["2024-05-02T10:00", "2024-05-02T10:00:00.000Z"],
    ["2024-05-02 10:00", "2024-05-02T10:00:00.000Z"],
    ["2024-05-02T10:00+0200", "2024-05-02T08:00:00.000Z"],
    ["2024-05-02T10:00-03:30", "2024-05-02T13:30:00.000Z"],
    ["2024-05-02T10:00:00,5Z", "2024-05-02T10:00:00.500Z"],
    ["2024-05-02T10:00:00.1234567890Z", "2024-05-02T10:00:00.123Z"],
    ["2024-05-02T10:00:00 Z", "2024-05-02T10:00:00.000Z"],
    ["2024-05-02 10:00:00 UTC", "2024-05-02T10:00:00.000Z"],
    ["2024-05-02 10:00:00 +0200", "2024-05-02T08:00:00.000Z"],
    ["2024-05-02t10:00:00z", "2024-05-02T10:00:00.000Z"],
    ["2024-05-02T24:01Z", undefined],
    ["2024-05-02T25:00:00Z", undefined],
    ["2024-05-02T10:00:61Z", undefined],
    ["2024-05-02T10Z", undefined],
    ["2024-05-02T10:00.5Z", undefined],
    ["2024-05-02T10:60:00Z", undefined],
    ["2024-05-02T10:00:00.Z", undefined],
    ["2024-05-02T10:00:00+24:00", undefined],
    ["2024-05-02T10:00:00+13:60", undefined],
    ["2024-05-02T10:00:00+1", undefined],
    ["2024-05-02+13:00", undefined],
    ["2024-05-02T10:00:00Z\n", undefined],
    ["Thu, 02 May 2024 10:00:00 GMT", undefined],
    ["+012024-05-02T10:00:00Z", undefined],
    ["0000-01-01T00:00:00+01:00", undefined],
    ["9999-12-31T23:59:59-01:00", undefined],
  ])("%j → %s", (written, expected) => {
    expect(utcTime(written)).toBe(expected);
  });

  const instant = fc.date({
    min: new Date("0001-01-02T00:00:00Z"),
    max: new Date("9999-12-30T00:00:00Z"),
    noInvalidDate: true,
  });
  const offset = fc.tuple(
    fc.constantFrom("+", "-"),
    fc.integer({ min: 0, max: 23 }),
    fc.integer({ min: 0, max: 59 }),
  );
  const two = (n: number): string => String(n).padStart(2, "0");

  it("gives the same instant in whichever zone and with however many digits it is written", () => {
    fc.assert(
      fc.property(
        instant,
        offset,
        fc.constantFrom("T", " "),
        fc.constantFrom(":", ""),
        fc.stringMatching(/^\d{0,6}$/),
        (time, [sign, hours, minutes], separator, colon, more) => {
          const ahead = (sign === "+" ? 1 : -1) * (hours * 60 + minutes) * 60_000;
          const local = new Date(time.getTime() + ahead).toISOString();
          const clock = local.slice(11, 23) + more;
          const written = `${local.slice(0, 10)}${separator}${clock}${sign}${two(hours)}${colon}${two(minutes)}`;
          expect(utcTime(written)).toBe(time.toISOString());
        },
      ),
    );
  });

  it("is the identity on its own results", () => {
    fc.assert(
      fc.property(instant, (time) => {
        expect(utcTime(time.toISOString())).toBe(time.toISOString());
      }),
    );
  });

  it("gives a full timestamp or nothing, whatever the text", () => {
    const nearly = fc.stringMatching(
      /^\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:?(\d\d)?)?)?$/,
    );
    fc.assert(
      fc.property(fc.oneof(nearly, fc.string()), (written) => {
        const time = utcTime(written);
        if (time !== undefined) expect(new Date(time).toISOString()).toBe(time);
        expect(time === undefined || time.length === 24).toBe(true);
      }),
    );
  });
});

/** What is wrong with an object, in the words of problems. */
function issuesOf(schema: z.ZodType, object: unknown): string {
  const parsed = schema.safeParse(object);
  return parsed.success ? "" : describeIssues(parsed.error);
}

describe("a wire object", () => {
  const id = "7f3c";

  it("needs no more than its id", () => {
    expect(WireArticle.parse({ id })).toEqual({
      id,
      title: "",
      slug: "",
      synopsis: "",
      published_at: null,
      created_at: null,
      category: null,
      tags: [],
      links: { view: null, thumbnail: null },
      attachments: { images: null, videos: null, documents: null, audio: null },
      rating: null,
    });
    expect(WireMedia.parse({ id: 5 })).toMatchObject({
      id: "5",
      filesize: 0,
      dimensions: null,
      meta: {},
    });
  });

  it("may write an empty array for an empty object, as PHP does", () => {
    const empty = { id, category: [], links: [], attachments: [], rating: [] };
    expect(WireArticle.parse(empty)).toEqual(WireArticle.parse({ id }));
    expect(WireMedia.parse({ id, links: [], meta: [], dimensions: [] })).toEqual(
      WireMedia.parse({ id }),
    );
  });

  it("may give a thumbnail as a text or as an object", () => {
    const thumbnailOf = (thumbnail: unknown) =>
      WireArticle.parse({ id, links: { thumbnail } }).links.thumbnail;
    expect(thumbnailOf("https://a.example/1.jpg")).toEqual({ square: "https://a.example/1.jpg" });
    expect(thumbnailOf({ square: "s" })).toEqual({ square: "s", portrait: null, landscape: null });
    expect(thumbnailOf(null)).toBeNull();
  });

  it("may write counts as texts", () => {
    expect(
      WireEnvelope.parse({ data: [], meta: { per_page: "20", total: "41", last_page: 3 } }).meta,
    ).toEqual({
      current_page: 0,
      last_page: 3,
      per_page: 20,
      total: 41,
    });
  });

  it.each([null, undefined])("has no total where an index does not count (%s)", (total) => {
    expect(WireEnvelope.parse({ data: [], meta: { total } }).meta?.total).toBeUndefined();
  });

  it("is not lost for numbers that nothing depends on", () => {
    expect(WireArticle.parse({ id, rating: { average: "good", count: -1 } }).rating).toBeNull();
    expect(WireMedia.parse({ id, filesize: "12 kB", dimensions: "1920x1080" })).toMatchObject({
      filesize: 0,
      dimensions: null,
    });
    expect(WireCategory.parse({ id, order: "first" }).order).toBe(0);
  });

  it("keeps every plain pair of an image's meta, also one called __proto__", () => {
    const meta = JSON.parse('{"__proto__":"a","iso":100,"flash":true,"gps":{"lat":1},"":"b"}');
    expect(Object.entries(WireMedia.parse({ id, meta }).meta)).toEqual([
      ["__proto__", "a"],
      ["iso", "100"],
      ["", "b"],
    ]);
  });

  it.each([WireArticle, WireGallery, WireMedia, WireCategory, WireTag])(
    "is only refused for its key (%#)",
    (schema) => {
      const key = schema === WireTag ? "slug" : "id";
      const odd = [
        null,
        true,
        0,
        -1,
        1.5,
        "",
        "odd",
        "\ud800",
        [],
        [[]],
        [null],
        {},
        { date: 1 },
        { "1": "a" },
      ];
      for (const name of Object.keys(schema.shape)) {
        if (name === key) continue;
        for (const value of odd) {
          const read = readItem(schema, { [key]: "7", [name]: value });
          expect(read.data, `${name}: ${JSON.stringify(value)}`).toMatchObject({ [key]: "7" });
          for (const inner of odd) {
            for (const member of ["view", "thumbnail", "images", "width", "id", "title", "count"]) {
              const nested = readItem(schema, { [key]: "7", [name]: { [member]: inner } });
              expect(nested.data).toMatchObject({ [key]: "7" });
            }
          }
        }
      }
    },
  );

  // PHP: json_encode of an array whose keys have gaps; JSON_NUMERIC_CHECK, which makes numbers of texts of digits.
  it.each([
    [{ "1": "sea" }, ["sea"]],
    [{ "0": "sea", "2": "coast" }, ["sea", "coast"]],
    [
      [2024, "sea"],
      ["2024", "sea"],
    ],
    [{}, []],
  ])("may write tags as %j", (tags, expected) => {
    expect(readItem(WireArticle, { id, tags })).toEqual({
      data: expect.objectContaining({ tags: expected }),
    });
  });

  it("may write a title and a slug of digits as numbers", () => {
    const read = readItem(WireArticle, { id, title: 1984, slug: 2024 });
    expect(read.data).toMatchObject({ title: "1984", slug: "2024" });
    expect(readItem(WireTag, { slug: 2024 }).data).toMatchObject({ slug: "2024" });
  });

  // Carbon's JSON of a DateTime (timezone_type 1 to 3 of PHP), time_t, JavaScript's Date.now().
  it.each<[unknown, string | null]>([
    [
      { date: "2024-05-02 10:00:00.000000", timezone_type: 3, timezone: "UTC" },
      "2024-05-02T10:00:00.000Z",
    ],
    [
      { date: "2024-05-02 12:00:00.000000", timezone_type: 1, timezone: "+02:00" },
      "2024-05-02T10:00:00.000Z",
    ],
    [
      { date: "2024-05-02 12:00:00.000000", timezone_type: 3, timezone: "Europe/Vienna" },
      "2024-05-02T10:00:00.000Z",
    ],
    [
      { date: "2024-12-02 11:00:00.000000", timezone_type: 3, timezone: "Europe/Vienna" },
      "2024-12-02T10:00:00.000Z",
    ],
    [{ date: "2024-05-02 10:00:00", timezone: "Nowhere/Land" }, null],
    [1714644000, "2024-05-02T10:00:00.000Z"],
    ["1714644000", "2024-05-02T10:00:00.000Z"],
    [1714644000000, "2024-05-02T10:00:00.000Z"],
    [1714644000.5, "2024-05-02T10:00:00.500Z"],
    [0, null],
    ["0000-00-00 00:00:00", null],
    ["-0001-11-30T00:00:00.000000Z", null],
    [1e300, null],
    [false, null],
  ])("may write a time as %j", (written, expected) => {
    expect(readItem(WireArticle, { id, created_at: written }).data?.created_at).toBe(expected);
  });

  it.each<[z.ZodType, unknown, string]>([
    [WireArticle, {}, "id: expected an id"],
    [WireArticle, { id: ".." }, "id: expected an id that can stand in an address"],
    [WireMedia, { id: "." }, "id: expected an id that can stand in an address"],
    [WireMedia, { id: "a\udc00" }, "id: expected an id of whole characters"],
    [WireTag, { slug: "\ud800" }, "slug: expected a slug of whole characters"],
    [WireArticle, { id: "" }, "id: expected a non-empty id"],
    [WireArticle, 5, "(object): expected object, received number"],
    [WireArticle, { id, links: { view: 5 } }, "links.view: expected string, received number"],
    [
      WireArticle,
      { id, links: { thumbnail: 5 } },
      "links.thumbnail: expected a URL or an object of URLs",
    ],
    [WireArticle, { id, tags: ["a", { slug: "b" }] }, "tags[1]: expected string, received object"],
    [WireArticle, { id, published_at: "02/05/2024" }, "published_at: expected an ISO 8601 time"],
    [WireArticle, { id, attachments: { images: -1 } }, "attachments.images: expected a count"],
    [WireArticle, { id, title: 5, slug: [] }, "slug: expected string, received array"],
    [WireTag, { slug: "" }, "slug: expected a non-empty slug"],
    [WireEnvelope, { data: {} }, "data: expected array, received object"],
    [WireEnvelope, { data: { id: "1" } }, "data: expected array, received object"],
    [WireEnvelope, { data: [], meta: { total: "many" } }, "meta.total: expected a count"],
  ])("is refused with the JSON path of what is wrong (%#)", (schema, object, expected) => {
    expect(issuesOf(schema, object)).toBe(expected);
  });
});
