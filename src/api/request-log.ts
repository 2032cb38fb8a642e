/** At most so many requests in any interval of that length, wherever it is laid. */
export interface RateWindow {
  requests: number;
  perMs: number;
}

/**
 * When requests were made, as far as a rate must know. The origin counts a request when that arrives: after it
 * started, and not later than its answer came. A place in a window becomes free one interval after the answer, but
 * at most a quarter of the interval later than counted from the start, so that one lost answer holds up nobody.
 *
 * All times are milliseconds since the epoch.
 */
export interface RequestLog {
  /** Notes that a request starts; what comes back notes its answer. */
  start(time: number): (time: number) => void;
  /** Requests without an answer. */
  readonly unanswered: number;
  /** When all windows let the next request start; 0 where they have room already. */
  opensAt(windows: readonly RateWindow[], time: number): number;
  /** When the oldest request after a time was made. */
  oldestAfter(time: number): number | undefined;
  /** Times of the requests that windows must know of, oldest first; of those without an answer, the latest one. */
  latest(windows: readonly RateWindow[], time: number): number[];
}

/** A clock of whole milliseconds is behind by up to one: what it shows to be a window apart may be less. */
const tickMs = 1;
/** Windows that are learned on the way look back on no more than this. */
const keptAtLeast = 10_000;

/** @param made requests of an earlier run */
export function createRequestLog(made: readonly number[]): RequestLog {
  let kept = keptAtLeast;
  let answered = [...made].sort((a, b) => a - b);
  /** Starts of those without an answer. A set, because it keeps their order and forgets any of them. */
  const open = new Set<{ at: number }>();

  /** Where the clock was set back, what was later than now happened just now: nobody waits longer than a window. */
  function settle(time: number): void {
    for (let i = answered.length - 1; i >= 0 && (answered[i] as number) > time; i--) {
      answered[i] = time;
    }
    for (const each of open) each.at = Math.min(each.at, time);
  }

  /** The time of the nth newest request, where those without an answer count as `lateMs` after their start. */
  function newest(n: number, lateMs: number): number | undefined {
    let index = answered.length - n;
    let last = Number.POSITIVE_INFINITY;
    for (const { at } of [...open].reverse()) {
      const late = at + lateMs;
      const oldest = answered[index];
      // Either all that count are without an answer, or no further one is newer than those that have theirs.
      if (index === answered.length || (oldest !== undefined && late <= oldest)) break;
      index++;
      last = late;
    }
    if (index < 0) return undefined;
    return Math.min(answered[index] ?? last, last);
  }

  return {
    start(time) {
      settle(time);
      const request = { at: time };
      open.add(request);
      return (answeredAt) => {
        open.delete(request);
        settle(answeredAt);
        answered.push(answeredAt);
        if (answered.length > 2 * kept) answered = answered.slice(-kept);
      };
    },
    get unanswered() {
      return open.size;
    },
    opensAt(windows, time) {
      settle(time);
      let opensAt = 0;
      for (const { requests, perMs } of windows) {
        kept = Math.max(kept, requests);
        const at = newest(requests, perMs / 4);
        if (at !== undefined) opensAt = Math.max(opensAt, at + perMs + tickMs);
      }
      return opensAt;
    },
    oldestAfter(time) {
      const first = answered.find((at) => at > time);
      const started = [...open].find(({ at }) => at > time)?.at;
      return first === undefined ? started : Math.min(first, started ?? first);
    },
    latest(windows, time) {
      const perMs = Math.max(0, ...windows.map((window) => window.perMs));
      const requests = Math.max(0, ...windows.map((window) => window.requests));
      const times = [...answered, ...[...open].map(({ at }) => at + perMs / 4)];
      return requests === 0 ? [] : times.filter((at) => at > time - perMs).slice(-requests);
    },
  };
}
