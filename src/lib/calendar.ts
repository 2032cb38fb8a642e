/**
 * Tells the day of a time in a time zone (IANA name), as an ISO date.
 *
 * dayIn("Pacific/Auckland")("2023-12-31T11:30:00.000Z") → "2024-01-01"
 */
export function dayIn(timeZone: string): (iso: string) => string {
  const parts = new Intl.DateTimeFormat("en-u-ca-gregory-nu-latn", {
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    timeZone,
  });
  return (iso) => {
    const found: Record<string, string> = {};
    for (const { type, value } of parts.formatToParts(new Date(iso))) found[type] = value;
    return `${found.year?.padStart(4, "0")}-${found.month}-${found.day}`;
  };
}

/**
 * Tells year and month of a time in a time zone (IANA name).
 *
 * yearMonthIn("Pacific/Auckland")("2023-12-31T11:30:00.000Z") → [2024, 1]
 */
export function yearMonthIn(timeZone: string): (iso: string) => [year: number, month: number] {
  const dayOf = dayIn(timeZone);
  return (iso) => {
    const day = timeZone === "UTC" ? new Date(iso).toISOString() : dayOf(iso);
    const [year = 0, month = 1] = day.split("-").map(Number);
    return [year, month];
  };
}

/** Tells how far a time zone is ahead of UTC at a time in milliseconds since 1970, in minutes. */
export function offsetsIn(timeZone: string): (time: number) => number {
  const format = new Intl.DateTimeFormat("en", { timeZone, timeZoneName: "longOffset" });
  return (time) => {
    const text = format.format(time);
    const [, sign, hours = "0", minutes = "0"] = /([+-])(\d\d):(\d\d)/.exec(text) ?? [];
    const size = Number(hours) * 60 + Number(minutes);
    return sign === "-" ? -size : size;
  };
}
