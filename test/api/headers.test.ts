import { describe, expect, it } from "vitest";
import { originTime } from "../../src/api/headers.ts";

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
