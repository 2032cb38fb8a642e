import PQueue from "p-queue";
import type { Config } from "../config.ts";
import { retryAfterMs } from "./retry.ts";

/** Response headers by lower-case name. */
export type Headers = Record<string, string | string[] | undefined>;

/** The one place that decides when a request may start: JSON and binaries share its budget. */
export interface Governor {
  /** Runs a task when the rate, the concurrency and the origin's word allow it. */
  run<T>(task: () => Promise<T>): Promise<T>;
  /** Lets nobody start before a time (milliseconds since the epoch). */
  pauseUntil(time: number): void;
  /** Learns from an answer's rate headers: nothing starts while the origin says that nothing remains. */
  observe(headers: Headers): void;
  /** Milliseconds in which everybody had to wait because the origin said so. */
  readonly pausedMs: number;
}

const defaultWindowMs = 60_000;

export function createGovernor(
  rate: Config["origin"]["rate"],
  concurrency: number,
  now: () => number = Date.now,
): Governor {
  // `strict` is a true sliding window; the default mode lets bursts through at the edges of its intervals.
  const window =
    rate === "auto"
      ? {}
      : { intervalCap: rate.requests, interval: rate.perSeconds * 1000, strict: true };
  const queue = new PQueue({ concurrency, ...window });
  let resumeAt = 0;
  let pausedMs = 0;
  let timer: NodeJS.Timeout | undefined;

  function pauseUntil(time: number): void {
    const from = Math.max(now(), resumeAt);
    if (time <= from) return;
    pausedMs += time - from;
    resumeAt = time;
    queue.pause();
    clearTimeout(timer);
    timer = setTimeout(wake, time - now());
  }

  function wake(): void {
    // Timers may fire a little early, and hold no more than 24 days.
    const left = resumeAt - now();
    if (left > 0) timer = setTimeout(wake, Math.min(left, 2 ** 31 - 1));
    else queue.start();
  }

  return {
    get pausedMs() {
      return pausedMs;
    },
    run: (task) => queue.add(task),
    pauseUntil,
    observe(headers) {
      const left = remaining(headers);
      if (left === undefined || left > 0) return;
      pauseUntil(now() + (resetMs(headers, now()) ?? defaultWindowMs));
    },
  };
}

/** Requests that the origin says remain, in any of the usual dialects. */
function remaining(headers: Headers): number | undefined {
  const plain = one(headers["x-ratelimit-remaining"]) ?? one(headers["ratelimit-remaining"]);
  const text = plain ?? /(?:^|[;,\s])r(?:emaining)?=(\d+)/.exec(one(headers.ratelimit) ?? "")?.[1];
  return text !== undefined && /^\d+$/.test(text.trim()) ? Number(text) : undefined;
}

/** Milliseconds until the allowance is new: seconds from now, or a time since the epoch in seconds. */
function resetMs(headers: Headers, now: number): number | undefined {
  const waited = retryAfterMs(one(headers["retry-after"]), new Date(now));
  if (waited !== undefined && waited > 0) return waited;
  const plain = one(headers["x-ratelimit-reset"]) ?? one(headers["ratelimit-reset"]);
  const text = plain ?? /(?:^|[;,\s])(?:t|reset)=(\d+)/.exec(one(headers.ratelimit) ?? "")?.[1];
  if (text === undefined || !/^\d+$/.test(text.trim())) return undefined;
  const number = Number(text);
  // Above a year in seconds it can only be a time.
  return number > 31_536_000 ? Math.max(number * 1000 - now, 0) : number * 1000;
}

function one(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header[0] : header;
}
