/** Time as the program sees it: a test puts one in its place that goes as fast as it likes. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Calls back once, after some milliseconds (24 days at most), perhaps early; what it returns cancels that. */
  after(ms: number, callback: () => void): () => void;
}

/** The clock of the machine as it was at the start: what it is set to afterwards would end pauses before their time. */
export const systemClock: Clock = {
  now: () => Math.floor(performance.timeOrigin + performance.now()),
  after(ms, callback) {
    const timer = setTimeout(callback, ms);
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
