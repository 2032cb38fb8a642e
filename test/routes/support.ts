import fc from "fast-check";
import type { Filters } from "../../src/routes/filters.ts";

/** Names that a file system, a server or the layout itself could take for something else. */
export const oddNames = [
  "by",
  "none",
  "index",
  "page",
  "2",
  "by/none",
  "by/index",
  "data.json",
  "mirror",
  "404",
  "download",
  "thumb",
  "web",
  "images",
  "tags",
  "year",
  "con",
  "nul.txt",
  "A",
  "a",
  "É",
  "a b",
  "a+b",
  "a%20b",
  "100%",
  "%",
  "%2F",
  "a/b",
  "a\\b",
  "a&b=c",
  "a?b",
  "#",
  "..a",
  "a.",
  "日本語",
  "é",
  "e\u0301",
  "_",
  "__proto__",
  "x".repeat(200),
];

/** Ids and slugs: plain ones, and such as nobody should choose. */
export const anyName = fc.oneof(
  fc.uuid(),
  fc.uuid().map((id) => id.toUpperCase()),
  fc.integer({ min: 0 }).map(String),
  fc.stringMatching(/^[a-z0-9]+(?:-[a-z0-9]+)*$/),
  fc.string({ unit: "grapheme", minLength: 1 }),
  fc.constantFrom(...oddNames),
);

/** A tag's slug: commas stand between slugs. */
export const anyTag = anyName.map((name) => name.replaceAll(",", "") || "tag");

/** Filters as a query can ask for them. */
export const anyFilters: fc.Arbitrary<Filters> = fc
  .record(
    {
      time: fc.record(
        { year: fc.integer({ min: 0, max: 9999 }), month: fc.integer({ min: 0, max: 9999 }) },
        { requiredKeys: ["year"] },
      ),
      category: anyName,
      tags: fc.uniqueArray(anyTag, { minLength: 1, maxLength: 4 }),
    },
    { requiredKeys: [] },
  )
  .map(({ time = {}, ...others }) => ({ ...time, ...others }));
