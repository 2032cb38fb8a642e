import { utcTime } from "../api/times.ts";
import { offsetsIn } from "../lib/calendar.ts";
import { mapMembers } from "../lib/jsontext.ts";
import type { SingleForm } from "../routes/learned.ts";

type TimeForm = NonNullable<SingleForm["times"]>;

/** Makes the answer for a single object from the raw text of its list item. */
export function singleWriter({ around, times }: SingleForm): (listed: string) => string {
  const write = times === null ? undefined : timeWriter(times);
  return (listed) => {
    let object = listed;
    for (const [name = ""] of times?.paths ?? []) {
      object = replaceMember(object, name, (text) => {
        const written: unknown = JSON.parse(text);
        const other = typeof written === "string" ? write?.(written) : undefined;
        return other === undefined ? text : JSON.stringify(other);
      });
    }
    return around === null ? object : replaceMember(around.envelope, around.member, () => object);
  };
}

/** How the time stamp of a single answer is written, in which members and with the offsets of a zone. */
export function timeFormOf(
  written: string,
  members: readonly string[],
  zone: string,
): TimeForm | undefined {
  const parts = /T\d\d:\d\d:\d\d(?:\.(\d+))?(Z|[+-]\d\d(?::?\d\d)?)$/.exec(written);
  if (parts === null) return undefined;
  const [, digits = "", offset = ""] = parts;
  const form = { paths: members.map((name) => [name]), fraction: digits.length };
  if (offset === "Z") return { ...form, offset, zone: "UTC" };
  return { ...form, offset: `+00${offset.slice(3).replace(/\d/g, "0")}` as "+00", zone };
}

/** Writes time stamps in another form; undefined for a text that is none. */
function timeWriter(form: TimeForm): (written: string) => string | undefined {
  const { zone } = form;
  const offsetAt = typeof zone === "number" ? () => zone : offsetsIn(zone);
  return (written) => {
    const utc = utcTime(written);
    if (utc === undefined) return undefined;
    const second = Date.parse(`${utc.slice(0, 19)}Z`);
    const minutes = offsetAt(second);
    const local = new Date(second + minutes * 60_000).toISOString().slice(0, 19);
    const digits = (/\.(\d+)/.exec(written)?.[1] ?? "").slice(0, form.fraction);
    const fraction = form.fraction === 0 ? "" : `.${digits.padEnd(form.fraction, "0")}`;
    return local + fraction + offsetText(minutes, form.offset);
  };
}

function offsetText(minutes: number, form: TimeForm["offset"]): string {
  if (form === "Z") return "Z";
  const two = (number: number): string => String(number).padStart(2, "0");
  const [hours, rest] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60];
  const behind = form === "+00" ? "" : `${form === "+00:00" ? ":" : ""}${two(rest)}`;
  return `${minutes < 0 ? "-" : "+"}${two(hours)}${behind}`;
}

function replaceMember(text: string, name: string, by: (text: string) => string): string {
  return mapMembers(text, (member, value) => (member === name ? by(value) : value));
}
