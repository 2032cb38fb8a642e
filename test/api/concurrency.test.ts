import { setTimeout as sleep } from "node:timers/promises";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { limitTime } from "../../src/api/limits.ts";
import { BudgetError, Interrupted } from "../../src/errors.ts";
import { eachLimited } from "../../src/lib/concurrency.ts";

describe("eachLimited", () => {
  it("works on every item once, never on more than the limit at a time", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 0, max: 3 }), { maxLength: 20 }),
        fc.integer({ min: 1, max: 6 }),
        async (delays, limit) => {
          const done: number[] = [];
          let running = 0;
          let most = 0;
          await eachLimited(delays.entries(), limit, async ([index, delayMs]) => {
            most = Math.max(most, ++running);
            await sleep(delayMs);
            running--;
            done.push(index);
          });
          expect(done.sort((a, b) => a - b)).toEqual([...delays.keys()]);
          expect(most).toBe(Math.min(limit, delays.length));
        },
      ),
      { numRuns: 30 },
    );
  });

  it("takes items only when there is a place for them", async () => {
    let taken = 0;
    function* items() {
      for (let i = 0; i < 10; i++) yield ++taken;
    }
    await eachLimited(items(), 3, async (item) => {
      await sleep(1);
      expect(taken - item).toBeLessThanOrEqual(3);
    });
    expect(taken).toBe(10);
  });

  it("throws the first failure when what had begun has ended, and begins nothing more", async () => {
    const begun: number[] = [];
    const ended: number[] = [];
    const work = eachLimited([1, 2, 3, 4, 5, 6], 3, async (item) => {
      begun.push(item);
      await sleep(item * 5);
      ended.push(item);
      if (item <= 2) throw new Error(`item ${item}`);
    });
    await expect(work).rejects.toThrow("item 1");
    expect(begun).toEqual([1, 2, 3]);
    expect(ended).toEqual([1, 2, 3]);
  });

  it("waits for what had begun when the items themselves fail", async () => {
    let ended = 0;
    async function* items() {
      yield 1;
      yield 2;
      throw new Error("no more items");
    }
    const work = eachLimited(items(), 5, async () => {
      await sleep(10);
      ended++;
    });
    await expect(work).rejects.toThrow("no more items");
    expect(ended).toBe(2);
  });
});

describe("limitTime", () => {
  it("raises the signal with exit code 9 when the time is used up", async () => {
    const signal = limitTime(0.03, new AbortController().signal);
    expect(signal.aborted).toBe(false);
    await sleep(60);
    expect(signal.reason).toBeInstanceOf(BudgetError);
    expect(signal.reason).toMatchObject({
      exitCode: 9,
      message: "crawl.maxDuration is used up: 0.03 s",
    });
  });

  it("raises it with the reason of the given one before that", () => {
    const controller = new AbortController();
    const signal = limitTime(60, controller.signal);
    const reason = new Interrupted("SIGTERM");
    controller.abort(reason);
    expect(signal.reason).toBe(reason);
  });

  it("is the given signal where there is no limit", () => {
    const { signal } = new AbortController();
    expect(limitTime(null, signal)).toBe(signal);
  });
});
