import { offsetsIn } from "../lib/calendar.ts";
import { isObject } from "../lib/objects.ts";
import { orUndefined } from "../lib/or-undefined.ts";

const written =
  /^(?<date>\d{4}-\d\d-(?<day>\d\d))(?:[T ](?<clock>\d\d:\d\d)(?::(?<second>\d\d)(?:[.,](?<fraction>\d+))?)?(?: ?(?:Z|UTC|(?<hours>[+-]\d\d)(?::?(?<minutes>\d\d))?))?)?$/i;

/**
 * A timestamp in ISO 8601, UTC, cut to milliseconds; undefined where the text is no time. Takes what the API writes, a
 * numeric offset (`+13:00`, `+1300`, `+13`) or fractions and `Z`, and the other forms of ISO 8601 and of SQL: without
 * seconds, with a comma or a space, and without a zone or a clock, which mean UTC and midnight.
 */
export function utcTime(text: string): string | undefined {
  const match = written.exec(text)?.groups;
  if (match === undefined) return undefined;
  const { date, day, clock = "00:00", second = "00", fraction = "" } = match;
  const { hours = "+00", minutes = "00" } = match;
  // JavaScript takes 30 February for 1 March.
  if (new Date(`${date}`).getUTCDate() !== Number(day)) return undefined;
  // A leap second is the start of what follows.
  const [known, leapMs] = second === "60" ? ["59", 1000] : [second, 0];
  const ms = fraction.slice(0, 3).padEnd(3, "0");
  const time = Date.parse(`${date}T${clock}:${known}.${ms}${hours}:${minutes}`) + leapMs;
  // Beyond the years 0 to 9999 there is no common form.
  const utc = Number.isNaN(time) ? "" : new Date(time).toISOString();
  return utc.length === "0000-00-00T00:00:00.000Z".length ? utc : undefined;
}

/** Above it, a number counts milliseconds: as seconds, it would be beyond the year 5000. */
const mostSeconds = 1e11;

/**
 * A time as services write it in JSON, in UTC; undefined where it is none: a text, seconds or milliseconds since 1970,
 * or a DateTime of PHP (`{"date":"2024-05-02 08:00:00.000000","timezone_type":3,"timezone":"Europe/Vienna"}`).
 */
export function timeOf(value: unknown): string | undefined {
  if (typeof value === "string" && !/^\d{9,13}$/.test(value)) return utcTime(value);
  if (typeof value === "string" || typeof value === "number") {
    const since = Number(value);
    const time = new Date(Math.abs(since) > mostSeconds ? since : since * 1000);
    return Number.isNaN(time.getTime()) ? undefined : utcTime(time.toISOString());
  }
  if (!isObject(value) || typeof value.date !== "string") return undefined;
  return timeInZone(value.date, String(value.timezone ?? "UTC"));
}

/** A time on the clocks of a zone, which is named, or an offset. */
function timeInZone(date: string, timeZone: string): string | undefined {
  if (/^[+-]/.test(timeZone)) return utcTime(date + timeZone);
  const offset = orUndefined(() => offsetsIn(timeZone));
  const time = Date.parse(utcTime(date) ?? "");
  if (offset === undefined || Number.isNaN(time)) return undefined;
  const about = time - offset(time) * 60_000;
  return new Date(time - offset(about) * 60_000).toISOString();
}
