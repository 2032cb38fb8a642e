import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Governor, type GovernorOptions } from "../../src/api/governor.ts";
import type { Headers } from "../../src/api/headers.ts";
import { BudgetError, Interrupted } from "../../src/errors.ts";
import { sleepOn } from "../../src/lib/clock.ts";
import { type VirtualClock, virtualClock } from "../lib/virtual-clock.ts";

const free = { rate: { requests: 1_000_000, perSeconds: 1 }, concurrency: 100 } as const;

/** A governor on a clock of its own, on which waiting costs no time. */
function onClock(options: Omit<GovernorOptions, "clock">, clock = virtualClock()) {
  return { clock, governor: new Governor({ ...options, clock }) };
}

/** Lets an origin ask for a pause. */
async function pause(governor: Governor, ms: number): Promise<void> {
  const headers = { "retry-after": String(ms / 1000) };
  await governor.run(async (answered) => answered({ status: 503, headers }));
}

interface Bench {
  clock: VirtualClock;
  governor: Governor;
}

/** Starts of tasks that each take some milliseconds and are answered with the given headers. */
async function startsOf(
  { clock, governor }: Bench,
  count: number,
  {
    takesMs = 0,
    headers = () => ({}),
    status = 200,
  }: { takesMs?: number; headers?: (i: number) => Headers; status?: number } = {},
): Promise<number[]> {
  const starts: number[] = [];
  const tasks = Array.from({ length: count }, () =>
    governor.run(async (answered) => {
      const index = starts.push(clock.now()) - 1;
      if (takesMs > 0) await sleepOn(clock, takesMs);
      answered({ status, headers: headers(index) });
    }),
  );
  await clock.run(Promise.all(tasks));
  return starts;
}

/** The smallest time in which one more than `cap` tasks began. */
function tightest(starts: number[], cap: number): number {
  const spans = starts.slice(cap).map((start, i) => start - (starts[i] as number));
  return Math.min(...spans);
}

