import { setImmediate as turn } from "node:timers/promises";
import type { Clock } from "../../src/lib/clock.ts";

/** A clock on which hours pass in no time: it goes on to the next timer whenever nobody has anything else to do. */
export interface VirtualClock extends Clock {
  /** Sets the clock, as an administrator would; timers keep their distance. */
  set(time: number): void;
  /**
   * Lets time pass until the work is done.
   *
   * @param busy whether something is underway that needs real time, such as an answer over HTTP
   * @throws where the work waits for something, and there is nothing to come
   */
  run<T>(work: Promise<T>, busy?: () => boolean): Promise<T>;
}

/** Turns of the event loop after which an answer over HTTP has arrived that was sent. */
const httpTurns = 25;

export function virtualClock(start = Date.parse("2024-05-02T10:00:00Z")): VirtualClock {
  let elapsed = 0;
  let offset = start;
  const timers = new Set<{ at: number; callback: () => void }>();

  function fireNext(): boolean {
    let next: { at: number; callback: () => void } | undefined;
    for (const timer of timers) if (next === undefined || timer.at < next.at) next = timer;
    if (next === undefined) return false;
    timers.delete(next);
    elapsed = Math.max(elapsed, next.at);
    next.callback();
    return true;
  }

  return {
    now: () => offset + elapsed,
    after(ms, callback) {
      const timer = { at: elapsed + Math.max(ms, 0), callback };
      timers.add(timer);
      return () => timers.delete(timer);
    },
    set(time) {
      offset = time - elapsed;
    },
    async run(work, busy) {
      let settled = false;
      const end = (): void => {
        settled = true;
      };
      work.then(end, end);
      const quietTurns = busy === undefined ? 1 : httpTurns;
      for (let quiet = 0; !settled; quiet = busy?.() ? 0 : quiet + 1) {
        await turn();
        if (quiet < quietTurns || settled) continue;
        if (!fireNext()) throw new Error("nothing is left that could happen");
        quiet = 0;
      }
      return await work;
    },
  };
}
