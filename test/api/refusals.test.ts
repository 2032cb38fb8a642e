import { describe, expect, it } from "vitest";
import { createRefusals, knownForMs, noLesson } from "../../src/api/refusals.ts";

/** Requests that are admitted at once, at each of these times. */
function admit(refusals: ReturnType<typeof createRefusals>, ...times: number[]): void {
  for (const time of times) refusals.admitted(time, time);
}

const every = (count: number, from: number, stepMs: number): number[] =>
  Array.from({ length: count }, (_, i) => from + i * stepMs);

describe("what refusals teach", () => {
  it("is nothing until one of them is over, and then the series before it", () => {
    const refusals = createRefusals();
    admit(refusals, ...every(60, 0, 10));
    refusals.refused(600, 60_000);
    expect(refusals.windows(700)).toEqual([]);
    // A run that is killed now has learned it all the same.
    const learned = { requests: 60, perMs: 60_000, until: 700 + knownForMs };
    expect(refusals.lesson(700).windows).toEqual([learned]);
    admit(refusals, 60_000);
    expect(refusals.windows(60_000)).toEqual([{ ...learned, until: 60_000 + knownForMs }]);
  });

  it("counts requests that were underway when they were told", () => {
    const refusals = createRefusals();
    admit(refusals, ...every(20, 0, 1));
    refusals.refused(50, 1_000);
    refusals.admitted(20, 60);
    admit(refusals, 1_000);
    expect(refusals.windows(1_000)).toMatchObject([{ requests: 21, perMs: 1_000 }]);
  });

  it("reaches to the last refusal of a row", () => {
    const refusals = createRefusals();
    admit(refusals, ...every(20, 0, 1));
    for (const [at, until] of [
      [20, 500],
      [500, 1_500],
      [1_500, 3_500],
    ] as const) {
      refusals.refused(at, until);
    }
    admit(refusals, 3_600);
    expect(refusals.windows(3_600)).toMatchObject([{ requests: 20, perMs: 3_500 }]);
  });

  it("is nothing after one refusal of a few requests, and something after the second in a row", () => {
    const refusals = createRefusals();
    let now = 0;
    const counts: number[] = [];
    for (let series = 0; series < 2; series++) {
      admit(refusals, ...every(3, now, 10));
      refusals.refused(now + 30, now + 2_000);
      now += 2_000;
      admit(refusals, now);
      counts.push(refusals.windows(now).length);
    }
    expect(counts).toEqual([0, 1]);
  });

  it("is nothing where nothing was admitted before", () => {
    const refusals = createRefusals();
    refusals.refused(0, 1_000);
    admit(refusals, 1_000);
    expect(refusals.windows(1_000)).toEqual([]);
  });

  it("is about the dense end of a series, not about slow hours before", () => {
    const refusals = createRefusals();
    admit(refusals, ...every(100, 0, 60_000), ...every(60, 6_000_000, 10));
    refusals.refused(6_000_600, 6_060_000);
    expect(refusals.lesson(6_000_600).windows).toMatchObject([{ requests: 60, perMs: 60_000 }]);
  });

  it("is only ever tightened, and does not pile up", () => {
    const refusals = createRefusals();
    let now = 0;
    for (const [count, pauseMs] of [
      [100, 10_000],
      [50, 10_000],
      [80, 10_000],
      [25, 4_000],
    ] as const) {
      admit(refusals, ...every(count, now, 1));
      refusals.refused(now + count, now + pauseMs);
      now += pauseMs;
      admit(refusals, now);
    }
    // The one that finds the end of a refusal is the first of the next series.
    const windows = refusals.windows(now).map(({ requests, perMs }) => [requests, perMs]);
    expect(windows).toEqual([
      [51, 10_000],
      [26, 4_000],
    ]);
  });

  it("does not reach to pauses that are dear enough by themselves", () => {
    const refusals = createRefusals();
    admit(refusals, ...every(60, 0, 10));
    refusals.refused(600, 600_000);
    admit(refusals, 600_000);
    expect(refusals.windows(600_000)).toEqual([]);
  });

  it("is dropped where it does not help, and nothing more is learned for three days", () => {
    let refusals = createRefusals();
    const counts: number[] = [];
    let now = 0;
    for (let series = 0; series < 8; series++) {
      admit(refusals, ...every(20, now, 1_000));
      refusals.refused(now + 20_000, now + 25_000 + series * 1_000);
      now += 40_000;
      admit(refusals, now);
      counts.push(refusals.windows(now).length);
      // As good as its memory.
      refusals = createRefusals(refusals.lesson(now));
    }
    expect(counts.map(Boolean)).toEqual([true, true, true, true, false, false, false, false]);
    const { distrustUntil } = refusals.lesson(now);
    expect(distrustUntil).toBe(5 * 40_000 + knownForMs);
    now = distrustUntil;
    admit(refusals, ...every(20, now, 1_000));
    refusals.refused(now + 20_000, now + 25_000);
    expect(refusals.lesson(now + 20_000).windows).toHaveLength(1);
  });

  it("is kept where it helps, also where something else is refused now and then", () => {
    const refusals = createRefusals();
    let now = 0;
    for (let series = 0; series < 20; series++) {
      admit(refusals, ...every(series === 0 ? 60 : 200, now, 1_000));
      now += 300_000;
      refusals.refused(now - 1_000, now);
      admit(refusals, now);
      expect(refusals.windows(now).length).toBeGreaterThan(0);
    }
  });

  it("is forgotten after three days", () => {
    const known = { requests: 1, perMs: 60_000, until: 5_000 };
    const refusals = createRefusals({ ...noLesson, windows: [known] });
    expect(refusals.windows(4_999)).toEqual([known]);
    expect(refusals.windows(5_000)).toEqual([]);
  });
});
