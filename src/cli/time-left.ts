/** What the requests of a run cost in time, so far. */
export interface Pace {
  requests: number;
  /** In which work was held back by the rate. */
  waitedMs: number;
  /** In which nothing could start because the origin said so; part of this lies outside of `waitedMs`. */
  pausedMs: number;
  /** Until the pause ends that the origin wants now. */
  pauseMs: number;
  /** That each request takes at least, by the rate; 0 where none is in force. */
  msPerRequest: number;
}

/** Of a run without requests. */
export const atOnce: Pace = {
  requests: 0,
  waitedMs: 0,
  pausedMs: 0,
  pauseMs: 0,
  msPerRequest: 0,
};

/** What a stage has done since it began. */
export interface StageSoFar {
  done: number;
  total: number;
  elapsedMs: number;
  /** When it began. */
  before: Pace;
}

/**
 * Milliseconds that a stage has still to go; undefined where too little is done to tell. It goes on at the speed of its own work, or of its requests at the rate, whichever is
 * slower. A wait is not taken for slow work, because a burst and a long wait may have come before it; pauses are what
 * they were for each request of the whole run.
 */
export function timeLeft(soFar: StageSoFar, now: Pace): number | undefined {
  const { done, total, elapsedMs, before } = soFar;
  // The first items seem slow, because those underway beside them are not done.
  if (done < Math.min(20, total / 10) || done >= total) return undefined;
  const requests = (now.requests - before.requests) / done;
  const work = (elapsedMs - (now.waitedMs - before.waitedMs)) / done;
  const paused = (requests * now.pausedMs) / Math.max(now.requests, 1);
  return (total - done) * Math.max(work + paused, requests * now.msPerRequest) + now.pauseMs;
}
