import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { needsAnother, proveIndex, type Terms, verdictOf } from "../../src/crawl/completeness.ts";
import { continues, distinctIds, doubtOf, type Pass, passesAgree } from "../../src/crawl/pass.ts";

const perPage = 3;
const terms: Terms = { maxPasses: 5 };
const isSettled = (passes: Pass[], known?: Terms["known"]): boolean =>
  !needsAnother(passes, { ...terms, known });

/** A pass over pages of three that nothing disturbed. */
const pass = (changes: Partial<Pass> = {}): Pass => ({
  ids: ["a", "b", "c", "d", "e"],
  head: ["a", "b", "c"],
  totals: [5, 5, 5],
  pages: 2,
  empty: 0,
  doubles: 0,
  ...changes,
});

describe("doubtOf", () => {
  it.each<[string, Partial<Pass>, string | undefined]>([
    ["nothing changed", {}, undefined],
    ["one page", { ids: ["a"], head: [], totals: [1], pages: 1 }, undefined],
    ["an empty list", { ids: [], head: [], totals: [0], pages: 1 }, undefined],
    [
      "one page without a total",
      { ids: ["a"], head: [], totals: [undefined], pages: 1 },
      undefined,
    ],
    ["an item came on top", { head: ["x", "a", "b"], totals: [5, 5, 6] }, undefined],
    [
      "an item came on top and pushed another one",
      { ids: ["a", "b", "c", "c", "d", "e"], head: ["x", "a", "b"], totals: [5, 6, 6] },
      undefined,
    ],
    ["a total is missing", { totals: [5, undefined, 5] }, "the origin gives no total"],
    ["there are fewer", { totals: [6, 6, 6] }, "5 items of 6"],
    ["there are more", { totals: [4, 4, 4] }, "5 items of 4"],
    ["a page repeats", { ids: ["a", "b", "c", "a", "b"], totals: [5, 5, 5] }, "3 items of 5"],
    ["a total fell", { totals: [6, 5, 5] }, "items were removed while the index was read"],
    ["it fell and rose", { totals: [5, 4, 5] }, "items were removed while the index was read"],
    ["page 1 lost an item", { head: ["a", "c", "d"] }, "the index changed while it was read"],
    [
      "page 1 got one in exchange",
      { ids: ["a", "b", "c", "e", "x"], head: ["b", "c", "d"] },
      "6 items of 5",
    ],
    ["a page is empty", { empty: 1, pages: 3 }, "1 of 3 pages are empty"],
    [
      "a page has an id twice",
      { ids: ["a", "b", "a", "c", "d"], doubles: 1, head: ["a"] },
      undefined,
    ],
    ["two pages have an id", { ids: ["a", "b", "c", "a", "d"] }, "4 items of 5"],
  ])("when %s", (_, changes, doubt) => {
    expect(doubtOf(pass(changes))).toBe(doubt);
  });
});

describe("proveIndex", () => {
  const short = pass({ totals: [6, 6, 6] });
  const untold = pass({ totals: [undefined, undefined, undefined] });
  const copy = pass({ ids: ["a", "b", "c", "a", "b"], repeated: "page 2 repeats page 1" });
  const double = pass({ ids: ["a", "b", "a", "c", "d"], doubles: 1 });
  const twice = pass({ ids: ["a", "a", "b"], head: ["a"], totals: [undefined, undefined] });
  it.each<[string, Pass[], boolean]>([
    ["one pass without doubt", [pass()], false],
    ["two passes without doubt", [pass(), pass()], true],
    ["one pass without totals", [untold], false],
    ["two passes without totals that agree", [untold, untold], true],
    ["two that do not", [untold, pass({ ...untold, ids: ["a", "b", "c", "d", "x"] })], false],
    ["two that agree and are short of the total", [short, short], false],
    [
      "two that agree on more than the total",
      [pass({ totals: [4, 4] }), pass({ totals: [4, 4] })],
      true,
    ],
    ["two that agree on an id of two pages", [twice, twice], false],
    ["as many as may be made that agree on it", [twice, twice, twice, twice, twice], true],
    ["as many that agree on a copy of a page", [copy, copy, copy, copy, copy], false],
    ["two that agree on an id of one page", [double, double], true],
    ["two that agree on an empty page", [pass({ empty: 1 }), pass({ empty: 1 })], false],
    ["a last one without doubt", [short, pass()], true],
    ["a last one with doubt", [pass(), short], false],
  ])("%s → agreed: %s", (_, passes, agreed) => {
    expect(proveIndex("articles", passes, terms)).toMatchObject({ agreed, passes: passes.length });
  });

  it("is not made of nothing", () => {
    expect(() => proveIndex("articles", [], terms)).toThrow(RangeError);
  });
});

