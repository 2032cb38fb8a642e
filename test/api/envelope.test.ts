import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  envelopeElsewhere,
  envelopeForPage,
  envelopeOf,
  withData,
  withFilters,
} from "../../src/api/envelope.ts";
import { envelope, type PageRequest } from "../../src/demo/paging.ts";

interface AnswerOptions extends Partial<PageRequest> {
  /** Write meta.per_page as a string, which the document does not allow. */
  perPageAsString?: boolean;
}

/** What the demo origin answers for one page, its items being numbers. */
function answer(page: number, total: number, options: AnswerOptions = {}): string {
  const pageSize = options.pageSize ?? 20;
  const start = (page - 1) * pageSize;
  const data = Array.from(
    { length: Math.max(0, Math.min(pageSize, total - start)) },
    (_, at) => at,
  );
  const query = new URLSearchParams(options.query);
  if (page > 1) query.set("page", String(page));
  const request = { path: "http://origin.test/api/v1/articles", pageSize, ...options, query };
  return JSON.stringify(envelope(data, total, request), (name, value) =>
    name === "per_page" && options.perPageAsString ? String(value) : value,
  );
}

const countOf = (text: string): number => JSON.parse(text).data.length;

describe("envelopeOf", () => {
  it.each([
    ['{"data":[{"id":"1"}],"meta":{"total":1}}', '{"data":[],"meta":{"total":1}}'],
    ['{ "meta" : { "n": 4.50 },\n "data" : [ 1 ] }', '{"meta":{"n":4.50},"data":[]}'],
    [
      '{"b":1,"10":"\\u00e9","data":{"a":1},"__proto__":2}',
      '{"b":1,"10":"\\u00e9","data":[],"__proto__":2}',
    ],
    ['{"meta":{}}', '{"data":[],"meta":{}}'],
    ["{}", '{"data":[]}'],
    ["[1]", '{"data":[]}'],
    ["null", '{"data":[]}'],
  ])("%s → %s", (text, expected) => {
    expect(envelopeOf(text)).toBe(expected);
  });

  it("gives the answer back when its items are put in again", () => {
    fc.assert(
      fc.property(
        fc.array(fc.jsonValue()),
        fc.dictionary(fc.string(), fc.jsonValue()),
        (data, rest) => {
          const items = data.map((item) => JSON.stringify(item));
          const text = JSON.stringify({ ...rest, data });
          expect(JSON.parse(withData(envelopeOf(text), items))).toEqual(JSON.parse(text));
        },
      ),
    );
  });
});

