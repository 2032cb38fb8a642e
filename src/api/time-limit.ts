import { BudgetError } from "../errors.ts";

/** A signal that is raised with the given one, or with a BudgetError after some seconds; null for no limit. */
export function limitTime(seconds: number | null, signal: AbortSignal): AbortSignal {
  if (seconds === null) return signal;
  const limit = new AbortController();
  const timer = setTimeout(() => {
    limit.abort(
      new BudgetError(`crawl.maxDuration is used up: ${seconds} s`, {
        hint: "run the same command again to continue",
      }),
    );
  }, seconds * 1000);
  timer.unref();
  return AbortSignal.any([signal, limit.signal]);
}

/** A signal that is raised some milliseconds after the given one, with its reason. */
export function raisedAfter(signal: AbortSignal, ms: number): AbortSignal {
  const later = new AbortController();
  const start = (): void => {
    setTimeout(() => later.abort(signal.reason), ms).unref();
  };
  if (signal.aborted) start();
  else signal.addEventListener("abort", start, { once: true });
  return later.signal;
}
