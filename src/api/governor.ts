import PQueue from "p-queue";
import type { Config } from "../config.ts";
import { BudgetError } from "../errors.ts";
import { type Clock, systemClock } from "../lib/clock.ts";
import { toldToWait } from "./failure.ts";
import { allowanceOf, policyOf, retryAfterOf, type Window } from "./headers.ts";
import type { Head } from "./transfer.ts";

/** What the next run must know in order not to exceed the rate. Times are milliseconds since the epoch. */
export interface GovernorState {
  /** When the requests that still count towards the rate were answered, oldest first; those underway have this moment. */
  starts: number[];
  pausedUntil: number;
}

export interface GovernorOptions {
  /** "auto": 60 a minute, and as many as the origin itself says. */
  rate: Config["origin"]["rate"];
  concurrency: number;
  signal?: AbortSignal | undefined;
  state?: GovernorState | undefined;
  /** The longest pause that is sat out; an hour. */
  maxPauseMs?: number;
  /** First pause after a refusal that does not say how long it is to be; half a second. */
  refusalMs?: number;
  /** Called when a pause has begun or become longer: a killed run must not forget it. */
  onPause?: () => void;
  clock?: Clock;
}

/** With "auto", as long as the origin says nothing. */
const cautious: Window = { requests: 60, perMs: 60_000 };
const unlimited: Window = { requests: Number.POSITIVE_INFINITY, perMs: 0 };
/** A clock of whole milliseconds is behind by up to one. */
const tickMs = 1;
const maxRefusalMs = 30_000;
/** After a refusal one request is made at a time, and one more after each so many answers. */
const calmPerRequest = 20;
/** A longer pause is a mistake of the origin, which would end all runs for ever. */
export const longestPauseMs = 31 * 86_400_000;

/**
 * Decides when a request may start: JSON and binaries share its budget.
 *
 * The window slides: no interval of `perSeconds` has more than `requests` starts, also across a restart. An origin counts
 * a request between start and answer, so its place becomes free one interval after the answer. Beside the window,
 * everybody waits as long as the origin asks, no more requests are underway than remain by its last word, and after a
 * refusal their number grows slowly from one. The queue does order and concurrency only.
 *
 * With "auto" the window is the origin's stated policy. Without one, requests that remain by its last word need no
 * window, and all others keep to 60 a minute. An answer without a word uses one of those that remain.
 */
export class Governor {
  readonly #options: GovernorOptions;
  readonly #clock: Clock;
  readonly #queue: PQueue;
  /** The configured window, or the one that the origin stated; undefined where neither is known. */
  #known: Window | undefined;
  /** When the requests that the window must know of were answered, oldest first. */
  #answered: number[];
  #unanswered = 0;
  /** Requests that the origin still allows by its last word; undefined where it does not say. */
  #remaining: number | undefined;
  /** End of the pause; in the past where there is none. */
  #resumeAt: number;
  /** Of all pauses, up to the end of the last one. */
  #pausesMs: number;
  #refusedInRow = 0;
  /** Answers since the last refusal. */
  #calm = Number.POSITIVE_INFINITY;
  #cancelTimer = (): void => {};
  /** In which requests were held back, up to `#heldSince`. */
  #heldMs = 0;
  /** Since when requests are held back; undefined where none is. */
  #heldSince: number | undefined;

