import type { Headers } from "./headers.ts";
import type { RateWindow } from "./request-log.ts";

/** What a name at the end of a header means, in seconds, as Kong writes it. */
const periods = { second: 1, minute: 60, hour: 3_600, day: 86_400 };
/** No run is that long. */
const maxSeconds = 31 * 86_400;
const maxRequests = 1_000_000;

/**
 * The limits that an answer states together with their intervals, the tightest for each interval; empty where it
 * states none.
 *
 * Understands `RateLimit-Policy` of the IETF drafts (`100;w=60`, `"hour";q=1000;w=3600`), their older
 * `RateLimit-Limit: 100, 100;w=60`, `X-RateLimit-Limit` in that form or beside an `X-RateLimit-Window` in seconds,
 * and `X-RateLimit-Limit-Minute` and its like.
 */
export function policiesOf(headers: Headers): RateWindow[] {
  const found = [...statedIn(textOf(headers, "ratelimit-policy"))];
  for (const prefix of ["x-ratelimit", "x-rate-limit", "ratelimit"]) {
    const limit = textOf(headers, `${prefix}-limit`);
    found.push(...statedIn(limit));
    found.push(...windowOf(limit, textOf(headers, `${prefix}-window`)));
    for (const [name, seconds] of Object.entries(periods)) {
      found.push(...windowOf(textOf(headers, `${prefix}-limit-${name}`), String(seconds)));
    }
  }
  const tightest = new Map<number, RateWindow>();
  for (const window of found) {
    const known = tightest.get(window.perMs);
    if (known === undefined || window.requests < known.requests) tightest.set(window.perMs, window);
  }
  return [...tightest.values()];
}

/** The items of a list header, which may stand in several lines, that name a quota and its window. */
function* statedIn(text: string): Generator<RateWindow> {
  for (const item of text.match(/(?:"[^"]*"|[^,"])+/g) ?? []) {
    // Bytes, and requests at one time, are no matter of a window of requests.
    if (/;\s*qu=(?!"requests")/.test(item)) continue;
    const bare = item.replace(/"[^"]*"/g, "");
    const quota = /^\s*(\d+)\s*;/.exec(bare) ?? /;\s*q=(\d+)/.exec(bare);
    yield* windowOf(quota?.[1] ?? "", /;\s*w=(\d+)/.exec(bare)?.[1] ?? "");
  }
}

function* windowOf(quota: string, seconds: string): Generator<RateWindow> {
  const requests = wholeNumber(quota);
  const perSeconds = wholeNumber(seconds);
  if (requests < 1 || requests > maxRequests || perSeconds < 1 || perSeconds > maxSeconds) return;
  yield { requests, perMs: perSeconds * 1000 };
}

/** 0 where it is none. */
function wholeNumber(text: string): number {
  return /^\s*\d{1,15}\s*$/.test(text) ? Number(text) : 0;
}

function textOf(headers: Headers, name: string): string {
  const value = headers[name] ?? "";
  return Array.isArray(value) ? value.join(",") : value;
}
