import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { retryAfterMs, retryDelay, toldToWait } from "../../src/api/retry.ts";

const now = new Date("2024-05-02T10:00:00Z");

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
    [{ status: 503, retryAfter: "7" }, 1, 7_000],
    [{ status: 503, retryAfter: "7" }, 5, 7_000],
    [{ status: 503, retryAfter: "7" }, 20, undefined],
    [{ status: 429 }, 1, 500],
    [{ status: 429 }, 7, 30_000],
    [{ status: 429 }, 19, 30_000],
    [{ status: 429 }, 20, undefined],
    [{ status: 429, retryAfter: "7" }, 1, 7_000],
    [{ status: 429, retryAfter: "0" }, 1, 500],
    [{ status: 429, retryAfter: "1.5" }, 1, 1_500],
    [{ status: 429, retryAfter: "86400" }, 1, 86_400_000],
    [{ status: 429, retryAfter: "Thu, 02 May 2024 10:00:03 GMT" }, 1, 3_000],
    [{ status: 429, retryAfter: "Thu, 02 May 2024 09:00:00 GMT" }, 2, 1_000],
    [{ status: 429, retryAfter: "soon" }, 1, 500],
    [{ status: 500, retryAfter: "7" }, 1, 500],
    [{ status: 200 }, 1, undefined],
    [{ status: 302 }, 1, undefined],
    [{ status: 400 }, 1, undefined],
    [{ status: 401 }, 1, undefined],
    [{ status: 403, retryAfter: "7" }, 1, undefined],
    [{ status: 404 }, 1, undefined],
    [{ status: 410 }, 1, undefined],
    [{ status: 501 }, 1, undefined],
  ])("%o, attempt %i → %s ms", (failure, attempt, delay) => {
    expect(retryDelay(failure, attempt, now)).toBe(delay);
  });

  it("obeys every number of seconds in full", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 1e9 }),
        fc.integer({ min: 1, max: 19 }),
        (s, attempt) => {
          expect(retryDelay({ status: 429, retryAfter: String(s) }, attempt, now)).toBe(s * 1000);
        },
      ),
    );
  });
});

describe("retryAfterMs", () => {
  it.each([
    ["120", 120_000],
    [" 2 ", 2_000],
    ["Thu, 02 May 2024 10:00:03 GMT", 3_000],
    ["Thursday, 02-May-24 10:00:03 GMT", 3_000],
    ["Thu May  2 10:00:03 2024", 3_000],
    ["Thu, 02 May 2024 10:00:03", 3_000],
    ["2024-05-02T10:00:03Z", 3_000],
    ["2024-05-02T12:00:03+02:00", 3_000],
    ["Thu, 02 May 2024 09:59:59 GMT", -1_000],
    ["", undefined],
    [undefined, undefined],
    ["-5", undefined],
    ["1e3", undefined],
    ["5 seconds", undefined],
    ["Thu, 99 May 2024 10:00:03 GMT", undefined],
  ])("%j → %s ms", (header, expected) => {
    expect(retryAfterMs(header, now)).toBe(expected);
  });
});

describe("toldToWait", () => {
  it.each([
    [{ status: 429 }, true],
    [{ status: 503, retryAfter: "1" }, true],
    [{ status: 503 }, false],
    [{ status: 500, retryAfter: "1" }, false],
    [{ status: 0 }, false],
  ])("%o → %s", (failure, expected) => {
    expect(toldToWait(failure)).toBe(expected);
  });
});
