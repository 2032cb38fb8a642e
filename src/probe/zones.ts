import { offsetsIn } from "../lib/calendar.ts";

/** Where readers of the list are most likely to look first. */
const regions = ["Europe/", "America/", "Asia/", "Australia/", "Pacific/", "Africa/"];

/** Offset from UTC and time (milliseconds since 1970) of `2024-05-02T10:00:00+13:00`; undefined without one, or for Z. */
export function offsetIn(text: unknown) {
  const match = typeof text === "string" && /([+-])(\d\d):?(\d\d)$/.exec(text);
  if (!match) return undefined;
  const [, sign, hours, minutes] = match;
  const size = Number(hours) * 60 + Number(minutes);
  const iso = (text as string).replace(/([+-]\d\d):?(\d\d)$/, "$1:$2");
  return { time: Date.parse(iso), minutes: sign === "-" ? -size : size };
}

/**
 * The IANA time zones in which all these offsets are written, the likeliest first; UTC alone where all are 0.
 *
 * zonesWith([{ time: Date.UTC(2024, 0, 1), minutes: 780 }]) → ["Pacific/Auckland", …]
 */
export function zonesWith(offsets: readonly { time: number; minutes: number }[]): string[] {
  if (offsets.length === 0) return [];
  if (offsets.every(({ minutes }) => minutes === 0)) return ["UTC"];
  const fitting = Intl.supportedValuesOf("timeZone").filter((zone) => {
    const offsetAt = offsetsIn(zone);
    return offsets.every(({ time, minutes }) => offsetAt(time) === minutes);
  });
  const rank = (zone: string): number =>
    regions.findIndex((region) => zone.startsWith(region)) >>> 0;
  return fitting.sort((a, b) => rank(a) - rank(b));
}
