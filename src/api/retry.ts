/** A failed attempt, as far as it decides about the next one. */
export interface Failure {
  /** HTTP status; 0 when no answer arrived that could be used. */
  status: number;
  /** Milliseconds that the origin asks to wait; undefined where it does not say. */
  retryAfterMs?: number | undefined;
  /** True where the answer arrived whole and another attempt would bring the same. */
  final?: boolean;
}

const retried = new Set([0, 408, 425, 429, 500, 502, 503, 504]);
const maxBackoffMs = 30_000;
const maxAttempts = 5;
/** The same for attempts that were told to wait, which is no fault of the item. */
const maxRefusals = 20;

/** Whether to try again: the failure may pass, and there were not too many attempts. */
export function isRetried({ status, retryAfterMs = 0, final }: Failure, attempts: number): boolean {
  if (final || !retried.has(status)) return false;
  const isRefusal = status === 429 || (status === 503 && retryAfterMs > 0);
  return attempts < (isRefusal ? maxRefusals : maxAttempts);
}

/** Milliseconds before another attempt, if the origin does not say how long: doubled by each attempt, up to 30 s. */
export function backoffMs(attempts: number, firstDelayMs: number): number {
  return Math.min(firstDelayMs * 2 ** (attempts - 1), maxBackoffMs);
}

/** Whether a failure is about everybody's requests, not about this one alone. */
export function toldToWait({ status, retryAfterMs }: Failure): boolean {
  return status === 429 || (status === 503 && retryAfterMs !== undefined);
}
