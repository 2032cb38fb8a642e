import diagnostics from "node:diagnostics_channel";
import { setImmediate as otherWork, setTimeout as sleep } from "node:timers/promises";
import type { Clock } from "../../../src/lib/clock.ts";

/**
 * A clock that costs no time: it stands still while a request is underway, and jumps to the next timer as soon as
 * there is none. Requests are real ones; they are counted where undici tells of them, so that whatever waits for
 * an answer keeps the clock from moving.
 */
export interface VirtualClock extends Clock {
  /** Lets time go by while a promise is pending, and gives its outcome. */
  during<T>(work: Promise<T>): Promise<T>;
  /** Sets the clock's face forward or back, as an administrator does; timers do not notice. */
  turn(ms: number): void;
  /** Milliseconds since the epoch at which it began. */
  readonly startedAt: number;
  /** Milliseconds that went by, however often the clock was turned. */
  readonly elapsedMs: number;
  close(): void;
}

interface Timer {
  at: number;
  callback: () => void;
}

/** Turns of the event loop without a request after which nothing is underway any more. */
const quietTurns = 3;

/** @param start milliseconds since the epoch */
export function createVirtualClock(start: number): VirtualClock {
  const timers = new Set<Timer>();
  let elapsed = 0;
  let turned = 0;
  let underway = 0;
  const began = (): void => void underway++;
  const ended = (): void => void underway--;
  diagnostics.subscribe("undici:request:create", began);
  diagnostics.subscribe("undici:request:trailers", ended);
  diagnostics.subscribe("undici:request:error", ended);

  function jump(): void {
    let next: Timer | undefined;
    for (const timer of timers) if (next === undefined || timer.at < next.at) next = timer;
    if (next === undefined) return;
    timers.delete(next);
    elapsed = Math.max(elapsed, next.at);
    next.callback();
  }

  return {
    startedAt: start,
    now: () => start + elapsed + turned,
    after(ms, callback) {
      const timer = { at: elapsed + Math.max(ms, 0), callback };
      timers.add(timer);
      return () => void timers.delete(timer);
    },
    async during(work) {
      let pending = true;
      const settled = (): void => {
        pending = false;
      };
      work.then(settled, settled);
      while (pending) {
        for (let turns = 0; turns < quietTurns && underway === 0; turns++) await otherWork();
        if (!pending) break;
        if (underway === 0 && timers.size > 0) jump();
        else await sleep(0);
      }
      return await work;
    },
    turn(ms) {
      turned += ms;
    },
    get elapsedMs() {
      return elapsed;
    },
    close() {
      diagnostics.unsubscribe("undici:request:create", began);
      diagnostics.unsubscribe("undici:request:trailers", ended);
      diagnostics.unsubscribe("undici:request:error", ended);
    },
  };
}
