import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  isTurnOf,
  oldestTurn,
  recentTurns,
  type Turn,
  turnAfter,
  turnsAround,
} from "../../src/lib/turns.ts";

const shares = fc.double({ min: 0.02, max: 1, noNaN: true });
const starts = fc.nat(2 ** 40);

/** As many turns as there are shares, each beginning where the one before it ends. */
function turnsOf(start: number, given: readonly number[]): Turn[] {
  let from = start;
  return given.map((share) => {
    const turn = turnAfter(from, share);
    from = turn.to;
    return turn;
  });
}

describe("turns", () => {
  it.each([1, 2] as const)("come to each id within one time around, every %i", (every) => {
    fc.assert(
      fc.property(fc.string(), shares, starts, (id, share, start) => {
        const around = turnsAround(turnAfter(start, share), every) as number;
        const turns = turnsOf(start, Array<number>(around).fill(share));
        const asked = turns.filter((turn) => isTurnOf(id, turn, every)).length;
        // The last turn may reach into the next time around.
        expect(asked === 1 || (share < 1 && asked === 2)).toBe(true);
      }),
    );
  });

  it.each([1, 2] as const)(
    "take what waited longest first, whatever their shares, every %i",
    (every) => {
      const ids = Array.from({ length: 40 }, (_, n) => `id ${n}`);
      fc.assert(
        fc.property(fc.array(shares, { minLength: 1, maxLength: 30 }), (given) => {
          const turns = turnsOf(0, given);
          const last = new Map(ids.map((id) => [id, -1]));
          for (const [night, turn] of turns.entries()) {
            const asked = ids.filter((id) => isTurnOf(id, turn, every));
            const rest = ids.filter((id) => !asked.includes(id));
            const newest = Math.max(...asked.map((id) => last.get(id) as number));
            for (const id of rest) expect(last.get(id)).toBeGreaterThanOrEqual(newest);
            for (const id of asked) last.set(id, night);
          }
          const ends = recentTurns([0, ...turns.map(({ to }) => to)]);
          const oldest = turns.length - 1 - Math.min(...last.values());
          // No id need lie where the oldest turn ends.
          expect(oldestTurn(ends, every)).toBeGreaterThanOrEqual(oldest);
          expect(oldestTurn(ends, every)).toBeLessThanOrEqual(turns.length);
        }),
      );
    },
  );

  it("come round in as many nights as their share says, and never without one", () => {
    expect([0.15, 0.5, 1].map((share) => turnsAround(turnAfter(9, share)))).toEqual([7, 2, 1]);
    expect([0.15, 0.5, 1].map((share) => turnsAround(turnAfter(9, share), 2))).toEqual([14, 4, 1]);
    expect(turnsAround(turnAfter(9, 0))).toBeUndefined();
  });

  it("tell how long ago the oldest was", () => {
    const quarters = [0, 1, 2, 3, 4, 5, 6].map((night) => night * 2 ** 30);
    expect(oldestTurn([0])).toBe(0);
    expect(oldestTurn(quarters.slice(0, 3))).toBe(2);
    expect(oldestTurn(quarters)).toBe(3);
    expect(oldestTurn(quarters, 2)).toBe(6);
    expect(oldestTurn([0, 0, 0, 0])).toBe(3);
  });
});
