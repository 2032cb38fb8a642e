import PQueue from "p-queue";
import type { Config } from "../config.ts";
import { BudgetError } from "../errors.ts";
import { type Clock, systemClock } from "../lib/clock.ts";
import { createOriginLimits, type OriginState } from "./origin-limits.ts";
import { createRequestLog } from "./request-log.ts";
import type { Head } from "./transfer.ts";

/** The one place that decides when a request may start: JSON and binaries share its budget. */
export interface Governor {
  /**
   * Runs a task that makes one request, when the rate, the concurrency and the origin's word allow it.
   *
   * @param task calls `answered` with the head of the answer as soon as it has it
   * @throws what `turn.ready` throws; then no request was made, and the next one takes the place
   * @throws the reason of the signal, at once, where that was raised before the task could start
   * @throws BudgetError, at once, where the origin wants a pause above `maxPauseMs`
   */
  run<T>(task: (answered: (head: Head) => void) => Promise<T>, turn?: Turn): Promise<T>;
  /** Milliseconds that everybody has to wait from now because the origin said so; 0 where it did not. */
  readonly pauseMs: number;
  /** Milliseconds in which nothing could start because the origin said so. */
  readonly pausedMs: number;
  /** What the next run must know in order not to exceed the rate at its beginning. */
  state(): GovernorState;
}

/** How a request waits for its turn. */
export interface Turn {
  /** Higher ones go first, and equal ones in the order in which they came; 0. */
  priority?: number;
  /** Called when the turn has come, just before the request: what it asks with may have aged meanwhile. */
  ready?: () => void;
}

/** Times are milliseconds since the epoch. */
export interface GovernorState extends OriginState {
  /** Times of the requests that still count towards a rate, oldest first. */
  starts: number[];
}

export interface GovernorOptions {
  /** "auto": no own limit; only what the origin says and shows counts. */
  rate: Config["origin"]["rate"];
  /** Tasks that run at once. */
  concurrency: number;
  /** Ends all waits when it is raised. */
  signal?: AbortSignal | undefined;
  /** What an earlier run left. */
  state?: GovernorState | undefined;
  /** The longest pause that is sat out; an hour. */
  maxPauseMs?: number;
  /** First pause after a refusal that does not say how long it is to be; half a second. */
  refusalMs?: number;
  /** Called whenever the origin has begun a pause or made it longer: a run that is killed must not forget it. */
  onPause?: () => void;
  clock?: Clock;
}

/** How long an allowance is taken to be used up where neither the origin nor the configuration says it. */
const defaultWindowMs = 60_000;

/**
 * A strict sliding window: in no interval of `perSeconds` do more than `requests` begin, wherever it is laid and
 * also across a restart. The same holds for every limit that the origin states or that its refusals teach; they
 * come on top of the configured one. The queue's own window knows nothing of all that, so it only does order
 * and concurrency here.
 */
export function createGovernor(options: GovernorOptions): Governor {
  const { rate, concurrency, signal, state, clock = systemClock, onPause = () => {} } = options;
  const { maxPauseMs = 3_600_000, refusalMs = 500 } = options;
  const own = rate === "auto" ? [] : [{ requests: rate.requests, perMs: rate.perSeconds * 1000 }];
  const queue = new PQueue({ concurrency });
  // Times ahead are of requests that were underway, or of a clock that was set back.
  const log = createRequestLog((state?.starts ?? []).map((at) => Math.min(at, clock.now())));
  const origin = createOriginLimits({
    log,
    unknown: rate === "auto",
    windowMs: own[0]?.perMs ?? defaultWindowMs,
    refusalMs,
    state,
  });
  let toldOfPauseUntil = origin.pausedUntil();
  let cancelTimer = (): void => {};
  let held = { from: 0, until: 0 };
  let heldMs = 0;

  const ownOpensAt = (time: number): number => log.opensAt(own, time);
  const originOpensAt = (time: number): number => log.opensAt(origin.windows(time), time);

  /** Milliseconds that everybody has to wait because of the origin, whether it says so now or said it before. */
  function originWaitMs(time: number): number {
    return Math.max(origin.pausedUntil(), originOpensAt(time)) - time;
  }

  /** Opens or closes the queue as the windows and the origin say, and comes back when that changes. */
  function settle(): void {
    cancelTimer();
    const time = clock.now();
    const allowedAt = origin.allowsAt(time);
    heldMs = heldUpTo(time);
    held = { from: time, until: Number.isFinite(allowedAt) ? allowedAt : time };
    const waitMs = Math.max(allowedAt, ownOpensAt(time), originOpensAt(time)) - time;
    if (waitMs <= 0 || signal?.aborted || originWaitMs(time) > maxPauseMs) {
      queue.start();
      return;
    }
    queue.pause();
    // Where an answer has to come first, that comes back here.
    if (queue.size > 0 && Number.isFinite(waitMs)) cancelTimer = clock.after(waitMs, settle);
  }

  function heldUpTo(time: number): number {
    return heldMs + Math.max(Math.min(time, held.until) - held.from, 0);
  }

  function refuse(): void {
    signal?.throwIfAborted();
    const waitMs = originWaitMs(clock.now());
    if (waitMs > maxPauseMs) throw pauseError(waitMs);
  }

  /** Notes a request; what comes back notes the head of its answer, or that none has come. */
  function begin(): (head: Head | undefined) => void {
    const started = clock.now();
    const answered = log.start(started);
    let open = true;
    return (head) => {
      if (!open) return;
      open = false;
      const time = clock.now();
      answered(time);
      if (head !== undefined) origin.heard(head, started, time);
      tellOfPause(time);
      settle();
    };
  }

  function tellOfPause(time: number): void {
    const until = origin.pausedUntil();
    if (until <= Math.max(toldOfPauseUntil, time)) return;
    toldOfPauseUntil = until;
    onPause();
  }

  signal?.addEventListener("abort", settle, { once: true });
  settle();
  return {
    get pauseMs() {
      return Math.max(origin.pausedUntil() - clock.now(), 0);
    },
    get pausedMs() {
      return heldUpTo(clock.now());
    },
    run(task, { priority = 0, ready } = {}) {
      const next = async () => {
        refuse();
        ready?.();
        const answered = begin();
        settle();
        try {
          return await task(answered);
        } finally {
          answered(undefined);
        }
      };
      const result = queue.add(next, { priority });
      settle();
      return result;
    },
    state() {
      const time = clock.now();
      const said = origin.state(time);
      return {
        ...said,
        starts: log.latest([...own, ...said.stated, ...said.learned.windows], time),
      };
    },
  };
}

/** That the origin wants a longer rest than a run can sit out. */
function pauseError(waitMs: number): BudgetError {
  const minutes = Math.ceil(waitMs / 60_000);
  return new BudgetError(`the origin allows no request for ${minutes} minutes`, {
    hint: "run the same command again after that; everything finished so far is kept",
  });
}
