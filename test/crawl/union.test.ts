import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { needsAnother, proveIndex, unsettledIn, verdictOf } from "../../src/crawl/completeness.ts";
import type { Pass } from "../../src/crawl/pass.ts";

const perPage = 3;
const numbers = (count: number): string[] => Array.from({ length: count }, (_, n) => `${n}`);

/** A pass over a list that has just these rows, whatever other ones it should have. */
function passOf(rows: readonly string[], changes: Partial<Pass> = {}): Pass {
  const pages = Math.ceil(rows.length / perPage);
  return {
    ids: [...rows],
    head: rows.slice(0, perPage),
    totals: Array.from({ length: pages + 1 }, () => rows.length),
    pages,
    empty: 0,
    doubles: 0,
    ...changes,
  };
}

describe("all passes together", () => {
  const all = numbers(6);
  const lacksFive = passOf(["0", "1", "2", "3", "4", "4"]);
  const lacksFour = passOf(["0", "1", "2", "3", "5", "5"]);
  it.each<[string, Pass[], boolean]>([
    ["one lacks an item", [lacksFive], false],
    ["the second brings it", [lacksFive, lacksFour], false],
    ["a third brings nothing new", [lacksFive, lacksFour, lacksFive], true],
    ["the total changed on the way", [lacksFive, passOf(numbers(7)), lacksFive], false],
    [
      "there are more items than the total says",
      [passOf([...all.slice(0, 5), "9"]), lacksFour, lacksFive, lacksFour],
      false,
    ],
  ])("where %s", (_, passes, proved) => {
    const verdict = verdictOf(passes, { maxPasses: 5 });
    expect(verdict?.confirmedBy).toBe(proved ? "all passes together" : undefined);
    if (proved) expect([...(verdict?.ids ?? [])].sort()).toEqual(all);
  });

  it("are fewer where they have the ids of the last proved list, all of which are requested", () => {
    const passes = [lacksFive, lacksFour];
    const known = { ids: new Set(all), rows: 6 };
    const terms = { maxPasses: 5, known };
    expect(verdictOf(passes, terms)?.confirmedBy).toBe("all passes together");
    expect(needsAnother(passes, terms)).toBe(false);
    const other = { ids: new Set([...all.slice(1), "9"]), rows: 6 };
    expect(verdictOf(passes, { maxPasses: 5, known: other })).toBeUndefined();
    expect(verdictOf(passes, { ...terms, unasked: true })).toBeUndefined();
  });

  it("do not take an item that was replaced for one of a list whose items nobody requests", () => {
    const replaced = passOf(["0", "1", "2", "3", "9", "3"]);
    const passes = [replaced, lacksFour, lacksFour];
    expect(verdictOf(passes, { maxPasses: 5 })?.ids.size).toBe(6);
    expect(verdictOf(passes, { maxPasses: 5, unasked: true })).toBeUndefined();
    const answered = (...ids: string[]) => ({
      maxPasses: 5,
      unasked: true,
      answered: new Set(ids),
    });
    expect(unsettledIn(passes, answered())).toEqual(["9"]);
    expect(verdictOf(passes, answered("9"))?.ids.size).toBe(6);
    expect(verdictOf(passes, answered("4"))).toBeUndefined();
    // As long as something may be missing, answers for the others prove nothing.
    expect(unsettledIn([lacksFour], answered())).toBeUndefined();
    expect(verdictOf([replaced, lacksFour], answered("9"))).toBeUndefined();
    const seen = [...passes, replaced];
    expect(verdictOf(seen, { maxPasses: 5, unasked: true })?.ids.size).toBe(6);
  });

  it("do not take a replaced item that the last snapshot has for one of the list", () => {
    const replaced = passOf(["0", "1", "2", "3", "9", "3"]);
    const passes = [replaced, lacksFour, lacksFour];
    const stored = new Set(["0", "1", "2", "3", "4", "9"]);
    const known = { ids: stored, rows: 6 };
    expect(verdictOf(passes, { maxPasses: 5, known, stored })).toBeUndefined();
    expect(verdictOf(passes, { maxPasses: 5, stored })).toBeUndefined();
    expect(verdictOf(passes, { maxPasses: 5, stored: new Set(["0", "1"]) })?.ids.size).toBe(6);
  });

  it("are more than usual as long as they bring new items, and end where they do not", () => {
    const terms = { maxPasses: 2 };
    const brings = (n: number): Pass => passOf([...numbers(30).slice(n, n + 29), `${n}`]);
    const passes: Pass[] = [];
    while (needsAnother(passes, terms)) passes.push(brings(passes.length % 2));
    expect(passes.length).toBeGreaterThan(2);
    expect(proveIndex("articles", passes, terms)).toMatchObject({ agreed: true, collected: 30 });
    // Five items of six, in another order each time: the sixth never comes.
    const stuck: Pass[] = [];
    const orders = [lacksFive, passOf(["1", "0", "2", "3", "4", "4"])];
    while (needsAnother(stuck, terms)) stuck.push(orders[stuck.length % 2] as Pass);
    expect(stuck.length).toBeLessThan(5);
    expect(proveIndex("articles", stuck, terms)).toMatchObject({ agreed: false, expected: 6 });
  });

  it("are as many as it takes to see each stored item again, once all are there", () => {
    const all = numbers(40);
    const terms = { maxPasses: 2, stored: new Set(all.slice(1)) };
    // All are there after two passes; each of the ten that follow shows four more of them again.
    const part = (n: number): Pass => {
      const shown = 4 * (n - 1);
      return passOf(all.map((id, at) => (at < shown ? id : "0")));
    };
    const passes: Pass[] = [passOf(["0", ...all.slice(0, 39)]), passOf(["0", ...all.slice(1)])];
    while (needsAnother(passes, terms)) passes.push(part(passes.length));
    expect(passes.length).toBeGreaterThan(11);
    expect(verdictOf(passes, terms)?.ids.size).toBe(40);
  });

  it("find every item of a list that sorts by a key that items share", () => {
    const groups = fc.integer({ min: 1, max: 4 });
    const size = fc.integer({ min: 4, max: 30 });
    fc.assert(
      fc.property(size, groups, fc.infiniteStream(fc.nat(1_000)), (count, group, dice) => {
        const passes: Pass[] = [];
        const terms = { maxPasses: 5 };
        while (needsAnother(passes, terms)) passes.push(shuffledPass(count, group, dice));
        const verdict = verdictOf(passes, terms);
        if (verdict === undefined) return;
        expect(verdict.ids.size).toBe(count);
      }),
      { numRuns: 300 },
    );
  });
});

/** A pass whose pages are each cut from a new order of items with equal keys. */
function shuffledPass(count: number, group: number, dice: Iterator<number>): Pass {
  const list = numbers(count);
  const order = (): string[] =>
    list
      .map((id, at) => ({ id, key: Math.floor(at / group), tie: dice.next().value as number }))
      .sort((a, b) => a.key - b.key || a.tie - b.tie)
      .map(({ id }) => id);
  const page = (number: number): string[] =>
    order().slice((number - 1) * perPage, number * perPage);
  const pages = Array.from({ length: Math.ceil(count / perPage) }, (_, at) => page(at + 1));
  return passOf(pages.flat(), { head: page(1) });
}
