import { describe, expect, it } from "vitest";
import { dice } from "../../src/lib/random.ts";

describe("dice", () => {
  it("spreads evenly and tells seeds apart, also those above 32 bits", () => {
    const counts = new Array<number>(10).fill(0);
    const random = dice(1, 2);
    for (let i = 0; i < 10_000; i++) {
      const at = random.roll(10);
      counts[at] = (counts[at] ?? 0) + 1;
    }
    for (const count of counts) expect(Math.abs(count - 1000)).toBeLessThan(150);
    const firsts = [1, 2, 2 ** 32 + 1, 2 ** 33 + 1].map((seed) => dice(seed).share());
    expect(new Set(firsts).size).toBe(4);
  });
});
