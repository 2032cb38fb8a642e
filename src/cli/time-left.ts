import type { ApiClient } from "../api/client.ts";

/** The requests of a run, and what they cost in time, so far. */
export type Pace = Pick<ApiClient["stats"], "requests" | "retries"> & ApiClient["waits"];

/** What a stage has done since it began. */
export interface StageSoFar {
  done: number;
  /** Undefined while unknown. */
  total: number | undefined;
  elapsedMs: number;
  /** When it began; undefined if it makes no requests. */
  before: Pace | undefined;
}

/**
 * Milliseconds that a stage has still to go; undefined if too little is known to tell. It goes on at the speed of its
 * own work, or of its requests at the rate, whichever is slower. A wait is not taken for slow work, because a burst and
 * a long wait may have come before it; pauses are what they were for each request of the whole run.
 */
export function timeLeft(soFar: StageSoFar, now: Pace | undefined): number | undefined {
  const { done, total, elapsedMs, before } = soFar;
  // The first items seem slow, because those underway beside them are not done.
  if (total === undefined || done < Math.min(20, total / 10) || done >= total) return undefined;
  if (before === undefined || now === undefined) return ((total - done) * elapsedMs) / done;
  const requests = (now.requests - before.requests) / done;
  const work = (elapsedMs - (now.waitedMs - before.waitedMs)) / done;
  const paused = (requests * now.pausedMs) / Math.max(now.requests, 1);
  return (total - done) * Math.max(work + paused, requests * now.msPerRequest) + now.pauseMs;
}
