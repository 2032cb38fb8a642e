import { describe, expect, it } from "vitest";
import { allowanceOf, retryAfterOf } from "../../src/api/headers.ts";

const now = Date.parse("2024-05-02T10:00:00Z");
const nowSeconds = now / 1000;

describe("allowanceOf", () => {
  it.each([
    [{}, undefined],
    [{ "x-ratelimit-limit": "60" }, undefined],
    [{ "x-ratelimit-remaining": "59" }, { remaining: 59, resetMs: undefined }],
    [{ "x-ratelimit-remaining": "0" }, { remaining: 0, resetMs: undefined }],
    [
      { "x-ratelimit-remaining": "0", "x-ratelimit-reset": "30" },
      { remaining: 0, resetMs: 30_000 },
    ],
    [
      { "x-ratelimit-remaining": "0", "x-ratelimit-reset": "0.25" },
      { remaining: 0, resetMs: 250 },
    ],
    [
      { "x-ratelimit-remaining": "0", "x-ratelimit-reset": String(nowSeconds + 9) },
      { remaining: 0, resetMs: 9_000 },
    ],
    [
      { "x-ratelimit-remaining": "0", "x-ratelimit-reset": String(now + 9_500) },
      { remaining: 0, resetMs: 9_500 },
    ],
    [
      { "x-ratelimit-remaining": "0", "x-ratelimit-reset": String(nowSeconds - 9) },
      { remaining: 0, resetMs: 0 },
    ],
    [
      { "x-ratelimit-remaining": "0", "x-ratelimit-reset": "2024-05-02T10:00:09Z" },
      { remaining: 0, resetMs: 9_000 },
    ],
    [
      { "x-rate-limit-remaining": "3", "x-rate-limit-reset": "Thu, 02 May 2024 10:00:09 GMT" },
      { remaining: 3, resetMs: 9_000 },
    ],
    // The origin's clock is ten minutes ahead of ours: nine seconds are left all the same.
    [
      {
        "x-ratelimit-remaining": "0",
        "x-ratelimit-reset": String(nowSeconds + 609),
        date: "Thu, 02 May 2024 10:10:00 GMT",
      },
      { remaining: 0, resetMs: 9_000 },
    ],
    [
      { "ratelimit-remaining": "0", "ratelimit-reset": "9", "ratelimit-limit": "100" },
      { remaining: 0, resetMs: 9_000 },
    ],
    [{ ratelimit: "limit=100, remaining=0, reset=9" }, { remaining: 0, resetMs: 9_000 }],
    [{ ratelimit: '"default";r=50;t=30' }, { remaining: 50, resetMs: 30_000 }],
    [{ ratelimit: '"burst";r=0;t=1, "day";r=0;t=9' }, { remaining: 0, resetMs: 9_000 }],
    [{ ratelimit: '"burst";r=7;t=1, "day";r=0;t=9' }, { remaining: 0, resetMs: 9_000 }],
    [{ ratelimit: '"burst";r=0;t=1, "day";r=900;t=9999' }, { remaining: 0, resetMs: 1_000 }],
    [
      { "x-ratelimit-remaining": "0", "x-ratelimit-reset": "30", "retry-after": "7" },
      { remaining: 0, resetMs: 7_000 },
    ],
    [{ "x-ratelimit-remaining": ["0", "9"] }, { remaining: 0, resetMs: undefined }],
    [{ "x-ratelimit-remaining": "-1" }, undefined],
    [{ "x-ratelimit-remaining": "many" }, undefined],
    [
      { "x-ratelimit-remaining": "1", "x-ratelimit-reset": "later" },
      { remaining: 1, resetMs: undefined },
    ],
  ])("%j → %j", (headers, expected) => {
    expect(allowanceOf(headers, now)).toEqual(expected);
  });
});

describe("retryAfterOf", () => {
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
    ["0", 0],
    ["1.5", 1_500],
    ["9999999999", 9_999_999_999_000],
    ["1e9", undefined],
    ["NaN", undefined],
    ["Infinity", undefined],
    ["soon", undefined],
    ["9".repeat(400), undefined],
    ["0x10", undefined],
    ["99999-01-01T00:00:00Z", undefined],
    ["5 seconds", undefined],
    ["Thu, 99 May 2024 10:00:03 GMT", undefined],
  ])("%j → %s ms", (header, expected) => {
    expect(retryAfterOf({ "retry-after": header }, now)).toBe(expected);
  });

  it.each([
    // Twenty minutes ahead of us, and twenty behind: three seconds are three seconds.
    ["Thu, 02 May 2024 10:20:00 GMT", "Thu, 02 May 2024 10:20:03 GMT", 3_000],
    ["Thu, 02 May 2024 09:40:00 GMT", "2024-05-02T09:40:03Z", 3_000],
    // Our own clock is finer than a date that agrees with it.
    ["Thu, 02 May 2024 10:00:00 GMT", "Thu, 02 May 2024 10:00:03 GMT", 2_200],
    // Four seconds ahead of the origin, we would be back too early.
    ["Thu, 02 May 2024 09:59:56 GMT", "Thu, 02 May 2024 09:59:59 GMT", 3_000],
    ["no date", "Thu, 02 May 2024 10:00:03 GMT", 2_200],
  ])("reads a date by the origin's clock: at %s until %s → %s ms", (date, header, expected) => {
    expect(retryAfterOf({ date, "retry-after": header }, now + 800)).toBe(expected);
  });

  it("does not take the date of a cached answer for the time", () => {
    const headers = { date: "Thu, 02 May 2024 09:00:00 GMT", age: "3600" };
    const header = "Thu, 02 May 2024 10:00:03 GMT";
    expect(retryAfterOf({ ...headers, "retry-after": header }, now)).toBe(3_000);
  });
});
