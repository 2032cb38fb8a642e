import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createRequestLog } from "../../src/api/request-log.ts";

describe("the log of requests", () => {
  it("opens a window as a list of all requests would, answered or not", () => {
    fc.assert(
      fc.property(
        fc.array(fc.nat(500), { maxLength: 6 }),
        fc.array(fc.tuple(fc.nat(50), fc.option(fc.nat(300))), { maxLength: 12 }),
        fc.integer({ min: 1, max: 15 }),
        fc.constantFrom(4, 100, 1_000),
        (made, steps, requests, perMs) => {
          const log = createRequestLog(made);
          const known = [...made];
          const open: { at: number; end: number; answered: (time: number) => void }[] = [];
          let now = 500;
          for (const [stepMs, takesMs] of steps) {
            now += stepMs;
            for (const each of open.filter(({ end }) => end <= now)) {
              each.answered(now);
              known.push(now);
              each.end = Number.POSITIVE_INFINITY;
              open.splice(open.indexOf(each), 1);
            }
            const end = takesMs === null ? Number.POSITIVE_INFINITY : now + takesMs;
            open.push({ at: now, end, answered: log.start(now) });
          }
          const times = [...known, ...open.map(({ at }) => at + perMs / 4)].sort((a, b) => b - a);
          const nth = times[requests - 1];
          const expected = nth === undefined ? 0 : nth + perMs + 1;
          expect(log.unanswered).toBe(open.length);
          expect(log.opensAt([{ requests, perMs }], now)).toBe(expected);
        },
      ),
    );
  });

  it("opens only where all windows do", () => {
    const log = createRequestLog([0, 10, 20]);
    const windows = [
      { requests: 1, perMs: 100 },
      { requests: 3, perMs: 1_000 },
    ];
    expect(log.opensAt(windows, 30)).toBe(1_001);
    expect(log.opensAt(windows.slice(0, 1), 30)).toBe(121);
    expect(log.opensAt([], 30)).toBe(0);
  });

  it("remembers as much as a window needs, however long it has been running", () => {
    const log = createRequestLog([]);
    const window = { requests: 25_000, perMs: 1e9 };
    for (let time = 0; time < 100_000; time++) {
      log.opensAt([window], time);
      log.start(time)(time);
    }
    expect(log.opensAt([window], 100_000)).toBe(75_000 + 1e9 + 1);
  });

  it("tells what its windows must know of, those without an answer as late as they may count", () => {
    const log = createRequestLog([0, 500, 900]);
    log.start(1_000);
    const windows = [
      { requests: 3, perMs: 800 },
      { requests: 2, perMs: 100 },
    ];
    expect(log.latest(windows, 1_000)).toEqual([500, 900, 1_200]);
    expect(log.latest(windows, 1_500)).toEqual([900, 1_200]);
    expect(log.latest([], 1_000)).toEqual([]);
  });
});
