import type { Clock } from "../lib/clock.ts";
import type { Reporter } from "../lib/reporter.ts";
import { type Headers, originTime } from "./headers.ts";

/** Dates are cut to seconds and take time to arrive: a smaller difference is no other clock. */
const graceMs = 2_000;
/** A clock that differs more is wrong. */
const farMs = 300_000;

/** What the Date headers of an origin say of its clock, and of ours. */
export function createOriginClock(clock: Clock, reporter: Pick<Reporter, "warn">) {
  /** Milliseconds that the origin's clock is ahead of ours. */
  let aheadMs = 0;
  /** The last time that was far from our own. */
  let far: { time: number; aheadMs: number } | undefined;
  let skewMs = 0;
  const serverNow = (): number => clock.now() + aheadMs;

  /** Warns once. One answer says little: it may come from a cache, with the date of another day. */
  function compare(time: number, now: number): void {
    const before = far;
    far = Math.abs(time - now) > farMs ? { time, aheadMs: time - now } : undefined;
    if (before === undefined || far === undefined || before.time === time || skewMs !== 0) return;
    if (Math.abs(before.aheadMs - far.aheadMs) > graceMs) return;
    skewMs = far.aheadMs;
    const [theirs, ours] = [time, now].map((at) => new Date(at).toISOString());
    reporter.warn(
      `the origin's clock says ${theirs}, and this machine's ${ours}`,
      "if it is this machine's that is wrong, set it: snapshots and files have their times from it",
    );
  }

  return {
    /** Milliseconds since the epoch by the origin's clock, as its answers show it; our own until they do. */
    serverNow,
    /** Milliseconds that it is ahead of ours where several answers agree that the two are far apart, else 0. */
    skewMs: (): number => skewMs,
    hear(headers: Headers): void {
      const now = clock.now();
      const time = originTime(headers, now);
      if (Math.abs(time - serverNow()) > graceMs) aheadMs = time - now;
      compare(time, now);
    },
  };
}