/** What happens to a list between the reading of two pages. */
type Change =
  | { do: "nothing" }
  | { do: "add"; at: number }
  | { do: "remove"; at: number }
  | { do: "move"; from: number; to: number };

const place = fc.double({ min: 0, max: 0.999, noNaN: true });
const change: fc.Arbitrary<Change> = fc.oneof(
  { weight: 3, arbitrary: fc.constant<Change>({ do: "nothing" }) },
  fc.record({ do: fc.constant("add" as const), at: place }),
  fc.record({ do: fc.constant("remove" as const), at: place }),
  fc.record({ do: fc.constant("move" as const), from: place, to: place }),
);

function applied(list: readonly string[], one: Change, id: string): string[] {
  const at = (share: number): number => Math.floor(share * list.length);
  if (one.do === "add") return list.toSpliced(at(one.at), 0, id);
  if (one.do === "remove") return list.toSpliced(at(one.at), 1);
  if (one.do === "nothing" || list.length === 0) return [...list];
  const moved = list[at(one.from)] as string;
  return list.toSpliced(at(one.from), 1).toSpliced(at(one.to), 0, moved);
}

/** Reads a list as the crawl does, while it changes before each page but the first. */
function walk(start: readonly string[], changes: readonly (readonly Change[])[], name = "new") {
  let list = [...start];
  let reads = 0;
  const throughout = new Set(list);
  const totals: number[] = [];
  const read = (page: number): string[] => {
    for (const [n, one] of (reads > 0 ? (changes[reads - 1] ?? []) : []).entries()) {
      list = applied(list, one, `${name} ${reads}.${n}`);
    }
    reads++;
    for (const id of throughout) if (!list.includes(id)) throughout.delete(id);
    totals.push(list.length);
    return list.slice((page - 1) * perPage, page * perPage);
  };
  const last = (): number => Math.max(1, Math.ceil((totals.at(-1) as number) / perPage));
  const pages = [read(1)];
  while (pages.length < last()) pages.push(read(pages.length + 1));
  const seen = new Set(pages.flat());
  const head: string[][] = [];
  if (pages.length > 1) {
    do head.push(read(head.length + 1));
    while (head.length < pages.length && head.at(-1)?.some((id) => !seen.has(id)));
  }
  const empty = pages.length === 1 ? 0 : pages.filter((page) => page.length === 0).length;
  const result: Pass = {
    ...{ ids: pages.flat(), head: head.flat(), totals, pages: pages.length, empty },
    doubles: 0,
  };
  return { result, throughout, list };
}

const start = fc.nat(20).map((count) => Array.from({ length: count }, (_, n) => `old ${n}`));

