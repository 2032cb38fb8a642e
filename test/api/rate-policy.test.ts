import { describe, expect, it } from "vitest";
import type { Headers } from "../../src/api/headers.ts";
import { policiesOf } from "../../src/api/rate-policy.ts";

describe("policiesOf", () => {
  it.each<[Headers, [requests: number, seconds: number][]]>([
    [{}, []],
    [{ "ratelimit-policy": "100;w=60" }, [[100, 60]]],
    [{ "ratelimit-policy": " 100 ; w=60;burst=1000" }, [[100, 60]]],
    [{ "ratelimit-policy": '"hour";q=1000;w=3600' }, [[1000, 3600]]],
    [{ "ratelimit-policy": '"a;q=1;w=1,";q=5;w=10' }, [[5, 10]]],
    [
      { "ratelimit-policy": '"burst";q=10;w=1, "hour";w=3600;q=1000' },
      [
        [10, 1],
        [1000, 3600],
      ],
    ],
    [
      { "ratelimit-policy": ["10;w=1", "1000;w=3600"] },
      [
        [10, 1],
        [1000, 3600],
      ],
    ],
    [{ "ratelimit-policy": "100;w=60, 50;w=60" }, [[50, 60]]],
    [{ "ratelimit-policy": '"bytes";q=9;w=60;qu="content-bytes"' }, []],
    [{ "ratelimit-policy": '"all";q=9;w=60;qu="requests"' }, [[9, 60]]],
    [{ "ratelimit-limit": "100, 100;w=60" }, [[100, 60]]],
    [{ "x-ratelimit-limit": "60;w=60" }, [[60, 60]]],
    [{ "x-ratelimit-limit": "60" }, []],
    [{ "x-ratelimit-limit": "60", "x-ratelimit-window": "30" }, [[60, 30]]],
    [
      { "x-ratelimit-limit-minute": "60", "x-ratelimit-limit-hour": "600" },
      [
        [60, 60],
        [600, 3600],
      ],
    ],
    // Nobody can mean these.
    [{ "ratelimit-policy": "0;w=60" }, []],
    [{ "ratelimit-policy": "100;w=0" }, []],
    [{ "ratelimit-policy": "100" }, []],
    [{ "ratelimit-policy": "100;w=99999999" }, []],
    [{ "ratelimit-policy": `${"9".repeat(400)};w=60` }, []],
    [{ "ratelimit-policy": "-5;w=60, many;w=60, 1e3;w=60" }, []],
  ])("%j → %j", (headers, expected) => {
    expect(policiesOf(headers).map(({ requests, perMs }) => [requests, perMs / 1000])).toEqual(
      expected,
    );
  });
});
