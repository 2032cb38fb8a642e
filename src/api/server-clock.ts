import { dateOf, type Headers, headerOf } from "./headers.ts";

/** The origin's clock, as far as its answers show it: its links expire by that, whatever ours says. */
export interface ServerClock {
  /** Reads the time in the headers of an answer that has just arrived. */
  heard(headers: Headers): void;
  /** Milliseconds since the epoch; our own clock's until an answer shows another one. */
  now(): number;
}

/** What a Date header leaves open: it is cut to seconds, and may have been a while on its way. */
const graceMs = 1_000;

/**
 * Time at the origin when it answered, in milliseconds since the epoch, where it clearly is another one than ours;
 * else our own, which is finer. Undefined where the answer does not say, or comes from a cache that keeps the
 * date of the day on which it was filled.
 */
function dateOfAnswer(headers: Headers): number | undefined {
  const age = headerOf(headers, "age");
  if (age !== undefined && age.trim() !== "0") return undefined;
  return dateOf(headerOf(headers, "date") ?? "");
}

/**
 * Time by which the times in an answer's headers are to be read: the origin's, never later than that is, or ours
 * where the two agree as far as a Date header can tell.
 *
 * @param now when the answer arrived, by our clock
 */
export function originTime(headers: Headers, now: number): number {
  const date = dateOfAnswer(headers);
  if (date === undefined) return now;
  return now >= date && now - date < graceMs ? now : date;
}

/** @param now our own clock */
export function createServerClock(now: () => number): ServerClock {
  let aheadMs = 0;
  return {
    heard(headers) {
      const date = dateOfAnswer(headers);
      if (date === undefined) return;
      const difference = date - now();
      // A date that was cut to seconds stands behind the clock by up to one; what fits moves nothing.
      const behindMs = aheadMs - difference;
      if (behindMs < -graceMs || behindMs > 2 * graceMs) aheadMs = difference + graceMs / 2;
    },
    now: () => now() + aheadMs,
  };
}
