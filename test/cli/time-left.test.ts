import { describe, expect, it } from "vitest";
import { Governor, type GovernorOptions } from "../../src/api/governor.ts";
import type { Head } from "../../src/api/transfer.ts";
import { type Pace, timeLeft } from "../../src/cli/progress.ts";
import { sleepOn } from "../../src/lib/clock.ts";
import { virtualClock } from "../lib/virtual-clock.ts";

const fast = { requests: 1_000_000, perSeconds: 1 };
const aMinute = { requests: 60, perSeconds: 60 };

interface Load {
  rate: GovernorOptions["rate"];
  /** Requests of earlier stages. */
  earlier: number;
  items: number;
  /** Work on each item that is not for the origin. */
  workMs: number;
  /** The origin wants a pause of a minute after each so many requests. */
  pauseAfter?: number;
}

/** At each item of a stage that is done: what is told to be left, and what it was in the end. */
async function toldAndTrue({ rate, earlier, items, workMs, pauseAfter }: Load) {
  const clock = virtualClock();
  const governor = new Governor({ rate, concurrency: 8, clock });
  let requests = 0;
  const pace = (): Pace => {
    const { waitedMs, pausedMs, pauseMs, msPerRequest } = governor;
    return { requests, retries: 0, waitedMs, pausedMs, pauseMs, msPerRequest };
  };
  const ask = (thenMs: number) =>
    governor.run(async (answered: (head: Head) => void) => {
      requests++;
      const isLast = pauseAfter !== undefined && requests % pauseAfter === 0;
      const pause: Head = { status: 503, headers: { "retry-after": "60" } };
      answered(isLast ? pause : { status: 200, headers: {} });
      if (thenMs > 0) await sleepOn(clock, thenMs);
    });
  await clock.run(Promise.all(Array.from({ length: earlier }, () => ask(0))));
  const before = pace();
  const begun = clock.now();
  let done = 0;
  const told: { at: number; leftMs: number | undefined }[] = [];
  const stage = Array.from({ length: items }, async () => {
    await ask(workMs);
    done++;
    const elapsedMs = clock.now() - begun;
    const leftMs = timeLeft({ done, total: items, before }, elapsedMs, pace());
    told.push({ at: clock.now(), leftMs });
  });
  await clock.run(Promise.all(stage));
  const end = clock.now();
  return told.flatMap(({ at, leftMs }) =>
    leftMs === undefined ? [] : { leftMs, trueMs: end - at },
  );
}

describe("the time that a stage has still to go", () => {
  // Requests come in bursts: what is told may be off by one window or pause, too.
  it.each<[string, Load]>([
    [
      "a window that earlier stages have used up",
      { rate: aMinute, earlier: 60, items: 210, workMs: 0 },
    ],
    ["a window that is free", { rate: aMinute, earlier: 0, items: 210, workMs: 0 }],
    ["the cautious rate", { rate: "auto", earlier: 75, items: 210, workMs: 500 }],
    ["pauses", { rate: fast, earlier: 130, items: 210, workMs: 10, pauseAfter: 50 }],
    ["the work alone", { rate: fast, earlier: 20, items: 400, workMs: 60_000 }],
  ])("is told within a half and a minute under %s", async (_, load) => {
    const told = await toldAndTrue(load);
    expect(told.length).toBeGreaterThan(load.items * 0.8);
    for (const { leftMs, trueMs } of told) {
      expect(Math.abs(leftMs - trueMs)).toBeLessThan(trueMs / 2 + 60_100);
    }
  });
});
