/** An offset from UTC that an origin has written, and when. */
export interface WrittenOffset {
  /** Milliseconds since 1970. */
  time: number;
  minutes: number;
}

/** Where readers of the list are most likely to look first. */
const regions = ["Europe/", "America/", "Asia/", "Australia/", "Pacific/", "Africa/"];

/** The offset of a timestamp such as `2024-05-02T10:00:00+13:00`; undefined where it has none, or says Z. */
export function offsetIn(text: unknown): WrittenOffset | undefined {
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
export function zonesWith(offsets: readonly WrittenOffset[]): string[] {
  if (offsets.length === 0) return [];
  if (offsets.every(({ minutes }) => minutes === 0)) return ["UTC"];
  const fitting = Intl.supportedValuesOf("timeZone").filter((zone) => {
    const offsetAt = offsetsOf(zone);
    return offsets.every(({ time, minutes }) => offsetAt(time) === minutes);
  });
  const rank = (zone: string): number =>
    regions.findIndex((region) => zone.startsWith(region)) >>> 0;
  return fitting.sort((a, b) => rank(a) - rank(b));
}

/** The offset from UTC of a time zone, in minutes, at a time in milliseconds since 1970. */
function offsetsOf(timeZone: string): (time: number) => number {
  const format = new Intl.DateTimeFormat("en", { timeZone, timeZoneName: "longOffset" });
  return (time) => {
    const name =
      format.formatToParts(time).find(({ type }) => type === "timeZoneName")?.value ?? "";
    const [, sign, hours = "0", minutes = "0"] = /([+-])(\d\d):(\d\d)/.exec(name) ?? [];
    const size = Number(hours) * 60 + Number(minutes);
    return sign === "-" ? -size : size;
  };
}
