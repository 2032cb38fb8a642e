import { yearMonthIn } from "../lib/calendar.ts";
import { counted } from "../lib/frequency.ts";

/** The month of a time in milliseconds since 1970, as year * 100 + month. */
type MonthOf = (time: number) => number;

/** Offsets from UTC that time zones have, in hours. */
const offsets = Array.from({ length: 27 }, (_, at) => at - 12);

function monthAt(hours: number): MonthOf {
  return (time) => {
    const local = new Date(time + hours * 3_600_000);
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

/**
 * The month to ask the origin for, whose number of articles tells most about the time zone: the one that differs under
 * the most offsets; of equal ones the latest, but not the latest of all, to which articles are still being added.
 * Undefined where all months are the same in every zone.
 *
 * @param times publications, in milliseconds since 1970
 */
export function pickMonth(times: readonly number[], timezone: string) {
  const monthOf = monthIn(timezone);
  const near = times.filter((time) => monthAt(-12)(time) !== monthAt(14)(time));
  const own = counted(near.map(monthOf));
  const newest = monthOf(times.reduce((latest, time) => Math.max(latest, time), 0));
  const others = offsets.map((hours) => counted(near.map(monthAt(hours))));
  const telling = ([month, count]: [number, number]): number =>
    month === newest ? -1 : others.filter((counts) => counts.get(month) !== count).length;
  const [best] = [...own].sort((a, b) => telling(b) - telling(a) || b[0] - a[0]);
  if (best === undefined) return undefined;
  const [picked] = best;
  const countBy = (of: MonthOf): number => times.filter((time) => of(time) === picked).length;
  return {
    year: Math.floor(picked / 100),
    month: picked % 100,
    /** Articles that it has in the configured time zone. */
    count: countBy(monthOf),
    /** The offsets from UTC with which it has this many articles, as `UTC+12 to UTC+13`; undefined where none is. */
    offsetsWith(total: number): string | undefined {
      const fitting = offsets.filter((hours) => countBy(monthAt(hours)) === total);
      const [first, last] = [fitting[0], fitting.at(-1)];
      if (first === undefined || last === undefined) return undefined;
      return first === last ? nameOf(first) : `${nameOf(first)} to ${nameOf(last)}`;
    },
  };
}

function nameOf(hours: number): string {
  return hours === 0 ? "UTC" : `UTC${hours > 0 ? "+" : ""}${hours}`;
}
