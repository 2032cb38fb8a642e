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
  const parts = new Intl.DateTimeFormat("en-u-ca-gregory-nu-latn", {
    year: "numeric",
    month: "2-digit",
    timeZone,
  });
  return (iso) => {
    const time = new Date(iso);
    if (timeZone === "UTC") return [time.getUTCFullYear(), time.getUTCMonth() + 1];
    const found: Record<string, number> = {};
    for (const { type, value } of parts.formatToParts(time)) found[type] = Number(value);
    return [found.year ?? 0, found.month ?? 1];
  };
}
