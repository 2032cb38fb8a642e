import { describe, expect, it } from "vitest";
import { createServerClock, originTime } from "../../src/api/server-clock.ts";

const now = Date.parse("2024-05-02T10:00:00.800Z");
const at = (ms: number): string => new Date(now + ms).toUTCString();

describe("originTime", () => {
  it.each<[string, Record<string, string>, number]>([
    ["without a date", {}, now],
    ["of a date that is none", { date: "noon" }, now],
    ["of our second", { date: at(0) }, now],
    ["of the next second", { date: at(1_000) }, now + 200],
    ["of two seconds ago", { date: at(-2_000) }, now - 2_800],
    ["of another year", { date: "Fri, 02 May 2025 10:00:00 GMT" }, Date.parse("2025-05-02T10:00Z")],
    ["from a cache", { date: at(-600_000), age: "600" }, now],
    ["from a cache that asked just now", { date: at(-600_000), age: "0" }, now - 600_800],
  ])("%s", (_name, headers, expected) => {
    expect(originTime(headers, now)).toBe(expected);
  });
});

describe("the server's clock", () => {
  it("is ours until an answer shows another time, and follows the newest one", () => {
    let ours = now;
    const clock = createServerClock(() => ours);
    expect(clock.now()).toBe(ours);
    clock.heard({ date: at(0) });
    expect(clock.now()).toBe(ours);
    clock.heard({ date: at(3_600_000) });
    expect(Math.abs(clock.now() - ours - 3_600_000)).toBeLessThan(1_000);
    ours += 60_000;
    clock.heard({ date: "garbage" });
    clock.heard({});
    expect(Math.abs(clock.now() - ours - 3_600_000)).toBeLessThan(1_000);
    clock.heard({ date: at(60_000 - 7_200_000) });
    expect(Math.abs(clock.now() - ours + 7_200_000)).toBeLessThan(1_000);
  });

  it("does not waver with dates that are cut to seconds and some time on their way", () => {
    let ours = now;
    const clock = createServerClock(() => ours);
    const seen = new Set<number>();
    for (let i = 0; i < 1_000; i++) {
      ours += 137;
      const sentMs = 3_600_000 + ours - now - ((i * 31) % 900);
      clock.heard({ date: at(sentMs) });
      seen.add(clock.now() - ours);
    }
    expect(seen.size).toBe(1);
  });
});
