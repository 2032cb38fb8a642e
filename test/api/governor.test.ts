import { setTimeout as sleep } from "node:timers/promises";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createGovernor, type Governor } from "../../src/api/governor.ts";
import type { Headers } from "../../src/api/headers.ts";
import { BudgetError, Interrupted } from "../../src/errors.ts";
import { systemClock } from "../../src/lib/clock.ts";

const free = { rate: "auto", concurrency: 100 } as const;

/** Lets an origin ask for a pause. */
async function pause(governor: Governor, ms: number): Promise<void> {
  const headers = { "retry-after": String(ms / 1000) };
  await governor.run(async (answered) => answered({ status: 503, headers }));
}

/** Starts of tasks that each take some milliseconds and are answered with the given headers. */
async function startsOf(
  governor: Governor,
  count: number,
  {
    takesMs = 0,
    headers = () => ({}),
  }: { takesMs?: number; headers?: (i: number) => Headers } = {},
): Promise<number[]> {
  const starts: number[] = [];
  await Promise.all(
    Array.from({ length: count }, () =>
      governor.run(async (answered) => {
        const index = starts.push(performance.now()) - 1;
        if (takesMs > 0) await sleep(takesMs);
        answered({ status: 200, headers: headers(index) });
      }),
    ),
  );
  return starts;
}

/** The smallest time in which one more than `cap` tasks began. */
function tightest(starts: number[], cap: number): number {
  const spans = starts.slice(cap).map((start, i) => start - (starts[i] as number));
  return Math.min(...spans);
}

