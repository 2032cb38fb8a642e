import { clockCase } from "../clock.ts";

export const worldCase = clockCase(24 * 3_600_000, {
  says: "it is tomorrow by the origin's clock",
  source: "a runner whose clock stood still",
});
