import { utcTime } from "./schema.ts";

/** Response headers by lower-case name. */
export type Headers = Record<string, string | string[] | undefined>;

/** First value of a header. */
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
