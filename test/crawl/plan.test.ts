import { describe, expect, it } from "vitest";
import { WireEnvelope } from "../../src/api/schema.ts";
import { ConfigSchema } from "../../src/config.ts";
import { mayGoOn } from "../../src/crawl/pages.ts";
import {
  lastPageOf,
  needsRefresh,
  recheckShare,
  wantedAttachments,
  withVanished,
} from "../../src/crawl/plan.ts";
import { turnAfter } from "../../src/lib/turns.ts";

const ref = (id: string) => ({ id, digest: `digest of ${id}` });
const { paths } = ConfigSchema.parse({ origin: { baseUrl: "https://a.test" } }).origin;

describe("needsRefresh", () => {
  const stored = { single: ref("x"), changed: false };
  const rule = { refresh: "changed", turn: { from: 7, to: 7 } } as const;
  it.each([
    ["its single form is missing", { ...stored, single: undefined }, rule, true],
    ["its index form changed", { ...stored, changed: true }, rule, true],
    ["nothing changed", stored, rule, false],
    ["all are asked for", stored, { ...rule, refresh: "all" }, true],
    ["its turn is that of all", stored, { ...rule, turn: turnAfter(7, 1) }, true],
  ] as const)("when %s", (_, item, how, expected) => {
    expect(needsRefresh("x", item, how)).toBe(expected);
  });
});

describe("recheckShare", () => {
  const load = { items: 100_000, each: 2, files: 300_000, perSecond: 1 };
  const budget = { share: 0.15, maxRequests: 2_000, maxSeconds: 1_800 };
  it.each([
    ["the share, where all of it fits", budget, { ...load, items: 120, files: 400 }, 0.15],
    ["what fits into the seconds", budget, load, 1_800 / 350_000],
    ["what fits into the requests", budget, { ...load, perSecond: 50 }, 2_000 / 350_000],
    ["nothing for a budget of none", { ...budget, maxRequests: 0 }, load, 0],
    ["the share of an empty archive", budget, { ...load, items: 0, files: 0 }, 0.15],
  ])("is %s", (_, how, what, expected) => {
    expect(recheckShare(how, what)).toBeCloseTo(expected, 12);
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
