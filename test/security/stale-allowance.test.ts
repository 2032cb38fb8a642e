// An origin, or a proxy before it, that says once how few requests remain, and then never speaks of it again.
import { describe, expect, it } from "vitest";
import { Governor } from "../../src/api/governor.ts";
import type { Headers } from "../../src/api/headers.ts";
import { sleepOn } from "../../src/lib/clock.ts";
import { virtualClock } from "../lib/virtual-clock.ts";

/** Runs so many requests of a second each; the first answers have the given headers. Most underway at once, in order. */
async function underway(first: Headers[], count: number): Promise<number[]> {
  const clock = virtualClock();
  const rate = { requests: 100_000, perSeconds: 1 };
  const governor = new Governor({ rate, concurrency: 8, clock });
  const seen: number[] = [];
  let running = 0;
  const tasks = Array.from({ length: count }, (_, at) =>
    governor.run(async (answered) => {
      seen.push(++running);
      await sleepOn(clock, 1_000);
      running--;
      answered({ status: 200, headers: first[at] ?? {} });
    }),
  );
  await clock.run(Promise.all(tasks));
  return seen;
}

describe("what remains by one answer", () => {
  it.each([
    ["one", { "x-ratelimit-remaining": "1", "x-ratelimit-reset": "2" }],
    ["three, with a reset", { "x-ratelimit-remaining": "3", "x-ratelimit-reset": "2" }],
    ["three, without one", { "x-rate-limit-remaining": "3" }],
    ["two, in a draft's words", { ratelimit: '"default";r=2;t=1' }],
    ["none, without a reset", { "x-ratelimit-remaining": "0" }],
  ])("is used up by the answers behind it: %s", async (_, headers) => {
    const seen = await underway(Array(8).fill(headers), 80);
    expect(Math.min(...seen.slice(8, 12))).toBeLessThanOrEqual(3);
    // Later ones run eight at a time again.
    expect(Math.max(...seen.slice(40))).toBe(8);
  });

  it("holds as long as each answer says it", async () => {
    const seen = await underway(Array(80).fill({ "x-ratelimit-remaining": "2" }), 80);
    expect(Math.max(...seen.slice(10))).toBe(2);
  });
});
