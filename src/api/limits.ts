import { BudgetError } from "../errors.ts";

/** What one answer may cost, and how long the client waits for it. */
export const defaultLimits = {
  maxJsonBytes: 64 << 20,
  maxDownloadBytes: 16 * 2 ** 30,
  /** Until the headers are there, and between two pieces of a body. */
  idleMs: 30_000,
  /** Until a JSON answer is complete, counted from its headers. */
  jsonMs: 60_000,
  /** Until a download is complete, counted from its first headers, further attempts included. */
  downloadMs: 2 * 3_600_000,
  /** A download that stays below this on average of `slowAfterMs` is taken for a drip and cut. */
  minBytesPerSecond: 1024,
  slowAfterMs: 30_000,
  /** A download that takes longer than `paceAfterMs` must be this fast on average, and faster after each that was not. */
  paceBytesPerSecond: 8 << 10,
  paceAfterMs: 15 * 60_000,
  /** A large file fills the disk only as far as this is left for the rest of the run. */
  minFreeBytes: 1 << 30,
  /** How often a request is made at most, whatever it fails with. */
  maxAttempts: Number.POSITIVE_INFINITY,
  /** First wait before another attempt where the origin does not say how long. */
  firstDelayMs: 500,
  /** A pause that the origin asks for beyond this ends the run, to be resumed later. */
  maxPauseMs: 3_600_000,
  /** What is underway when the run is to end may take that long to finish. */
  drainMs: 10_000,
};
export type ClientLimits = typeof defaultLimits;

/** A signal that is raised with the given one, or with a BudgetError after some seconds; null for no limit. */
export function limitTime(seconds: number | null, signal: AbortSignal): AbortSignal {
  if (seconds === null) return signal;
  const limit = new AbortController();
  const reason = new BudgetError(`crawl.maxDuration is used up: ${seconds} s`, {
    hint: "run the same command again to continue",
  });
  setTimeout(() => limit.abort(reason), seconds * 1000).unref();
  return AbortSignal.any([signal, limit.signal]);
}

/** A signal that is raised some milliseconds after the given one, with its reason. */
export function raisedAfter(signal: AbortSignal, ms: number): AbortSignal {
  const later = new AbortController();
  const start = () => setTimeout(() => later.abort(signal.reason), ms).unref();
  if (signal.aborted) start();
  else signal.addEventListener("abort", start, { once: true });
  return later.signal;
}
