import { utcTime } from "../api/schema.ts";
import { yearMonthIn } from "../lib/calendar.ts";

/** Publications by month, as far as a month is the same in every time zone. */
export interface Months {
  /** Number of them by month (year * 100 + month). */
  sure: ReadonlyMap<number, number>;
  /** Those near a turn of the month, in milliseconds since 1970. */
  near: readonly number[];
  /** The latest of all; undefined where there is none. */
  latest: number | undefined;
}

/** A month to ask the origin for. */
export interface PickedMonth {
  year: number;
  month: number;
  /** Articles that it has in the configured time zone. */
  count: number;
}

type MonthOf = (time: number) => number;

const hourMs = 3_600_000;
/** Offsets from UTC that time zones have, in hours. */
const offsets = Array.from({ length: 27 }, (_, at) => at - 12);
const [westmost, eastmost] = [monthAt(-12), monthAt(14)];

function monthAt(hours: number): MonthOf {
  return (time) => {
    const local = new Date(time + hours * hourMs);
    return local.getUTCFullYear() * 100 + local.getUTCMonth() + 1;
  };
}

function monthIn(timezone: string): MonthOf {
  const yearMonth = yearMonthIn(timezone);
  return (time) => {
    const [year, month] = yearMonth(new Date(time).toISOString());
    return year * 100 + month;
  };
}

/** @param times milliseconds since 1970 */
export function monthsOf(times: Iterable<number>): Months {
  const sure = new Map<number, number>();
  const near: number[] = [];
  let latest: number | undefined;
  for (const time of times) {
    const month = westmost(time);
    latest = Math.max(latest ?? time, time);
    if (month === eastmost(time)) sure.set(month, (sure.get(month) ?? 0) + 1);
    else near.push(time);
  }
  return { sure, near, latest };
}

function countIn({ sure, near }: Months, month: number, monthOf: MonthOf): number {
  return (sure.get(month) ?? 0) + near.filter((time) => monthOf(time) === month).length;
}

/**
 * The month whose number of articles tells the most about the time zone: the one that differs under the most
 * offsets; of equal ones the latest, but not the latest of all, to which articles are still being added.
 * Undefined where all months are the same in every zone.
 */
export function pickMonth(months: Months, timezone: string): PickedMonth | undefined {
  const monthOf = monthIn(timezone);
  const own = countsOf(months.near, monthOf);
  const last = months.latest === undefined ? undefined : monthOf(months.latest);
  const score = new Map<number, number>();
  for (const hours of offsets) {
    const other = countsOf(months.near, monthAt(hours));
    for (const [month, count] of own) {
      if (other.get(month) !== count) score.set(month, (score.get(month) ?? 0) + 1);
    }
  }
  const rank = ([month, points]: [number, number]): number =>
    (month === last ? 0 : 1e9) + points * 1e6 + month;
  const [best] = [...score].sort((a, b) => rank(b) - rank(a));
  if (best === undefined) return undefined;
  const [picked] = best;
  const count = (months.sure.get(picked) ?? 0) + (own.get(picked) ?? 0);
  return { year: Math.floor(picked / 100), month: picked % 100, count };
}

function countsOf(times: readonly number[], monthOf: MonthOf): Map<number, number> {
  const counts = new Map<number, number>();
  for (const time of times) counts.set(monthOf(time), (counts.get(monthOf(time)) ?? 0) + 1);
  return counts;
}

/** Named first where many zones fit. */
const common =
  `Europe/London Europe/Lisbon Europe/Berlin Europe/Paris Europe/Madrid Europe/Vienna Europe/Warsaw
  Europe/Athens Europe/Helsinki Europe/Istanbul Europe/Moscow Africa/Lagos Africa/Cairo Africa/Johannesburg
  Asia/Dubai Asia/Karachi Asia/Kolkata Asia/Calcutta Asia/Dhaka Asia/Bangkok Asia/Singapore Asia/Shanghai Asia/Tokyo
  Australia/Perth Australia/Sydney Pacific/Auckland America/New_York America/Chicago America/Denver
  America/Los_Angeles America/Toronto America/Sao_Paulo America/Bogota America/Mexico_City`.split(
    /\s+/,
  );
const maxNamed = 3;

/**
 * The time zones that explain why a month has so many articles at the origin, in words for a message; undefined
 * where none does. Of several, those that the origin's own timestamps are written in, if there are any.
 *
 * @param written offsets from UTC in minutes, by time, as the origin writes them
 */
export function zonesThatFit(
  months: Months,
  { year, month }: PickedMonth,
  total: number,
  written: ReadonlyMap<number, number>,
): string | undefined {
  const wanted = year * 100 + month;
  const fits = (monthOf: MonthOf): boolean => {
    const near = months.near.filter(
      (time) => westmost(time) === wanted || eastmost(time) === wanted,
    );
    return countIn({ ...months, near }, wanted, monthOf) === total;
  };
  const zones = ["UTC", ...Intl.supportedValuesOf("timeZone")].filter((zone) =>
    fits(monthIn(zone)),
  );
  const exact = written.size === 0 ? [] : zones.filter((zone) => isWrittenIn(zone, written));
  const named = (exact.length === 0 ? zones : exact).sort((a, b) => rank(a) - rank(b));
  if (named.length > 0 && named.length <= maxNamed) return named.join(" or ");
  const hours = offsets.filter((offset) => fits(monthAt(offset))).map(offsetText);
  if (exact.length === 0 && hours.length > 0) {
    const span = hours.length === 1 ? hours[0] : `${hours[0]} to ${hours.at(-1)}`;
    return named.length === 0 ? span : `${span}, such as ${named.slice(0, maxNamed).join(", ")}`;
  }
  if (named.length === 0) return undefined;
  return `${named.slice(0, maxNamed).join(", ")} and ${named.length - maxNamed} more`;
}

function rank(zone: string): number {
  if (zone === "UTC") return 0;
  const at = common.indexOf(zone);
  return at === -1 ? common.length + 1 : at + 1;
}

function offsetText(hours: number): string {
  if (hours === 0) return "UTC";
  return `UTC${hours > 0 ? "+" : "-"}${Math.abs(hours)}`;
}

function isWrittenIn(timezone: string, written: ReadonlyMap<number, number>): boolean {
  const format = new Intl.DateTimeFormat("en", { timeZone: timezone, timeZoneName: "longOffset" });
  for (const [time, minutes] of written) {
    const text = format.formatToParts(time).find(({ type }) => type === "timeZoneName")?.value;
    const [, sign, hours, rest] = /([+-])(\d\d):(\d\d)/.exec(text ?? "") ?? [];
    const offset = Number(hours ?? 0) * 60 + Number(rest ?? 0);
    if ((sign === "-" ? -offset : offset) !== minutes) return false;
  }
  return true;
}

/** When an article was published, and the numeric offset from UTC in which its single form says so. */
export function writtenOffset(raw: string): { time: number; minutes: number } | undefined {
  const { published_at: text } = JSON.parse(raw) as { published_at?: unknown };
  if (typeof text !== "string") return undefined;
  const [, sign, hours, minutes] = /:\d\d(?:[.,]\d+)? ?([+-])(\d\d):?(\d\d)?$/.exec(text) ?? [];
  const time = utcTime(text);
  if (sign === undefined || time === undefined) return undefined;
  const offset = Number(hours) * 60 + Number(minutes ?? 0);
  return { time: Date.parse(time), minutes: sign === "-" ? -offset : offset };
}
