import { clockCase } from "../clock.ts";

export const worldCase = clockCase(-2 * 24 * 3_600_000, {
  says: "it is the day before yesterday by the origin's clock, so that this machine's is ahead",
  source: "a runner whose clock was wrong for a night",
});
