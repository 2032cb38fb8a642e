import { describe, expect, it } from "vitest";
import { allowanceOf } from "../../src/api/rate-headers.ts";

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
