import { utcTime } from "./times.ts";

/** Response headers by lower-case name. */
export type Headers = Record<string, string | string[] | undefined>;

export function headerOf(headers: Headers, name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value[0] : value;
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

/**
 * The origin's time when it answered, in milliseconds since the epoch: our own, which is finer, if that agrees with
 * the Date header or there is none.
 */
export function originTime(headers: Headers, now: number): number {
  const date = dateOf(headerOf(headers, "date") ?? "");
  // A cache keeps the date of the day on which it was filled.
  const cached = Number(headerOf(headers, "age") ?? 0) !== 0;
  if (date === undefined || cached) return now;
  return now >= date && now - date < 1_000 ? now : date;
}

/** So many requests in any span of so many milliseconds. */
export interface Window {
  requests: number;
  perMs: number;
}

/** What an answer says of the allowance that its request counted towards. */
interface Allowance {
  remaining: number;
  /** Milliseconds until the allowance is new; undefined where the answer does not say. */
  resetMs: number | undefined;
}

/**
 * The tightest allowance that rate headers speak of; undefined where they speak of none.
 *
 * Understands `X-RateLimit-*` and `X-Rate-Limit-*` (reset in seconds, as a time since the epoch in seconds or
 * milliseconds, or as a date), `RateLimit-*` of the IETF drafts up to 6, and the single `RateLimit` field of
 * draft 7 (`remaining=0, reset=9`) and of those from 8 on (`"hour";r=0;t=9, "day";r=90;t=999`).
 */
export function allowanceOf(headers: Headers, now: number): Allowance | undefined {
  const found = fieldAllowances(headerOf(headers, "ratelimit") ?? "");
  for (const prefix of ["x-ratelimit-", "x-rate-limit-", "ratelimit-"]) {
    const remaining = headerOf(headers, `${prefix}remaining`)?.trim() ?? "";
    if (!/^\d{1,15}$/.test(remaining)) continue;
    const reset = headerOf(headers, `${prefix}reset`);
    found.push({ remaining: Number(remaining), resetMs: resetOf(reset, headers, now) });
  }
  const length = ({ resetMs = Number.POSITIVE_INFINITY }: Allowance): number => resetMs;
  const tightest = found.sort((a, b) => a.remaining - b.remaining || length(b) - length(a))[0];
  if (tightest?.remaining !== 0) return tightest;
  // Where both are given, Retry-After takes precedence (section 4 of the IETF draft).
  const asked = retryAfterOf(headers, now);
  return asked !== undefined && asked > 0 ? { remaining: 0, resetMs: asked } : tightest;
}

/**
 * The policy that an origin states, in a `RateLimit-Policy` (`"default";q=100;w=60`, in draft 7 `100;w=60`) or beside a
 * limit (`RateLimit-Limit: 100, 100;w=60`). Of several, the one with the shortest window: the longer ones show in what
 * remains. Undefined where it states none.
 */
export function policyOf(headers: Headers): Window | undefined {
  const names = ["ratelimit-policy", "ratelimit-limit", "x-ratelimit-policy", "x-ratelimit-limit"];
  const items = names.flatMap((name) => (headerOf(headers, name) ?? "").split(","));
  const windows = items.flatMap((item) => {
    const requests = Number(/(?:;\s*q=|^\s*)(\d{1,15})\b/.exec(item)?.[1] ?? 0);
    const seconds = Number(/;\s*w=(\d{1,9})\b/.exec(item)?.[1] ?? 0);
    const counts = /;\s*qu="?(?!"?requests\b)/.test(item);
    return requests > 0 && seconds > 0 && !counts ? [{ requests, perMs: seconds * 1000 }] : [];
  });
  return windows.sort((a, b) => a.perMs - b.perMs)[0];
}

/**
 * Milliseconds from now that a Retry-After header asks for: seconds, or a date in one of the forms of RFC 9110 or in
 * ISO 8601, read by the clock of the answer. Undefined where it says neither; a date in the past gives a negative
 * number.
 */
export function retryAfterOf(headers: Headers, now: number): number | undefined {
  const text = headerOf(headers, "retry-after")?.trim() ?? "";
  // More digits are no number of seconds that anybody means.
  if (/^\d{1,10}(?:\.\d{1,9})?$/.test(text)) return Math.ceil(Number(text) * 1000);
  const time = dateOf(text);
  return time === undefined ? undefined : time - originTime(headers, now);
}

function fieldAllowances(field: string): Allowance[] {
  // Draft 7 separates the members of one allowance by commas, its successors separate allowances by them.
  const items = /(?:^|[,\s])remaining=/.test(field) ? [field] : field.split(",");
  return items.flatMap((item) => {
    const remaining = /(?:^|[;,\s])r(?:emaining)?=(\d+)/.exec(item)?.[1];
    const reset = /(?:^|[;,\s])(?:t|reset)=(\d+)/.exec(item)?.[1];
    const resetMs = reset === undefined ? undefined : Number(reset) * 1000;
    return remaining === undefined ? [] : [{ remaining: Number(remaining), resetMs }];
  });
}

/** Above a year in seconds, a reset can only be a time. */
const epochSeconds = 31_536_000;
const epochMilliseconds = epochSeconds * 1000;

function resetOf(text: string | undefined, headers: Headers, now: number): number | undefined {
  const trimmed = text?.trim() ?? "";
  const isNumber = /^\d{1,15}(?:\.\d+)?$/.test(trimmed);
  const number = Number(trimmed);
  if (isNumber && number <= epochSeconds) return Math.ceil(number * 1000);
  const time = isNumber
    ? number * (number > epochMilliseconds ? 1 : 1000)
    : dateOf(trimmed.replace(/^"(.*)"$/, "$1"));
  return time === undefined ? undefined : Math.max(Math.ceil(time - originTime(headers, now)), 0);
}
