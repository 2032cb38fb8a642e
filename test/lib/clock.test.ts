import { describe, expect, it } from "vitest";
import { sleepOn, systemClock } from "../../src/lib/clock.ts";
import { virtualClock } from "./virtual-clock.ts";

describe("systemClock", () => {
  it("does not follow the machine's clock when that is set", () => {
    const before = systemClock.now();
    const { now } = Date;
    try {
      Date.now = () => 0;
      expect(systemClock.now()).toBeGreaterThanOrEqual(before);
    } finally {
      Date.now = now;
    }
  });

  it("calls back, and not where it was cancelled", async () => {
    const called: string[] = [];
    systemClock.after(10, () => called.push("cancelled"))();
    await new Promise<void>((resolve) => systemClock.after(30, resolve));
    expect(called).toEqual([]);
  });
});

describe("sleepOn", () => {
  it("waits as long as the clock says", async () => {
    const clock = virtualClock(0);
    await clock.run(sleepOn(clock, 72 * 3_600_000));
    expect(clock.now()).toBe(72 * 3_600_000);
  });

  it("ends at once with the signal's reason", async () => {
    const controller = new AbortController();
    const reason = new Error("stop");
    const sleep = sleepOn(systemClock, 60_000, controller.signal);
    controller.abort(reason);
    await expect(sleep).rejects.toBe(reason);
    await expect(sleepOn(systemClock, 60_000, controller.signal)).rejects.toBe(reason);
  });
});
