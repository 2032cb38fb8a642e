import { utcTime } from "./schema.ts";

/** A failed attempt, as far as it decides about the next one. */
export interface Failure {
  /** HTTP status; 0 when no answer arrived that could be used. */
  status: number;
  /** The Retry-After header as it came. */
  retryAfter?: string | undefined;
  /** True where the answer arrived whole and another attempt would bring the same. */
  final?: boolean;
}

const retried = new Set([0, 408, 425, 429, 500, 502, 503, 504]);
const maxBackoffMs = 30_000;
/** Attempts before an item is given up. */
const maxAttempts = 5;
/** The same for attempts that were told to wait, which is no fault of the item. */
const maxRefusals = 20;

/**
 * How long to wait before asking again, in milliseconds; undefined when it is no use or was tried often enough.
 *
 * What the origin says in Retry-After is obeyed in full, however long; without it the wait doubles from
 * `firstDelayMs` up to 30 s. The caller decides whether the wait fits its budget.
 *
 * @param attempt attempts made so far, at least 1
 */
export function retryDelay(
  failure: Failure,
  attempt: number,
  now: Date,
  firstDelayMs = 500,
): number | undefined {
  if (failure.final || !retried.has(failure.status)) return undefined;
  const asked = toldToWait(failure) ? (retryAfterMs(failure.retryAfter, now) ?? 0) : 0;
  const patient = failure.status === 429 || asked > 0;
  if (attempt >= (patient ? maxRefusals : maxAttempts)) return undefined;
  const backoff = Math.min(firstDelayMs * 2 ** (attempt - 1), maxBackoffMs);
  return asked > 0 ? asked : backoff;
}

/** Whether a failure is about everybody's requests, not about this one alone. */
export function toldToWait({ status, retryAfter }: Failure): boolean {
  return status === 429 || (status === 503 && retryAfter !== undefined);
}

/**
 * Milliseconds that a Retry-After header asks for: seconds, or a date in one of the forms of RFC 9110 or in
 * ISO 8601. Undefined where it says neither; a date in the past gives a negative number.
 */
export function retryAfterMs(header: string | undefined, now: Date): number | undefined {
  const text = header?.trim() ?? "";
  if (/^\d+(?:\.\d+)?$/.test(text)) return Math.ceil(Number(text) * 1000);
  const time = dateOf(text);
  return time === undefined ? undefined : time - now.getTime();
}

/** A date of an HTTP header, in milliseconds since the epoch; undefined where the text is none. */
export function dateOf(text: string): number | undefined {
  const iso = utcTime(text);
  if (iso !== undefined) return Date.parse(iso);
  if (!/^(?:Mon|Tues?|Wed(?:nes)?|Thu(?:rs)?|Fri|Sat(?:ur)?|Sun)(?:day)?,? /.test(text)) {
    return undefined;
  }
  // The asctime form has no zone; without one the date would be read as local time.
  const time = Date.parse(/ (?:GMT|UTC|[+-]\d{4})$/.test(text) ? text : `${text} GMT`);
  return Number.isNaN(time) ? undefined : time;
}