describe("envelopeForPage", () => {
  it("says of every page what the origin says of it, from page 1 alone", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 900 }),
        fc.integer({ min: 1, max: 25 }),
        fc.integer({ min: 1, max: 100 }),
        fc.boolean(),
        fc.boolean(),
        (total, pageSize, page, perPageAsString, filtered) => {
          const query = new URLSearchParams(filtered ? "kind=image&tags=a,b" : "");
          const options = { pageSize, perPageAsString, query };
          const there = answer(page, total, options);
          const made = envelopeForPage(envelopeOf(answer(1, total, options)), {
            page,
            perPage: pageSize,
            total,
            count: countOf(there),
          });
          expect(made).toBe(envelopeOf(there));
        },
      ),
      { numRuns: 500 },
    );
  });

  it("keeps page 1 as it is", () => {
    const model = envelopeOf(answer(1, 400));
    expect(envelopeForPage(model, { page: 1, perPage: 20, total: 400, count: 20 })).toBe(model);
  });

  it("keeps unknown members, the order of members, types, labels and escapes", () => {
    const url = (page: number): string => `http:\\/\\/o.test\\/a?x=1&page=${page}`;
    const item = (page: number, active: boolean): string =>
      `{"active":${active},"label":${page},"url":"${url(page)}","page":${page}}`;
    const text = (page: number): string => {
      const prev = page === 1 ? "null" : `"${url(1)}"`;
      const next = page === 2 ? "null" : `"${url(2)}"`;
      const items = [
        `{"url":${prev},"label":"&laquo; Previous","active":false,"page":${page === 1 ? null : 1}}`,
        item(1, page === 1),
        item(2, page === 2),
        `{"url":${next},"label":"Next &raquo;","active":false,"page":${page === 2 ? null : 2}}`,
      ];
      return (
        `{"meta":{"total":"3","to":"${page + 1}","took":4.50,"per_page":"2","path":"http://o.test/a",` +
        `"links":[${items.join(",")}],"last_page":"2","from":"${page === 1 ? 1 : 3}","current_page":"${page}"},` +
        `"links":{"self":"?","next":${next},"prev":${prev},"last":"${url(2)}","first":"${url(1)}"},"data":[]}`
      );
    };
    expect(envelopeForPage(text(1), { page: 2, perPage: 2, total: 3, count: 1 })).toBe(text(2));
  });

  it.each([
    [
      "next",
      '{"links":{"next":"/a?page=2&x=1","prev":null}}',
      '{"links":{"next":"/a?page=4&x=1","prev":"/a?page=2&x=1"}}',
    ],
    [
      "first without a page",
      '{"links":{"first":"/a","prev":null}}',
      '{"links":{"first":"/a","prev":"/a?page=2"}}',
    ],
    [
      "the path",
      '{"meta":{"path":"/a"},"links":{"prev":null}}',
      '{"meta":{"path":"/a"},"links":{"prev":"/a?page=2"}}',
    ],
    [
      "page[number]",
      '{"links":{"next":"/a?page%5Bnumber%5D=2","prev":null}}',
      '{"links":{"next":"/a?page%5Bnumber%5D=4","prev":"/a?page%5Bnumber%5D=2"}}',
    ],
  ])("makes URLs from %s", (_, model, expected) => {
    const target = { page: 3, perPage: 1, total: 9, count: 1 };
    expect(envelopeForPage(model, target)).toBe(expected);
  });

  it.each([
    ["no meta and no links", '{"data":[]}'],
    ["meta that is a list", '{"data":[],"meta":[],"links":[]}'],
    ["links that are null", '{"links":null,"meta":null}'],
    ["items of another form", '{"meta":{"links":[1,"x",{"label":{}},null]}}'],
    ["empty list of links", '{"meta":{"links":[],"from":{}}}'],
    ["uncounted pages", '{"links":{"first":null,"last":null}}'],
    ["no object", "[]"],
  ])("leaves %s as it is", (_, model) => {
    expect(envelopeForPage(model, { page: 2, perPage: 5, total: 9, count: 4 })).toBe(model);
  });

  it("writes a missing neighbour as the model does", () => {
    const model = '{"links":{"next":"/a?page=2","prev":""}}';
    expect(envelopeForPage(model, { page: 2, perPage: 1, total: 2, count: 1 })).toBe(
      '{"links":{"next":"","prev":"/a?page=1"}}',
    );
  });

  it("never throws and answers JSON for any model and target", () => {
    const member = fc.oneof(
      fc.jsonValue({ maxDepth: 2 }),
      fc.constantFrom("1", "/a?page=2", null, 7),
      fc.array(
        fc.record(
          {
            url: fc.jsonValue({ maxDepth: 0 }),
            label: fc.constantFrom("1", 2, "...", "Next"),
            active: fc.boolean(),
          },
          { requiredKeys: [] },
        ),
      ),
    );
    const part = fc.dictionary(
      fc.constantFrom(
        "first",
        "next",
        "prev",
        "last",
        "links",
        "total",
        "from",
        "per_page",
        "path",
        "__proto__",
      ),
      member,
    );
    fc.assert(
      fc.property(
        fc.oneof(fc.jsonValue(), fc.record({ data: fc.jsonValue(), links: part, meta: part })),
        fc.record({
          page: fc.integer({ min: -1, max: 50 }),
          perPage: fc.integer({ min: -1, max: 50 }),
          total: fc.integer({ min: -1, max: 500 }),
          count: fc.integer({ min: -1, max: 50 }),
        }),
        (model, target) => {
          JSON.parse(envelopeForPage(JSON.stringify(model), target));
        },
      ),
    );
  });
});

