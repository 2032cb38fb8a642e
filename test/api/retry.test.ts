import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { retryDelay, toldToWait } from "../../src/api/retry.ts";

describe("retryDelay", () => {
  it.each([
    [{ status: 0 }, 1, 500],
    [{ status: 0 }, 2, 1_000],
    [{ status: 0 }, 4, 4_000],
    [{ status: 0 }, 5, undefined],
    [{ status: 0, final: true }, 1, undefined],
    [{ status: 408 }, 1, 500],
    [{ status: 425 }, 1, 500],
    [{ status: 500 }, 3, 2_000],
    [{ status: 502 }, 1, 500],
    [{ status: 503 }, 1, 500],
    [{ status: 504 }, 5, undefined],
    [{ status: 503, retryAfterMs: 7_000 }, 1, 7_000],
    [{ status: 503, retryAfterMs: 7_000 }, 5, 7_000],
    [{ status: 503, retryAfterMs: 7_000 }, 20, undefined],
    [{ status: 429 }, 1, 500],
    [{ status: 429 }, 7, 30_000],
    [{ status: 429 }, 19, 30_000],
    [{ status: 429 }, 20, undefined],
    [{ status: 429, retryAfterMs: 7_000 }, 1, 7_000],
    [{ status: 429, retryAfterMs: 0 }, 1, 500],
    [{ status: 429, retryAfterMs: 1_500 }, 1, 1_500],
    [{ status: 429, retryAfterMs: 86_400_000 }, 1, 86_400_000],
    [{ status: 429, retryAfterMs: 3_000 }, 1, 3_000],
    [{ status: 429, retryAfterMs: -3_600_000 }, 2, 1_000],
    [{ status: 429, retryAfterMs: undefined }, 1, 500],
    [{ status: 500, retryAfterMs: 7_000 }, 1, 500],
    [{ status: 200 }, 1, undefined],
    [{ status: 302 }, 1, undefined],
    [{ status: 400 }, 1, undefined],
    [{ status: 401 }, 1, undefined],
    [{ status: 403, retryAfterMs: 7_000 }, 1, undefined],
    [{ status: 404 }, 1, undefined],
    [{ status: 410 }, 1, undefined],
    [{ status: 501 }, 1, undefined],
  ])("%o, attempt %i → %s ms", (failure, attempt, delay) => {
    expect(retryDelay(failure, attempt)).toBe(delay);
  });

  it("obeys every number of seconds in full", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 1e9 }),
        fc.integer({ min: 1, max: 19 }),
        (s, attempt) => {
          expect(retryDelay({ status: 429, retryAfterMs: s * 1000 }, attempt)).toBe(s * 1000);
        },
      ),
    );
  });
});

describe("toldToWait", () => {
  it.each([
    [{ status: 429 }, true],
    [{ status: 503, retryAfterMs: 1_000 }, true],
    [{ status: 503 }, false],
    [{ status: 500, retryAfterMs: 1_000 }, false],
    [{ status: 0 }, false],
  ])("%o → %s", (failure, expected) => {
    expect(toldToWait(failure)).toBe(expected);
  });
});
