/** What one answer may cost, and how long the client waits for it. */
export interface ClientLimits {
  maxJsonBytes: number;
  maxDownloadBytes: number;
  /** Until the headers are there, and between two pieces of a body. */
  idleMs: number;
  /** Until a JSON answer is complete, counted from its headers. */
  jsonMs: number;
  /** Until a download is complete, counted from its first headers, further attempts included. */
  downloadMs: number;
  /** A download that stays below this on average of `slowAfterMs` is taken for a drip and cut. */
  minBytesPerSecond: number;
  slowAfterMs: number;
  /** First wait before another attempt where the origin does not say how long. */
  firstDelayMs: number;
  /** A pause that the origin asks for beyond this ends the run, to be resumed later. */
  maxPauseMs: number;
  /** What is underway when the run is to end may take that long to finish. */
  drainMs: number;
}

export const defaultLimits: ClientLimits = {
  maxJsonBytes: 64 << 20,
  maxDownloadBytes: 16 * 2 ** 30,
  idleMs: 30_000,
  jsonMs: 60_000,
  downloadMs: 2 * 3_600_000,
  minBytesPerSecond: 1024,
  slowAfterMs: 30_000,
  firstDelayMs: 500,
  maxPauseMs: 3_600_000,
  drainMs: 10_000,
};
