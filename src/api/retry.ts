/** A failed attempt, as far as it decides about the next one. */
export interface Failure {
  /** HTTP status; 0 when no complete answer arrived. */
  status: number;
  /** The Retry-After header as it came. */
  retryAfter?: string | undefined;
}

const retried = new Set([0, 408, 425, 429, 500, 502, 503, 504]);
const firstDelayMs = 500;
const maxBackoffMs = 30_000;
/** Attempts before an item is given up; being told to wait is no fault of the item, so 429 has more. */
const maxAttempts = 5;
const maxRefusals = 20;

/**
 * How long to wait before asking again, in milliseconds; undefined when it is no use or was tried often enough.
 *
 * What the origin says in Retry-After is obeyed in full, however long; without it the wait doubles from 500 ms
 * up to 30 s. The caller decides whether the wait fits its budget.
 *
 * @param attempt attempts made so far, at least 1
 */
export function retryDelay(failure: Failure, attempt: number, now: Date): number | undefined {
  if (!retried.has(failure.status)) return undefined;
  if (attempt >= (failure.status === 429 ? maxRefusals : maxAttempts)) return undefined;
  const backoff = Math.min(firstDelayMs * 2 ** (attempt - 1), maxBackoffMs);
  return Math.max(retryAfterMs(failure.retryAfter, now) ?? 0, 0) || backoff;
}

/**
 * Milliseconds that a Retry-After header asks for: seconds or an HTTP date. Undefined where it says neither;
 * a date in the past gives a negative number.
 */
export function retryAfterMs(header: string | undefined, now: Date): number | undefined {
  const text = header?.trim() ?? "";
  if (/^\d+(?:\.\d+)?$/.test(text)) return Math.ceil(Number(text) * 1000);
  if (!/^[A-Za-z]{3,9}, /.test(text)) return undefined;
  const time = Date.parse(text);
  return Number.isNaN(time) ? undefined : time - now.getTime();
}
