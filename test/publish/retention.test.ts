import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { keptSnapshots, type Retention } from "../../src/publish/retention.ts";

const none = { snapshots: 0, days: undefined, daily: 0, weekly: 0, monthly: 0 };
const now = new Date("2026-11-28T12:00:00Z");
const kept = (ids: string[], retention: Partial<Retention>) => [
  ...keptSnapshots(ids, { ...none, ...retention }, now),
];

describe("keptSnapshots", () => {
  const ids = [
    "2026-09-30T02-00-00Z",
    "2026-10-31T02-00-00Z",
    "2026-11-01T02-00-00Z",
    // A Sunday and the Monday after it.
    "2026-11-22T23-59-59Z",
    "2026-11-23T00-00-00Z",
    "2026-11-28T02-00-00Z",
    "2026-11-28T10-00-00Z",
  ];
  const at = (...places: number[]) => places.map((place) => ids.at(place));

  it.each([
    ["the newest of each day that has one", { daily: 3 }, at(3, 4, 6)],
    ["weeks from Monday on", { weekly: 3 }, at(2, 3, 6)],
    ["the newest of each month", { monthly: 2 }, at(1, 6)],
    ["all that are no older than so many days", { days: 6 }, at(3, 4, 5, 6)],
    ["the newest ones", { snapshots: 2 }, at(5, 6)],
    ["what any of them names", { snapshots: 1, monthly: 9 }, at(6, 0, 1)],
    ["nothing where nothing is asked for", {}, []],
  ])("keeps %s", (_, retention, wanted) => {
    expect(kept(ids, retention).sort()).toEqual([...wanted].sort());
  });

  it("keeps one for each period, the newest, and never more periods than asked for", () => {
    const time = fc.date({ min: new Date("2020-01-01"), max: now, noInvalidDate: true });
    const times = fc.uniqueArray(time, { maxLength: 60, selector: (one) => one.getTime() });
    fc.assert(
      fc.property(times, fc.nat(10), (all, monthly) => {
        const names = all.map((one) => one.toISOString().slice(0, 19).replaceAll(":", "-")).sort();
        const unique = [...new Set(names)];
        const months = unique.map((id) => id.slice(0, 7));
        const wanted = [...new Set(months)].slice(monthly === 0 ? Infinity : -monthly);
        const found = kept(unique, { monthly });
        expect(found.map((id) => id.slice(0, 7))).toEqual(wanted);
        for (const id of found) {
          const ofMonth = unique.filter((one) => one.startsWith(id.slice(0, 7)));
          expect(id).toBe(ofMonth.at(-1));
        }
      }),
    );
  });
});