describe("envelopeElsewhere", () => {
  it("makes of an index the model of the same index with filters, as the origin writes it", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 400 }),
        fc.integer({ min: 0, max: 400 }),
        fc.integer({ min: 1, max: 25 }),
        fc.integer({ min: 1, max: 30 }),
        fc.constantFrom("year=2024", "year=2024&month=5", "category=a+b%26c", "tags=a%2Cb"),
        (total, fewer, pageSize, page, filters) => {
          const query = new URLSearchParams(filters);
          const there = answer(page, fewer, { pageSize, query });
          const model = envelopeElsewhere(envelopeOf(answer(1, total, { pageSize })), (url, of) =>
            of === "path" ? url : withFilters(url, [...query]),
          );
          const made = envelopeForPage(model, {
            page,
            perPage: pageSize,
            total: fewer,
            count: countOf(there),
          });
          const expected = JSON.parse(envelopeOf(there));
          expect(sorted(JSON.parse(made))).toEqual(sorted(expected));
        },
      ),
      { numRuns: 300 },
    );
  });

  it("hands over each URL with what it stands for, and keeps what it gives back", () => {
    const model =
      '{ "data":[], "links":{"first":"/a?page=1","prev":null,"self":"/a","n":5},' +
      '"meta":{"path":"/a","total":4.50,"other":"/a","links":[{"url":null,"label":"/a"},{"url":"/a?page=1"}]},' +
      '"more":"/a" }';
    const seen: string[] = [];
    const made = envelopeElsewhere(model, (url, of) => {
      seen.push(`${of} ${url}`);
      return `/b"${url}`;
    });
    expect(seen).toEqual(["page /a?page=1", "page /a", "path /a", "page /a?page=1"]);
    expect(made).toBe(
      '{ "data":[], "links":{"first":"/b\\"/a?page=1","prev":null,"self":"/b\\"/a","n":5},' +
        '"meta":{"path":"/b\\"/a","total":4.50,"other":"/a","links":[{"url":null,"label":"/a"},{"url":"/b\\"/a?page=1"}]},' +
        '"more":"/a" }',
    );
    expect(envelopeElsewhere(model, (url) => url)).toBe(model);
  });

  it.each([
    "{}",
    "[]",
    "null",
    '{"links":null,"meta":[]}',
    '{"links":["/a"],"meta":{"links":{"url":"/a"}}}',
    '{"links":{},"meta":{"links":[1,null,"x"]}}',
    '{"data":[]}',
  ])("leaves %s as it is", (model) => {
    expect(envelopeElsewhere(model, () => "/b")).toBe(model);
  });
});

/** An envelope with the parameters of its URLs in one order. */
function sorted(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value), (_, inner) => {
    if (typeof inner !== "string" || !inner.includes("?")) return inner;
    const url = new URL(inner);
    url.searchParams.sort();
    return url.href;
  });
}

describe("withFilters", () => {
  const tags: [string, string][] = [["tags", "a,b"]];
  const year: [string, string][] = [
    ["year", "2024"],
    ["month", "5"],
  ];
  it.each<[string, [string, string][], "first" | "last", "," | "%2C", string]>([
    ["/a", [], "last", "%2C", "/a"],
    ["/a", tags, "last", "%2C", "/a?tags=a%2Cb"],
    ["/a", tags, "first", ",", "/a?tags=a,b"],
    ["/a?page=2", year, "last", "%2C", "/a?year=2024&month=5&page=2"],
    ["/a?page=2", year, "first", "%2C", "/a?page=2&year=2024&month=5"],
    ["/a?type=x&page=2", year, "last", "%2C", "/a?type=x&year=2024&month=5&page=2"],
    ["/a", [["category", "a b&c=d+é"]], "last", "%2C", "/a?category=a%20b%26c%3Dd%2B%C3%A9"],
  ])("%s with %j, page %s, comma %s → %s", (url, parameters, page, comma, expected) => {
    expect(withFilters(url, parameters, { page, comma })).toBe(expected);
  });
});