  constructor(options: GovernorOptions) {
    const { rate, concurrency, signal, state, clock = systemClock } = options;
    const now = clock.now();
    this.#options = options;
    this.#clock = clock;
    this.#queue = new PQueue({ concurrency });
    this.#known =
      rate === "auto" ? undefined : { requests: rate.requests, perMs: rate.perSeconds * 1000 };
    // Times ahead are of requests that were underway, or of a clock that was set back.
    this.#answered = (state?.starts ?? []).map((at) => Math.min(at, now)).sort((a, b) => a - b);
    this.#resumeAt = state?.pausedUntil ?? 0;
    this.#pausesMs = Math.max(this.#resumeAt - now, 0);
    // Nothing is known of the rate yet, so a single request finds out.
    this.#remaining = rate === "auto" ? 0 : undefined;
    signal?.addEventListener("abort", () => this.#settle(), { once: true });
    this.#settle();
  }

  /** Milliseconds that everybody has to wait from now because the origin said so; 0 where it did not. */
  get pauseMs(): number {
    return Math.max(this.#resumeAt - this.#clock.now(), 0);
  }

  /** Milliseconds in which nothing could start because the origin said so. */
  get pausedMs(): number {
    return this.#pausesMs - this.pauseMs;
  }

  /** Milliseconds in which requests were held back, by the window or by the origin's word. */
  get waitedMs(): number {
    if (this.#heldSince === undefined) return this.#heldMs;
    return this.#heldMs + Math.max(this.#clock.now() - this.#heldSince, 0);
  }

  /** Milliseconds that the window allows for one request; 0 where there is none. */
  get msPerRequest(): number {
    const { requests, perMs } = this.#window();
    return perMs / requests;
  }

  state(): GovernorState {
    const now = this.#clock.now();
    const { requests, perMs } = this.#known ?? cautious;
    const underway = Array<number>(this.#unanswered).fill(now);
    const recent = [...this.#answered, ...underway].filter((at) => at > now - perMs);
    return { starts: recent.slice(-requests), pausedUntil: this.#resumeAt };
  }

  /**
   * Runs a task that makes one request, when the rate, the concurrency and the origin's word allow it.
   *
   * @param task calls `answered` with the head of the answer as soon as it has it
   * @param options higher priorities go first; `ready` is called when the turn has come, because what the request asks
   *   with may have aged. If it throws, the next request takes the place
   * @throws the reason of a signal that is raised before the start, and BudgetError where a pause is above `maxPauseMs`
   */
  run<T>(
    task: (answered: (head: Head) => void) => Promise<T>,
    { priority = 0, ready }: { priority?: number; ready?: () => void } = {},
  ): Promise<T> {
    const result = this.#queue.add(
      async () => {
        this.#options.signal?.throwIfAborted();
        if (this.#isTooLong()) {
          const minutes = Math.ceil(this.pauseMs / 60_000);
          throw new BudgetError(`the origin allows no request for ${minutes} minutes`, {
            hint: "run the same command again after that; everything finished so far is kept",
          });
        }
        ready?.();
        const answered = this.#begin();
        this.#settle();
        try {
          return await task(answered);
        } finally {
          answered(undefined);
        }
      },
      { priority },
    );
    this.#settle();
    return result;
  }

  /** Notes a request; what comes back notes the head of its answer, or that none has come. */
  #begin(): (head: Head | undefined) => void {
    const started = this.#clock.now();
    let open = true;
    this.#unanswered++;
    return (head) => {
      if (!open) return;
      open = false;
      this.#unanswered--;
      const { requests } = this.#known ?? cautious;
      this.#answered.push(this.#clock.now());
      if (this.#answered.length > 2 * requests) this.#answered = this.#answered.slice(-requests);
      if (head !== undefined) this.#hear(head, started);
      this.#settle();
    };
  }

  /** Learns from the head of an answer to a request that was made at `started`. */
  #hear({ status, headers }: Head, started: number): void {
    const now = this.#clock.now();
    const retryAfterMs = retryAfterOf(headers, now);
    const allowance = allowanceOf(headers, now);
    const isAfterPause = started >= this.#resumeAt;
    const resetMs = (allowance?.remaining === 0 && allowance.resetMs) || 0;
    const isAuto = this.#options.rate === "auto";
    if (isAuto) this.#known = policyOf(headers) ?? this.#known;
    // With "auto", one request after the pause asks for the next word.
    if (allowance !== undefined)
      this.#remaining = allowance.remaining || (isAuto && resetMs ? 1 : 0);
    else if (isAfterPause && this.#remaining === 0) this.#remaining = undefined;
    else if (this.#remaining !== undefined) this.#remaining--;
    if (!toldToWait({ status, retryAfterMs })) {
      this.#calm++;
      if (isAfterPause) this.#refusedInRow = 0;
      this.#pause(resetMs);
      return;
    }
    this.#calm = 0;
    // Those that were underway when a pause began are not refused once more.
    if (isAfterPause) this.#refusedInRow++;
    const backoffMs = (this.#options.refusalMs ?? 500) * 2 ** (this.#refusedInRow - 1);
    this.#pause(Math.max(retryAfterMs ?? 0, resetMs) || Math.min(backoffMs, maxRefusalMs));
  }

  #pause(ms: number): void {
    const now = this.#clock.now();
    const until = now + Math.min(ms, longestPauseMs);
    if (until <= Math.max(this.#resumeAt, now)) return;
    this.#pausesMs += until - Math.max(this.#resumeAt, now);
    this.#resumeAt = until;
    this.#options.onPause?.();
  }

  #window(): Window {
    return this.#known ?? (this.#remaining ? unlimited : cautious);
  }

  /** When the next request may start; infinite where an answer has to come first. */
  #opensAt(): number {
    const { requests, perMs } = this.#window();
    const allowed = Math.max(this.#remaining ?? requests, 1);
    const most = Math.min(requests, allowed, 1 + Math.floor(this.#calm / calmPerRequest));
    if (this.#unanswered >= most) return Number.POSITIVE_INFINITY;
    const counted = this.#answered[this.#answered.length - (requests - this.#unanswered)];
    return Math.max(this.#resumeAt, counted === undefined ? 0 : counted + perMs + tickMs);
  }

  #isTooLong(): boolean {
    return this.pauseMs > (this.#options.maxPauseMs ?? 3_600_000);
  }

  /** Opens or closes the queue, and comes back when that changes. */
  #settle(): void {
    this.#cancelTimer();
    this.#heldMs = this.waitedMs;
    this.#heldSince = undefined;
    const waitMs = this.#opensAt() - this.#clock.now();
    // Those that must not wait are let through, so that they fail at once.
    if (waitMs <= 0 || this.#options.signal?.aborted || this.#isTooLong()) {
      this.#queue.start();
      return;
    }
    this.#queue.pause();
    if (this.#queue.size > 0) this.#heldSince = this.#clock.now();
    if (this.#queue.size > 0 && Number.isFinite(waitMs)) {
      this.#cancelTimer = this.#clock.after(waitMs, () => this.#settle());
    }
  }
}