describe("governor", () => {
  it("lets the higher ones go first, and equal ones in the order in which they came", async () => {
    const { clock, governor } = onClock({
      rate: { requests: 1, perSeconds: 20 },
      concurrency: 8,
    });
    const order: string[] = [];
    const one = (name: string, priority?: number) =>
      governor.run(async () => void order.push(name), priority === undefined ? {} : { priority });
    await clock.run(
      Promise.all([one("first"), one("a"), one("b", 1), one("c"), one("d", 2), one("e", 1)]),
    );
    expect(order).toEqual(["first", "d", "b", "e", "a", "c"]);
  });

  it("asks whether a request is ready when its turn has come, and gives its place to the next one if not", async () => {
    const { clock, governor } = onClock({
      rate: { requests: 1, perSeconds: 100 },
      concurrency: 8,
    });
    const begun = clock.now();
    const seen: number[] = [];
    const ready = (): never => {
      seen.push(clock.now() - begun);
      throw new Error("too old");
    };
    const [, late, next] = await clock.run(
      Promise.allSettled([
        governor.run(async () => undefined),
        governor.run(async () => undefined, { ready }),
        governor.run(async () => clock.now() - begun),
      ]),
    );
    expect(late).toMatchObject({ status: "rejected", reason: { message: "too old" } });
    expect(seen).toEqual([100_001]);
    // It had the turn of the one that was not ready, not one window later.
    expect(next).toEqual({ status: "fulfilled", value: 100_001 });
  });

  it("never lets more than the cap start in any window, wherever it is laid", async () => {
    const bench = onClock({ rate: { requests: 10, perSeconds: 60 }, concurrency: 8 });
    const starts = await startsOf(bench, 45, { takesMs: 700 });
    expect(tightest(starts, 10)).toBeGreaterThanOrEqual(60_000);
    // And hardly slower: four windows, each longer by the time that an answer takes.
    expect((starts.at(-1) as number) - (starts[0] as number)).toBeLessThan(4 * 62_000);
  });

  it("counts a request when it is answered, because the origin saw it only then", async () => {
    const bench = onClock({ rate: { requests: 1, perSeconds: 4 }, concurrency: 1 });
    const starts = await startsOf(bench, 2, { takesMs: 150 });
    expect(tightest(starts, 1)).toBe(4_151);
  });

  it("keeps to the window for any cap, load and duration", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 6 }),
        fc.integer({ min: 1, max: 8 }),
        fc.array(fc.integer({ min: 0, max: 12 }), { minLength: 1, maxLength: 10 }),
        async (cap, concurrency, gaps) => {
          const { clock, governor } = onClock({
            rate: { requests: cap, perSeconds: 0.04 },
            concurrency,
          });
          const starts: number[] = [];
          const all = async (): Promise<void> => {
            const tasks: Promise<void>[] = [];
            for (const gap of gaps) {
              await sleepOn(clock, gap);
              tasks.push(
                governor.run(async (answered) => {
                  starts.push(clock.now());
                  await sleepOn(clock, gap / 2);
                  answered({ status: 200, headers: {} });
                }),
              );
            }
            await Promise.all(tasks);
          };
          await clock.run(all());
          expect(starts).toHaveLength(gaps.length);
          expect(tightest(starts, cap)).toBeGreaterThanOrEqual(40);
        },
      ),
    );
  });

  it("runs no more tasks at once than the concurrency allows", async () => {
    const { clock, governor } = onClock({
      rate: { requests: 1_000_000, perSeconds: 1 },
      concurrency: 3,
    });
    let running = 0;
    let most = 0;
    const tasks = Array.from({ length: 20 }, () =>
      governor.run(async (answered) => {
        most = Math.max(most, ++running);
        answered({ status: 200, headers: {} });
        await sleepOn(clock, 2);
        running--;
      }),
    );
    await clock.run(Promise.all(tasks));
    expect(most).toBe(3);
  });

  it("goes on after tasks that fail, and hands their errors on", async () => {
    const { clock, governor } = onClock({ rate: { requests: 1, perSeconds: 20 }, concurrency: 1 });
    const failed = governor.run(() => Promise.reject(new Error("first")));
    const next = governor.run(async () => "second");
    await expect(failed).rejects.toThrow("first");
    await expect(clock.run(next)).resolves.toBe("second");
  });

  it("holds everybody during a pause, and counts it", async () => {
    const bench = onClock(free);
    const begun = bench.clock.now();
    await pause(bench.governor, 100_000);
    const starts = await startsOf(bench, 5);
    expect(Math.min(...starts) - begun).toBe(100_000);
    expect(bench.governor.pausedMs).toBe(100_000);
  });

  it("never shortens a pause", async () => {
    const bench = onClock({ rate: { requests: 100, perSeconds: 1 }, concurrency: 100 });
    const begun = bench.clock.now();
    const retryAfter = ["80", "10"];
    const headers = (i: number) => ({ "retry-after": retryAfter[i] });
    await startsOf(bench, 2, { takesMs: 1, headers, status: 429 });
    expect(await startsOf(bench, 1)).toEqual([begun + 80_001]);
    expect(bench.governor.pausedMs).toBe(80_000);
  });

  it("tells what the rate held back apart from the pauses", async () => {
    const bench = onClock({ rate: { requests: 1, perSeconds: 50 }, concurrency: 1 });
    await startsOf(bench, 3);
    expect(bench.governor.pausedMs).toBe(0);
    expect(bench.governor.waitedMs).toBe(100_002);
    expect(bench.governor.msPerRequest).toBe(50_000);
  });

  it.each([
    ["that has no steps", 0.25],
    ["that is set back all the time", -1_000],
  ])("counts no wait below nothing with a clock %s", async (_, step) => {
    const bench = onClock({ rate: { requests: 1, perSeconds: 1 }, concurrency: 4 });
    const { clock } = bench;
    let passed = 0;
    const now = (): number => {
      passed += step;
      return clock.now() + passed;
    };
    const stepping = { ...clock, now };
    const governor = new Governor({ ...free, clock: stepping });
    for (let n = 0; n < 20; n++)
      await governor.run(async (answered) => answered({ status: 200, headers: {} }));
    expect(governor.waitedMs).toBe(0);
  });

  it("counts a wait only while somebody waits", async () => {
    const bench = onClock(free);
    await pause(bench.governor, 100_000);
    await bench.clock.run(sleepOn(bench.clock, 40_000));
    expect(bench.governor.waitedMs).toBe(0);
    await startsOf(bench, 5);
    expect(bench.governor.waitedMs).toBe(60_000);
    expect(bench.governor.pausedMs).toBe(100_000);
  });

  it.each<[string, (now: number) => Headers]>([
    ["seconds", () => ({ "x-ratelimit-remaining": "0", "x-ratelimit-reset": "90" })],
    [
      "epoch",
      (now) => ({ "x-ratelimit-remaining": "0", "x-ratelimit-reset": String(now + 90_000) }),
    ],
    ["retry-after", () => ({ "x-ratelimit-remaining": "0", "retry-after": "90" })],
    ["separate fields", () => ({ "ratelimit-remaining": "0", "ratelimit-reset": "90" })],
    ["draft 7", () => ({ ratelimit: "limit=9, remaining=0, reset=90" })],
    ["draft 8", () => ({ ratelimit: '"default";r=0;t=90' })],
  ])("waits when nothing remains, said in the dialect %s", async (_, headersAt) => {
    const bench = onClock(free);
    const told = bench.clock.now();
    await startsOf(bench, 1, { headers: () => headersAt(told) });
    expect(await startsOf(bench, 1)).toEqual([told + 90_000]);
  });

  it("starts no more than remain, although it does not know which of its requests were counted", async () => {
    let left = 5;
    const bench = onClock({ ...free, rate: "auto" });
    const begun = bench.clock.now();
    const starts = await startsOf(bench, 8, {
      takesMs: 5,
      headers: () => ({
        "x-ratelimit-remaining": String(Math.max(--left, 0)),
        "x-ratelimit-reset": "30",
      }),
    });
    expect(starts.filter((start) => start - begun < 30_000).length).toBe(5);
  });

  it("uses up exactly what an origin with a lower limit than configured allows", async () => {
    let admitted: number[] = [];
    let refused = 0;
    const bench = onClock({ rate: { requests: 1000, perSeconds: 1 }, concurrency: 4 });
    await startsOf(bench, 1, { headers: headersOfLimit });
    await startsOf(bench, 29, { takesMs: 20, headers: headersOfLimit });
    expect(refused).toBe(0);

    /** A sliding window of 10 in 15 s at the origin, which counts when it answers. */
    function headersOfLimit(): Headers {
      const time = bench.clock.now();
      admitted = admitted.filter((at) => at > time - 15_000);
      if (admitted.length >= 10) refused++;
      else admitted.push(time);
      const resetMs = (admitted[0] as number) + 15_001 - time;
      return {
        "x-ratelimit-remaining": String(10 - admitted.length),
        "x-ratelimit-reset": String(resetMs / 1000),
      };
    }
  });

  it("sends a single request ahead after a pause, and all when nobody speaks of a limit", async () => {
    const bench = onClock(free);
    await startsOf(bench, 1, {
      headers: () => ({ "x-ratelimit-remaining": "0", "x-ratelimit-reset": "2" }),
    });
    const begun = bench.clock.now() + 2_000;
    const starts = await startsOf(bench, 5, { takesMs: 40 });
    expect(starts.map((at) => at - begun)).toEqual([0, 40, 40, 40, 40]);
  });

  it("does not let a new run exceed what the last one began", async () => {
    const rate = { requests: 5, perSeconds: 30 };
    const first = onClock({ rate, concurrency: 5 });
    const before = await startsOf(first, 5);
    const second = onClock({ rate, concurrency: 5, state: first.governor.state() }, first.clock);
    const after = await startsOf(second, 5);
    expect(tightest([...before, ...after], 5)).toBeGreaterThanOrEqual(30_000);
  });

  it("counts requests that were underway when the last run was killed", async () => {
    const rate = { requests: 2, perSeconds: 40 };
    const { clock, governor: killed } = onClock({ rate, concurrency: 2 });
    for (let i = 0; i < 2; i++) void killed.run(() => new Promise(() => {}));
    await clock.run(sleepOn(clock, 1));
    const begun = clock.now();
    const next = onClock({ rate, concurrency: 2, state: killed.state() }, clock);
    expect(await startsOf(next, 1)).toEqual([begun + 40_001]);
  });

  it("keeps a pause over a restart", async () => {
    const first = onClock(free);
    const begun = first.clock.now();
    await startsOf(first, 1, {
      headers: () => ({ "x-ratelimit-remaining": "0", "x-ratelimit-reset": "12" }),
    });
    const next = onClock({ ...free, state: first.governor.state() }, first.clock);
    expect(await startsOf(next, 1)).toEqual([begun + 12_000]);
  });

  it("forgets starts that no longer count", async () => {
    const bench = onClock({ rate: { requests: 5, perSeconds: 20 }, concurrency: 5 });
    await startsOf(bench, 5);
    expect(bench.governor.state().starts).toHaveLength(5);
    await bench.clock.run(sleepOn(bench.clock, 20_000));
    expect(bench.governor.state().starts).toEqual([]);
  });

  it("waits no longer than a window where the clock was ahead in the last run", async () => {
    const clock = virtualClock();
    const state = { starts: [clock.now() + 3_600_000], pausedUntil: 0 };
    const begun = clock.now();
    const bench = onClock({ rate: { requests: 1, perSeconds: 10 }, concurrency: 1, state }, clock);
    expect(await startsOf(bench, 1)).toEqual([begun + 10_001]);
  });

  it("refuses at once to sit out a pause that is too long, also for those that wait already", async () => {
    const { governor } = onClock({ ...free, concurrency: 1, maxPauseMs: 1_000 });
    const first = governor.run(async (answered) => {
      const headers = { "x-ratelimit-remaining": "0", "x-ratelimit-reset": "7200" };
      answered({ status: 200, headers });
    });
    const second = governor.run(async () => {});
    await first;
    const refusal = await second.catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(BudgetError);
    expect(refusal).toMatchObject({
      exitCode: 9,
      message: "the origin allows no request for 120 minutes",
    });
  });

  it("ends waits at once when the signal is raised, without starting anything", async () => {
    const controller = new AbortController();
    // Nothing moves this clock on, so that only the signal can end the waits.
    const { governor } = onClock({
      rate: { requests: 1, perSeconds: 60 },
      concurrency: 1,
      signal: controller.signal,
    });
    let started = 0;
    const tasks = Array.from({ length: 3 }, () =>
      governor.run(async () => {
        started++;
      }),
    );
    await tasks[0];
    const reason = new Interrupted("SIGINT");
    controller.abort(reason);
    const results = await Promise.allSettled(tasks);
    expect(results.slice(1)).toEqual([
      { status: "rejected", reason },
      { status: "rejected", reason },
    ]);
    expect(started).toBe(1);
  });
});
