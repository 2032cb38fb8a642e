import { describe, expect, it } from "vitest";
import { createBudget } from "../../src/lib/concurrency.ts";

describe("createBudget", () => {
  it("runs as many as fit by number and weight, in order, and the heaviest alone", async () => {
    const budget = createBudget(3, 50);
    const running = new Map<number, number>();
    const order: number[] = [];
    const work = [12, 12, 12, 12, 100, 24, 30, 1].map((weight, index) =>
      budget.run(weight, async () => {
        order.push(index);
        running.set(index, weight);
        const weights = [...running.values()];
        expect(weights.length).toBeLessThanOrEqual(3);
        if (weights.length > 1) expect(weights.reduce((a, b) => a + b)).toBeLessThanOrEqual(50);
        await new Promise((resolve) => setTimeout(resolve, 5));
        running.delete(index);
      }),
    );
    await Promise.all(work);
    expect(order).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
  });

  it("goes on after a failure", async () => {
    const budget = createBudget(1, 1);
    await expect(budget.run(1, () => Promise.reject(new Error("no")))).rejects.toThrow("no");
    expect(await budget.run(1, async () => "yes")).toBe("yes");
  });
});
