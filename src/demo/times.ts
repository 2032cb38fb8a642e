/** Timestamps and the calendar of a time zone. Times are milliseconds since 1970. */

const formats = new Map<string, Intl.DateTimeFormat>();

/** How far a zone is ahead of UTC at a time, in minutes. Throws a RangeError for an unknown zone. */
function offsetMinutes(time: number, timezone: string): number {
  if (timezone === "UTC") return 0;
  let format = formats.get(timezone);
  if (!format) {
    format = new Intl.DateTimeFormat("en-US", { timeZone: timezone, timeZoneName: "longOffset" });
    formats.set(timezone, format);
  }
  const name = format.formatToParts(time).find((part) => part.type === "timeZoneName")?.value;
  const match = /([+-])(\d\d):(\d\d)/.exec(name ?? "");
  if (!match) return 0;
  const minutes = Number(match[2]) * 60 + Number(match[3]);
  return match[1] === "-" ? -minutes : minutes;
}

/** The form of single responses: "2024-05-02T10:00:00+13:00", or "+1300" without the colon. */
export function singleTime(time: number, timezone: string, offsets: "colon" | "plain"): string {
  const ahead = offsetMinutes(time, timezone);
  const local = new Date(time + ahead * 60_000).toISOString().slice(0, 19);
  const size = Math.abs(ahead);
  const hours = String(Math.floor(size / 60)).padStart(2, "0");
  const minutes = String(size % 60).padStart(2, "0");
  return `${local}${ahead < 0 ? "-" : "+"}${hours}${offsets === "colon" ? ":" : ""}${minutes}`;
}

/** The form of index responses: "2024-05-02T10:00:00.000000Z", or less of it. */
export function indexTime(time: number, form: "fraction" | "seconds" | "minutes"): string {
  const iso = new Date(time).toISOString();
  if (form === "fraction") return `${iso.slice(0, 23)}000Z`;
  return `${iso.slice(0, form === "seconds" ? 19 : 16)}Z`;
}

/**
 * Start (included) and end (excluded) of a year, or of a month (1 to 12) of it, in a zone.
 * A month outside that range gives an empty span.
 */
export function calendarSpan(
  year: number,
  month: number | undefined,
  timezone: string,
): { start: number; end: number } {
  if (month === undefined) {
    return { start: startOf(year, 0, timezone), end: startOf(year + 1, 0, timezone) };
  }
  if (month < 1 || month > 12) return { start: 0, end: 0 };
  return { start: startOf(year, month - 1, timezone), end: startOf(year, month, timezone) };
}

function startOf(year: number, month: number, timezone: string): number {
  const local = Date.UTC(year, month, 1);
  // The offset at the wanted moment is only known once the moment is: guess, then correct.
  const guess = local - offsetMinutes(local, timezone) * 60_000;
  return local - offsetMinutes(guess, timezone) * 60_000;
}
