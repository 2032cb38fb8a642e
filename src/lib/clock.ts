/** Time as the program sees it: a test puts one in its place that goes as fast as it likes. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Calls back once, after some milliseconds, perhaps a moment early; what it returns cancels that. */
  after(ms: number, callback: () => void): () => void;
}

/** Timers hold no more than 24 days; beyond that they fire at once. */
const maxTimerMs = 2 ** 31 - 1;

/** The clock of the machine as it was at the start: what it is set to afterwards would end pauses before their time. */
export const systemClock: Clock = {
  now: () => Math.floor(performance.timeOrigin + performance.now()),
  after(ms, callback) {
    let timer: NodeJS.Timeout;
    const wait = (leftMs: number): void => {
      const nextMs = Math.min(leftMs, maxTimerMs);
      timer = setTimeout(() => (leftMs > nextMs ? wait(leftMs - nextMs) : callback()), nextMs);
    };
    wait(ms);
    return () => clearTimeout(timer);
  },
};

/** Waits some milliseconds. @throws the signal's reason as soon as that is raised */
export function sleepOn(clock: Clock, ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const stop = (): void => {
      cancel();
      reject(signal?.reason);
    };
    const cancel = clock.after(ms, () => {
      signal?.removeEventListener("abort", stop);
      resolve();
    });
    signal?.addEventListener("abort", stop, { once: true });
  });
}
