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

/**
 * How long to wait before asking again, in milliseconds; undefined when it is no use or was tried often enough.
 * Retry-After is obeyed in full, however long; without it the wait doubles from `firstDelayMs` up to 30 s.
 */
export function retryDelay(
  failure: Failure,
  attempt: number,
  firstDelayMs = 500,
): number | undefined {
  if (failure.final || !retried.has(failure.status)) return undefined;
  const asked = toldToWait(failure) ? (failure.retryAfterMs ?? 0) : 0;
  const patient = failure.status === 429 || asked > 0;
  if (attempt >= (patient ? maxRefusals : maxAttempts)) return undefined;
  const backoff = Math.min(firstDelayMs * 2 ** (attempt - 1), maxBackoffMs);
  return asked > 0 ? asked : backoff;
}

/** Whether a failure is about everybody's requests, not about this one alone. */
export function toldToWait({ status, retryAfterMs }: Failure): boolean {
  return status === 429 || (status === 503 && retryAfterMs !== undefined);
}