describe("a pass without doubt", () => {
  it("has every item that was there throughout, where one thing happened between two pages", () => {
    let proved = 0;
    const changes = fc.array(
      change.map((one) => [one]),
      { maxLength: 12 },
    );
    fc.assert(
      fc.property(start, changes, (list, each) => {
        const { result, throughout } = walk(list, each);
        if (doubtOf(result) !== undefined) return;
        proved++;
        const found = distinctIds(result);
        expect([...throughout].filter((id) => !found.has(id))).toEqual([]);
      }),
      { numRuns: 3_000 },
    );
    expect(proved).toBeGreaterThan(300);
  });

  it("can lack one where two things happened, and is then not continued by the next", () => {
    const list = ["a", "b", "c", "d", "e", "f", "g", "h", "i"];
    // The fifth item is removed and one added at the end, after the second page was read: "g" goes past the reader.
    const first = walk(list, [
      [],
      [
        { do: "remove", at: 0.5 },
        { do: "add", at: 0.999 },
      ],
    ]);
    expect(doubtOf(first.result)).toBeUndefined();
    expect([...first.throughout].filter((id) => !first.result.ids.includes(id))).toEqual(["g"]);
    const second = walk(first.list, []);
    expect(doubtOf(second.result)).toBeUndefined();
    expect(continues(distinctIds(first.result), second.result)).toBe(false);
    expect(isSettled([first.result])).toBe(false);
    expect(isSettled([first.result, second.result])).toBe(false);
    const third = walk(second.list, []);
    expect(isSettled([first.result, second.result, third.result])).toBe(true);
  });

  it("is what a list gives to which items are only added on top", () => {
    const onTop = fc.constantFrom<Change>({ do: "add", at: 0 }, { do: "nothing" });
    fc.assert(
      fc.property(start, fc.array(onTop, { maxLength: 12 }), (items, changes) => {
        const each = changes.map((one) => [one]);
        const { result, list } = walk(items, each);
        // One page was read at once: what came later is for the next crawl.
        if (result.pages === 1) return;
        const found = new Set([...result.ids, ...result.head]);
        // A head that grew once more after it was read is settled by the next pass.
        if (doubtOf(result) !== undefined) expect(found.size).toBeLessThan(list.length);
        else expect(list.every((id) => found.has(id))).toBe(true);
      }),
      { numRuns: 1_000 },
    );
  });

  it("agrees with another one on the same items in any order, and on no others", () => {
    const ids = fc.uniqueArray(fc.string(), { maxLength: 20 });
    fc.assert(
      fc.property(ids, fc.string(), (items, other) => {
        const one = pass({ ids: items, head: [] });
        expect(passesAgree(one, pass({ ids: items.toReversed(), head: items.slice(0, 2) }))).toBe(
          true,
        );
        if (items.includes(other)) return;
        expect(passesAgree(one, pass({ ids: [...items, other], head: [] }))).toBe(false);
      }),
    );
  });
});

describe("an index that is proved", () => {
  const changes = fc.array(fc.array(change, { maxLength: 4 }), { maxLength: 12 });

  it("has every item that was there throughout, whatever happened between any two requests", () => {
    let proved = 0;
    fc.assert(
      fc.property(start, fc.array(changes, { minLength: 1, maxLength: 5 }), (items, nights) => {
        let list: readonly string[] = items;
        const passes: Pass[] = [];
        let throughout = new Set(list);
        for (const [n, each] of nights.entries()) {
          const read = walk(list, each, `pass ${n}`);
          list = read.list;
          // What was taken away and put back under the same name was not there throughout.
          throughout = new Set([...throughout].filter((id) => read.throughout.has(id)));
          passes.push(read.result);
          if (isSettled(passes)) break;
        }
        const found = verdictOf(passes, terms)?.ids;
        if (found === undefined) return;
        proved++;
        expect([...throughout].filter((id) => !found.has(id))).toEqual([]);
      }),
      { numRuns: 5_000 },
    );
    expect(proved).toBeGreaterThan(300);
  });

  it("needs one reading only where that continues what was proved before", () => {
    const known = { ids: new Set(["a", "b", "c", "d", "e"]), rows: 5 };
    const onTop = pass({ ids: ["x", "a", "b", "c", "d", "e"], head: [], totals: [6], pages: 2 });
    const below = pass({ ids: ["a", "b", "x", "c", "d", "e"], head: [], totals: [6], pages: 2 });
    const lacking = pass({ ids: ["a", "b", "d", "e"], head: [], totals: [4], pages: 2 });
    expect(proveIndex("articles", [pass()], { ...terms, known })).toMatchObject({
      agreed: true,
      confirmedBy: "the last snapshot",
    });
    expect(isSettled([onTop], known)).toBe(true);
    expect(isSettled([below], known)).toBe(false);
    expect(isSettled([lacking], known)).toBe(false);
    expect(proveIndex("articles", [lacking], { ...terms, known })).toMatchObject({
      agreed: false,
      remark: "the passes differ",
    });
  });
});
