import PQueue from "p-queue";
import type { Config } from "../config.ts";
import { BudgetError } from "../errors.ts";
import { type Allowance, allowanceOf, type Headers } from "./rate-headers.ts";

/** The one place that decides when a request may start: JSON and binaries share its budget. */
export interface Governor {
  /**
   * Runs a task that makes one request, when the rate, the concurrency and the origin's word allow it.
   *
   * @param task calls `answered` with the headers as soon as it has them
   * @throws the reason of the signal, at once, where that was raised before the task could start
   * @throws BudgetError, at once, where the origin wants a pause above `maxPauseMs`
   */
  run<T>(task: (answered: (headers: Headers) => void) => Promise<T>): Promise<T>;
  /** Lets nobody start before a time (milliseconds since the epoch). */
  pauseUntil(time: number): void;
  /** Milliseconds in which nothing could start because the origin said so. */
  readonly pausedMs: number;
  /** What the next run must know in order not to exceed the rate at its beginning. */
  state(): GovernorState;
}

/** Times are milliseconds since the epoch. */
export interface GovernorState {
  /** Times of the requests that still count towards the rate, oldest first. */
  starts: number[];
  pausedUntil: number;
}

export interface GovernorOptions {
  /** "auto": no own limit; only what the origin says counts. */
  rate: Config["origin"]["rate"];
  /** Tasks that run at once. */
  concurrency: number;
  /** Ends all waits when it is raised. */
  signal?: AbortSignal | undefined;
  /** What an earlier run left. */
  state?: GovernorState | undefined;
  /** The longest pause that is sat out; an hour. */
  maxPauseMs?: number;
  now?: () => number;
}

/** How long an allowance is taken to be used up where neither the origin nor the configuration says it. */
const defaultWindowMs = 60_000;
const maxTimerMs = 2 ** 31 - 1;
/** Starts that are kept where there is no own limit: enough to know when the oldest one underway began. */
const maxConcurrency = 64;

/**
 * A strict sliding window: in no interval of `perSeconds` do more than `requests` begin, wherever it is laid and
 * also across a restart. The queue's own window knows nothing of earlier runs and of what the origin says, so
 * it only does order and concurrency here.
 *
 * The origin counts a request when it arrives, which is later than when it starts; a place in the window becomes
 * free one interval after the answer, but at most a quarter of the interval later than counted from the start.
 */
export function createGovernor(options: GovernorOptions): Governor {
  const { rate, concurrency, signal, state, maxPauseMs = 3_600_000, now = Date.now } = options;
  const cap = rate === "auto" ? Number.POSITIVE_INFINITY : rate.requests;
  const windowMs = rate === "auto" ? defaultWindowMs : rate.perSeconds * 1000;
  const latestMs = windowMs / 4;
  const remembered = rate === "auto" ? maxConcurrency : cap;
  const queue = new PQueue({ concurrency });
  // Times ahead are of requests that were underway, or of a clock that was set back.
  let places = (state?.starts ?? []).map((at) => ({ at: Math.min(at, now()) }));
  let resumeAt = state?.pausedUntil ?? 0;
  let allowance: { remaining: number; until: number } | undefined;
  /** Requests without an answer, which the last known allowance may or may not have counted. */
  let unanswered = 0;
  let timer: NodeJS.Timeout | undefined;
  let held = { from: 0, until: 0 };
  let heldMs = 0;

  const pausedUntil = (): number =>
    allowance?.remaining === 0 ? Math.max(resumeAt, allowance.until) : resumeAt;

  function originAllowsAt(time: number): number {
    if (allowance === undefined || allowance.remaining > unanswered) return resumeAt;
    if (allowance.until > time) return Math.max(resumeAt, allowance.until);
    // A new allowance may be one request or hundreds: a single one finds out.
    return unanswered === 0 ? resumeAt : Number.POSITIVE_INFINITY;
  }

  function windowOpensAt(time: number): number {
    const place = places[places.length - cap];
    if (place === undefined) return 0;
    // The clock was set back: no honest wait is longer than the window.
    if (place.at > time + latestMs) for (const each of places) each.at = Math.min(each.at, time);
    return place.at + windowMs;
  }

  /** Opens or closes the queue as the window and the origin say, and comes back when that changes. */
  function settle(): void {
    clearTimeout(timer);
    const time = now();
    const allowedAt = originAllowsAt(time);
    heldMs = heldUpTo(time);
    held = { from: time, until: allowedAt };
    const waitMs = Math.max(allowedAt, windowOpensAt(time)) - time;
    if (waitMs <= 0 || signal?.aborted || pausedUntil() - time > maxPauseMs) {
      queue.start();
      return;
    }
    queue.pause();
    // Timers hold no more than 24 days, and may fire a little early.
    if (queue.size > 0) timer = setTimeout(settle, Math.min(waitMs, maxTimerMs));
  }

  function heldUpTo(time: number): number {
    return heldMs + Math.max(Math.min(time, held.until) - held.from, 0);
  }

  function refuse(): void {
    signal?.throwIfAborted();
    const pauseMs = pausedUntil() - now();
    if (pauseMs > maxPauseMs) throw pauseError(pauseMs);
  }

  function begin(): (headers: Headers) => void {
    const place = { at: now() + latestMs };
    places.push(place);
    if (places.length > 2 * remembered) places = places.slice(-remembered);
    unanswered++;
    let open = true;
    return (headers) => {
      if (!open) return;
      open = false;
      unanswered--;
      const time = now();
      place.at = Math.min(place.at, time);
      learn(allowanceOf(headers, time), time);
      settle();
    };
  }

  function learn(said: Allowance | undefined, time: number): void {
    if (said === undefined) {
      // Perhaps of another host; at any rate nobody speaks of an allowance any more.
      if (allowance !== undefined && allowance.until <= time) allowance = undefined;
      return;
    }
    const { remaining, resetMs } = said;
    // Without a word about it, the allowance is new when the window that the oldest request opened is over.
    const oldest = places.find((place) => place.at > time - windowMs)?.at ?? time;
    allowance = { remaining, until: resetMs === undefined ? oldest + windowMs : time + resetMs };
  }

  signal?.addEventListener("abort", settle, { once: true });
  settle();
  return {
    get pausedMs() {
      return heldUpTo(now());
    },
    run(task) {
      const result = queue.add(async () => {
        refuse();
        const answered = begin();
        settle();
        try {
          return await task(answered);
        } finally {
          answered({});
        }
      });
      settle();
      return result;
    },
    pauseUntil(time) {
      resumeAt = Math.max(resumeAt, time);
      settle();
    },
    state() {
      const since = now() - windowMs;
      const starts = rate === "auto" ? [] : places.map((place) => place.at);
      return {
        starts: starts.filter((at) => at > since).slice(-remembered),
        pausedUntil: pausedUntil(),
      };
    },
  };
}

/** That the origin wants a longer rest than a run can sit out. */
export function pauseError(pauseMs: number): BudgetError {
  const minutes = Math.ceil(pauseMs / 60_000);
  return new BudgetError(`the origin allows no request for ${minutes} minutes`, {
    hint: "run the same command again after that; everything finished so far is kept",
  });
}
