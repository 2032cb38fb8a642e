import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { WireEnvelope } from "../../src/api/schema.ts";
import { ConfigSchema } from "../../src/config.ts";
import { mayGoOn } from "../../src/crawl/pages.ts";
import { lastPageOf, needsRefresh, wantedAttachments, withVanished } from "../../src/crawl/plan.ts";

const ref = (id: string) => ({ id, digest: `digest of ${id}` });
const { paths } = ConfigSchema.parse({ origin: { baseUrl: "https://a.test" } }).origin;

describe("needsRefresh", () => {
  const stored = { single: ref("x"), changed: false };
  const rule = { refresh: "changed", share: 0, round: 0 } as const;
  it.each([
    ["its single form is missing", { ...stored, single: undefined }, rule, true],
    ["its index form changed", { ...stored, changed: true }, rule, true],
    ["nothing changed", stored, rule, false],
    ["all are asked for", stored, { ...rule, refresh: "all" }, true],
    ["the share is all", stored, { ...rule, share: 1 }, true],
  ] as const)("when %s", (_, item, how, expected) => {
    expect(needsRefresh("x", item, how)).toBe(expected);
  });

  it("comes to each item once in as many crawls as the share makes groups", () => {
    fc.assert(
      fc.property(
        fc.string(),
        fc.double({ min: 0.01, max: 1, noNaN: true }),
        fc.nat(1000),
        (id, share, start) => {
          const groups = Math.ceil(1 / share);
          const asked = Array.from({ length: 2 * groups }, (_, n) =>
            needsRefresh(id, stored, { refresh: "changed", share, round: start + n }),
          );
          for (const half of [asked.slice(0, groups), asked.slice(groups)]) {
            expect(half.filter(Boolean)).toHaveLength(1);
          }
        },
      ),
    );
  });
});

describe("wantedAttachments", () => {
  const counts = { images: 2, videos: 0, documents: 1, audio: 1 };
  it("is the kinds that count above zero and have a path, galleries without documents", () => {
    const kinds = (parent: "articles" | "galleries", given = paths) =>
      wantedAttachments(parent, counts, given).map(({ kind }) => kind);
    expect(kinds("articles")).toEqual(["images", "documents", "audio"]);
    expect(kinds("galleries")).toEqual(["images", "audio"]);
    expect(kinds("articles", { ...paths, articleAudio: null })).toEqual(["images", "documents"]);
  });
});

describe("lastPageOf", () => {
  it.each([
    [{ last_page: 3, total: 100, per_page: 20 }, 3],
    [{ last_page: 0, total: 41, per_page: 20 }, 3],
    [{ total: 40, per_page: 20 }, 2],
    [{ total: 0, per_page: 20 }, 1],
    [{ total: 5, per_page: 0 }, undefined],
    [{ total: 5 }, undefined],
    [{}, undefined],
  ])("%o → %s", (meta, last) => {
    expect(lastPageOf(WireEnvelope.parse({ meta, data: [] }))).toBe(last);
  });
});

describe("mayGoOn", () => {
  const full = { count: 5 };
  it.each([
    [[], true],
    [[full], true],
    [[{ count: 0 }], false],
    [[{ ...full, more: false }], false],
    [[{ ...full, more: true }], true],
    [[{ ...full, lastPage: 1 }], false],
    [[{ ...full, lastPage: 2 }], true],
    [[full, { ...full, lastPage: 2 }], false],
    [[full, { ...full, lastPage: 3, more: false }], true],
    [[full, { ...full, lastPage: 2, more: true }], true],
  ])("%o → %s", (pages, expected) => {
    expect(mayGoOn(pages)).toBe(expected);
  });
});

describe("withVanished", () => {
  it.each([
    ["abc", "abc", "abc"],
    ["abc", "ac", "abc"],
    ["xabc", "abc", "xabc"],
    ["abcx", "abc", "abcx"],
    ["axyb", "nab", "naxyb"],
    ["abc", "", "abc"],
    ["", "ab", "ab"],
    ["axb", "ba", "bax"],
  ])("%s, then %s → %s", (before, now, expected) => {
    const refs = (ids: string) => [...ids].map(ref);
    expect(withVanished(refs(before), refs(now))).toEqual(refs(expected));
  });
});
