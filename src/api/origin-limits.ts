import { type Allowance, allowanceOf, retryAfterOf } from "./rate-headers.ts";
import { policiesOf } from "./rate-policy.ts";
import { createRefusals, type KnownWindow, knownForMs, type Lesson } from "./refusals.ts";
import type { RateWindow, RequestLog } from "./request-log.ts";
import { toldToWait } from "./retry.ts";
import type { Head } from "./transfer.ts";

/** What the origin says, and shows, of how often it may be asked. All times are milliseconds since the epoch. */
export interface OriginLimits {
  /** Reads the head of an answer that has just come to a request that was made at `started`. */
  heard(head: Head, started: number, now: number): void;
  /** When the next request may start; infinite while that depends on an answer that is still to come. */
  allowsAt(now: number): number;
  /** End of the pause that the origin has asked for; in the past where there is none. */
  pausedUntil(): number;
  /** Every limit that it has stated, or that its refusals have taught. */
  windows(now: number): RateWindow[];
  state(now: number): OriginState;
}

/** What the next run must know of it. */
export interface OriginState {
  pausedUntil: number;
  /** Of limits that were found by running into them. */
  learned: Lesson;
  /** Limits that the origin has stated. */
  stated: KnownWindow[];
}

export interface OriginLimitsOptions {
  log: RequestLog;
  /** Whether nothing is known of the rate from elsewhere, so that a single request has to find out. */
  unknown: boolean;
  /** How long an allowance is taken to be used up where the origin does not say it. */
  windowMs: number;
  /** Pause after the first of several refusals in a row that do not say how long it is to be. */
  refusalMs: number;
  state: OriginState | undefined;
}

interface KnownAllowance {
  remaining: number;
  until: number;
  /** When the request was made whose answer said so. */
  started: number;
}

/** As if it were used up, and just over. */
const nothingKnown: KnownAllowance = { remaining: 0, until: 0, started: 0 };
const maxRefusalMs = 30_000;
/** Nobody means a longer pause: without an end, a mistake of the origin would end all runs for ever. */
export const longestPauseMs = 31 * 86_400_000;

export function createOriginLimits(options: OriginLimitsOptions): OriginLimits {
  const { log, windowMs, refusalMs, state } = options;
  const refusals = createRefusals(state?.learned);
  let stated = { byThisRun: false, windows: state?.stated ?? [] };
  let resumeAt = state?.pausedUntil ?? 0;
  let refusedInRow = 0;
  let allowance: KnownAllowance | undefined = options.unknown ? nothingKnown : undefined;

  const pausedUntil = (): number =>
    allowance?.remaining === 0 ? Math.max(resumeAt, allowance.until) : resumeAt;

  function learnStated(head: Head, now: number): void {
    const found = policiesOf(head.headers).map((policy) => ({
      ...policy,
      until: now + knownForMs,
    }));
    if (found.length === 0) return;
    stated = { byThisRun: true, windows: tightest(stated.byThisRun ? stated.windows : [], found) };
  }

  function learnAllowance(said: Allowance | undefined, started: number, now: number): void {
    if (said === undefined) {
      // Perhaps of another host; at any rate nobody speaks of an allowance any more.
      if (allowance !== undefined && allowance.until <= now) allowance = undefined;
      return;
    }
    const { remaining, resetMs } = said;
    // Without a word about it, the allowance is new when the window that the oldest request opened is over.
    const until =
      resetMs === undefined
        ? (log.oldestAfter(now - windowMs) ?? now) + windowMs
        : now + Math.min(resetMs, longestPauseMs);
    const found = { remaining, until, started };
    allowance = isOutrun(allowance, found, now) ? allowance : found;
  }

  /** Milliseconds of the pause that an answer asks for; 0 where it asks for none. */
  function pauseOf({ status, headers }: Head, started: number, now: number): number {
    const retryAfterMs = retryAfterOf(headers, now);
    if (!toldToWait({ status, retryAfterMs })) return 0;
    if (retryAfterMs !== undefined && retryAfterMs > 0)
      return Math.min(retryAfterMs, longestPauseMs);
    // Those that were underway when a pause began are not refused once more.
    if (started >= resumeAt) refusedInRow++;
    return Math.min(refusalMs * 2 ** (refusedInRow - 1), maxRefusalMs);
  }

  return {
    heard(head, started, now) {
      learnStated(head, now);
      const said = allowanceOf(head.headers, now);
      learnAllowance(said, started, now);
      const pauseMs = pauseOf(head, started, now);
      if (pauseMs > 0) resumeAt = Math.max(resumeAt, now + pauseMs);
      else if (started >= resumeAt) refusedInRow = 0;
      if (head.status !== 429) refusals.admitted(started, now);
      else if (said === undefined || said.remaining > 0) {
        // No allowance explains it, so it is another limit that was met; a single request finds its end.
        refusals.refused(now, pausedUntil());
        allowance = { remaining: 0, until: pausedUntil(), started };
      }
    },
    allowsAt(now) {
      if (allowance === undefined || allowance.remaining > log.unanswered) return resumeAt;
      if (allowance.until > now) return Math.max(resumeAt, allowance.until);
      // A new allowance may be one request or hundreds: a single one finds out.
      return log.unanswered === 0 ? resumeAt : Number.POSITIVE_INFINITY;
    },
    pausedUntil,
    windows: (now) => [...stated.windows, ...refusals.windows(now)],
    state: (now) => ({
      pausedUntil: pausedUntil(),
      learned: refusals.lesson(now),
      stated: stated.windows,
    }),
  };
}

/**
 * Whether an allowance that was found says less than the known one, because the answers have overtaken each
 * other: of requests that were made no later, the tighter word counts, and none of those that come in a pause can end it.
 */
function isOutrun(known: KnownAllowance | undefined, found: KnownAllowance, now: number): boolean {
  if (known === undefined || known.until <= now) return false;
  if (known.remaining === 0) return found.remaining > 0 || found.until < known.until;
  return found.started <= known.started && found.remaining > known.remaining;
}

/** Of several limits for the same interval, each time the lowest. */
function tightest(known: readonly KnownWindow[], found: readonly KnownWindow[]): KnownWindow[] {
  const lowest = new Map(known.map((window) => [window.perMs, window]));
  for (const window of found) {
    const other = lowest.get(window.perMs);
    if (other === undefined || window.requests <= other.requests) lowest.set(window.perMs, window);
  }
  return [...lowest.values()];
}
