import { clockCase } from "../clock.ts";

export const worldCase = clockCase(-10 * 60_000, {
  says: "it is ten minutes earlier by the origin's clock",
  source: "a machine that no time server is asked from",
});
