/** Timestamps as APIs write them. Times are milliseconds since 1970. */
import { cached } from "../lib/cached.ts";
import { offsetsIn } from "../lib/calendar.ts";

const offsetsOf = cached(10, offsetsIn);

/** The form of single responses: "2024-05-02T10:00:00+13:00", or "+1300" without the colon. */
export function singleTime(time: number, timezone: string, offsets: "colon" | "plain"): string {
  const ahead = offsetsOf(timezone)(time);
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