describe("governor", () => {
  it("lets the higher ones go first, and equal ones in the order in which they came", async () => {
    const governor = createGovernor({ rate: { requests: 1, perSeconds: 0.02 }, concurrency: 8 });
    const order: string[] = [];
    const one = (name: string, priority?: number) =>
      governor.run(async () => void order.push(name), priority === undefined ? {} : { priority });
    await Promise.all([one("first"), one("a"), one("b", 1), one("c"), one("d", 2), one("e", 1)]);
    expect(order).toEqual(["first", "d", "b", "e", "a", "c"]);
  });

  it("asks whether a request is ready when its turn has come, and gives its place to the next one if not", async () => {
    const governor = createGovernor({ rate: { requests: 1, perSeconds: 0.1 }, concurrency: 8 });
    const begun = performance.now();
    const seen: number[] = [];
    const ready = (): never => {
      seen.push(performance.now() - begun);
      throw new Error("too old");
    };
    const [, late, next] = await Promise.allSettled([
      governor.run(async () => undefined),
      governor.run(async () => undefined, { ready }),
      governor.run(async () => performance.now() - begun),
    ]);
    expect(late).toMatchObject({ status: "rejected", reason: { message: "too old" } });
    expect(seen[0]).toBeGreaterThanOrEqual(99);
    expect(next).toMatchObject({ status: "fulfilled" });
    // It had the turn of the one that was not ready, not one window later.
    expect((next as PromiseFulfilledResult<number>).value).toBeLessThan(190);
  });

  it("never lets more than the cap start in any window, wherever it is laid", async () => {
    const governor = createGovernor({
      rate: { requests: 10, perSeconds: 0.2 },
      concurrency: 8,
    });
    const starts = await startsOf(governor, 45, { takesMs: 7 });
    expect(tightest(starts, 10)).toBeGreaterThanOrEqual(199);
    // And hardly slower: four windows, each longer by the time that an answer takes.
    expect((starts.at(-1) as number) - (starts[0] as number)).toBeLessThan(4 * 250);
  });

  it("counts a request when it is answered, because the origin saw it only then", async () => {
    const governor = createGovernor({ rate: { requests: 1, perSeconds: 0.4 }, concurrency: 1 });
    const starts = await startsOf(governor, 2, { takesMs: 15 });
    expect(tightest(starts, 1)).toBeGreaterThanOrEqual(414);
  });

  it("keeps to the window for any cap, load and duration", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 6 }),
        fc.integer({ min: 1, max: 8 }),
        fc.array(fc.integer({ min: 0, max: 12 }), { minLength: 1, maxLength: 10 }),
        async (cap, concurrency, gaps) => {
          const governor = createGovernor({
            rate: { requests: cap, perSeconds: 0.04 },
            concurrency,
          });
          const starts: number[] = [];
          const tasks: Promise<void>[] = [];
          for (const gap of gaps) {
            await sleep(gap);
            tasks.push(
              governor.run(async (answered) => {
                starts.push(performance.now());
                await sleep(gap / 2);
                answered({ status: 200, headers: {} });
              }),
            );
          }
          await Promise.all(tasks);
          expect(starts).toHaveLength(gaps.length);
          expect(tightest(starts, cap)).toBeGreaterThanOrEqual(39);
        },
      ),
      { numRuns: 12 },
    );
  });

  it("runs no more tasks at once than the concurrency allows", async () => {
    const governor = createGovernor({ rate: "auto", concurrency: 3 });
    let running = 0;
    let most = 0;
    await Promise.all(
      Array.from({ length: 20 }, () =>
        governor.run(async (answered) => {
          most = Math.max(most, ++running);
          answered({ status: 200, headers: {} });
          await sleep(2);
          running--;
        }),
      ),
    );
    expect(most).toBe(3);
  });

  it("goes on after tasks that fail, and hands their errors on", async () => {
    const governor = createGovernor({ rate: { requests: 1, perSeconds: 0.02 }, concurrency: 1 });
    const failed = governor.run(() => Promise.reject(new Error("first")));
    const next = governor.run(async () => "second");
    await expect(failed).rejects.toThrow("first");
    await expect(next).resolves.toBe("second");
  });

  it("holds everybody during a pause, and counts it", async () => {
    const governor = createGovernor(free);
    const begun = performance.now();
    await pause(governor, 100);
    const starts = await startsOf(governor, 5);
    expect(Math.min(...starts) - begun).toBeGreaterThanOrEqual(98);
    expect(governor.pausedMs).toBeGreaterThanOrEqual(99);
    expect(governor.pausedMs).toBeLessThan(140);
  });

  it("never shortens a pause", async () => {
    const governor = createGovernor(free);
    const begun = performance.now();
    await Promise.all([80, 10].map((ms) => pause(governor, ms)));
    const [start] = await startsOf(governor, 1);
    expect((start as number) - begun).toBeGreaterThanOrEqual(78);
  });

  it("does not count time in which it waits for its own rate", async () => {
    const governor = createGovernor({ rate: { requests: 1, perSeconds: 0.05 }, concurrency: 1 });
    await startsOf(governor, 3);
    expect(governor.pausedMs).toBe(0);
  });

  it("waits when nothing remains, in whichever dialect that is said", async () => {
    const dialects: Record<string, () => Headers> = {
      seconds: () => ({ "x-ratelimit-remaining": "0", "x-ratelimit-reset": "1" }),
      epoch: () => ({
        "x-ratelimit-remaining": "0",
        "x-ratelimit-reset": String(Date.now() + 1000),
      }),
      "retry-after": () => ({ "x-ratelimit-remaining": "0", "retry-after": "1" }),
      "separate fields": () => ({ "ratelimit-remaining": "0", "ratelimit-reset": "1" }),
      "draft 7": () => ({ ratelimit: "limit=9, remaining=0, reset=1" }),
      "draft 8": () => ({ ratelimit: '"default";r=0;t=1' }),
    };
    const tooEarly: string[] = [];
    await Promise.all(
      Object.entries(dialects).map(async ([name, headersNow]) => {
        const governor = createGovernor(free);
        let told = 0;
        const headers = (): Headers => {
          told = performance.now();
          return headersNow();
        };
        await startsOf(governor, 1, { headers });
        await startsOf(governor, 1);
        if (performance.now() - told < 990) tooEarly.push(name);
      }),
    );
    expect(tooEarly).toEqual([]);
  });

  it("starts no more than remain, although it does not know which of its requests were counted", async () => {
    let left = 5;
    const governor = createGovernor(free);
    const begun = performance.now();
    const starts = await startsOf(governor, 8, {
      takesMs: 5,
      headers: () => ({
        "x-ratelimit-remaining": String(Math.max(--left, 0)),
        "x-ratelimit-reset": "0.3",
      }),
    });
    expect(starts.filter((start) => start - begun < 290).length).toBe(5);
    expect((starts[5] as number) - begun).toBeGreaterThanOrEqual(295);
  });

  it("uses up exactly what an origin with a lower limit than configured allows", async () => {
    let admitted: number[] = [];
    let refused = 0;
    const governor = createGovernor({ rate: { requests: 1000, perSeconds: 1 }, concurrency: 4 });
    await startsOf(governor, 1, { headers: headersOfLimit });
    await startsOf(governor, 29, { takesMs: 2, headers: headersOfLimit });
    expect(refused).toBe(0);

    /** A sliding window of 10 in 150 ms at the origin, which counts when it answers. */
    function headersOfLimit(): Headers {
      const time = Date.now();
      admitted = admitted.filter((at) => at > time - 150);
      if (admitted.length >= 10) refused++;
      else admitted.push(time);
      const resetMs = (admitted[0] as number) + 151 - time;
      return {
        "x-ratelimit-remaining": String(10 - admitted.length),
        "x-ratelimit-reset": String(resetMs / 1000),
      };
    }
  });

  it("takes the oldest request's window for the reset where the origin names none", async () => {
    const governor = createGovernor({ rate: { requests: 100, perSeconds: 0.2 }, concurrency: 1 });
    const begun = performance.now();
    await startsOf(governor, 3, {
      takesMs: 20,
      headers: (i) => ({ "x-ratelimit-remaining": String(2 - i) }),
    });
    const [start] = await startsOf(governor, 1);
    expect((start as number) - begun).toBeGreaterThanOrEqual(198);
    expect((start as number) - begun).toBeLessThan(260);
  });

  it("sends a single request ahead when an allowance is new, and all when nobody speaks of it", async () => {
    const governor = createGovernor(free);
    await startsOf(governor, 1, {
      headers: () => ({ "x-ratelimit-remaining": "0", "x-ratelimit-reset": "0.02" }),
    });
    const starts = await startsOf(governor, 5, { takesMs: 40 });
    const [ahead, ...others] = starts as [number, ...number[]];
    expect(Math.min(...others) - ahead).toBeGreaterThanOrEqual(39);
    expect(Math.max(...others) - Math.min(...others)).toBeLessThan(30);
  });

  it("does not let a new run exceed what the last one began", async () => {
    const rate = { requests: 5, perSeconds: 0.3 };
    const first = createGovernor({ rate, concurrency: 5 });
    const before = await startsOf(first, 5);
    const second = createGovernor({ rate, concurrency: 5, state: first.state() });
    const after = await startsOf(second, 5);
    expect(tightest([...before, ...after], 5)).toBeGreaterThanOrEqual(299);
  });

  it("counts requests that were underway when the last run was killed", async () => {
    const rate = { requests: 2, perSeconds: 0.4 };
    const killed = createGovernor({ rate, concurrency: 2 });
    for (let i = 0; i < 2; i++) void killed.run(() => new Promise(() => {}));
    await sleep(1);
    const begun = performance.now();
    const next = createGovernor({ rate, concurrency: 2, state: killed.state() });
    const [start] = await startsOf(next, 1);
    expect((start as number) - begun).toBeGreaterThanOrEqual(395);
  });

  it("keeps a pause over a restart", async () => {
    const first = createGovernor(free);
    const begun = performance.now();
    await startsOf(first, 1, {
      headers: () => ({ "x-ratelimit-remaining": "0", "x-ratelimit-reset": "0.12" }),
    });
    const [start] = await startsOf(createGovernor({ ...free, state: first.state() }), 1);
    expect((start as number) - begun).toBeGreaterThanOrEqual(118);
  });

  it("forgets starts that no longer count", async () => {
    const governor = createGovernor({ rate: { requests: 5, perSeconds: 0.02 }, concurrency: 5 });
    await startsOf(governor, 5);
    expect(governor.state().starts).toHaveLength(5);
    await sleep(25);
    expect(governor.state().starts).toEqual([]);
  });

  it("waits no longer than a window when the clock is set back", async () => {
    let offset = 3_600_000;
    const governor = createGovernor({
      rate: { requests: 2, perSeconds: 0.1 },
      concurrency: 1,
      clock: { ...systemClock, now: () => Date.now() + offset },
    });
    await startsOf(governor, 2);
    offset = 0;
    const begun = performance.now();
    const starts = await startsOf(governor, 2);
    expect((starts.at(-1) as number) - begun).toBeLessThan(160);
  });

  it("refuses at once to sit out a pause that is too long, also for those that wait already", async () => {
    const governor = createGovernor({ ...free, concurrency: 1, maxPauseMs: 1_000 });
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
    const governor = createGovernor({
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
    const begun = performance.now();
    controller.abort(reason);
    const results = await Promise.allSettled(tasks);
    expect(results.slice(1)).toEqual([
      { status: "rejected", reason },
      { status: "rejected", reason },
    ]);
    expect(started).toBe(1);
    expect(performance.now() - begun).toBeLessThan(50);
  });
});
