import { sameJson } from "../api/same-json.ts";
import { utcTime } from "../api/schema.ts";
import { membersOf } from "../lib/jsontext.ts";
import type { SingleForm, SingleImages } from "../routes/learned.ts";

/** An object as a list has it, and the answer to a request for it alone; raw texts without signatures. */
export interface SingleSample {
  id: string;
  listed: string;
  answer: string;
}

/** What is known of the origin's time zone. */
export interface ZoneHints {
  /** Time zone that the configuration names. */
  timezone: string;
  /** Offsets from UTC in minutes in which the origin writes times elsewhere, by time. */
  written: ReadonlyMap<number, number>;
}

type TimeForm = NonNullable<SingleForm["times"]>;

/** A time stamp of a sample, as the list and the single answer write it. */
interface TimePair {
  path: string[];
  listed: string;
  single: string;
}

/**
 * The rule by which single answers follow from list items, if there is one that makes every sample out of its list
 * item; the reason why there is none otherwise.
 */
export function deriveSingleForm(samples: readonly SingleSample[], hints: ZoneHints): SingleImages {
  const pairs: TimePair[] = [];
  let around: SingleForm["around"] | undefined;
  for (const { id, listed, answer } of samples) {
    const found = findObject(answer, id);
    if (found === undefined) return doesNotFollow("an answer does not have the object");
    around ??= found.around;
    if (JSON.stringify(around) !== JSON.stringify(found.around)) {
      return doesNotFollow("answers differ around the object");
    }
    const path = differenceOf(JSON.parse(listed), JSON.parse(found.object), [], pairs);
    if (path !== undefined) return doesNotFollow(`${path} differs from the list`);
  }
  if (around === undefined) return doesNotFollow("there is no answer");
  for (const times of timeFormsOf(pairs, hints)) {
    const form = { around, times };
    const write = singleWriter(form);
    const follows = samples.every(({ listed, answer }) => sameJson(write(listed), answer));
    if (follows) return { form };
  }
  return doesNotFollow("no time zone explains its time stamps");
}

/** Makes the answer for a single object from the raw text of its list item. */
export function singleWriter({ around, times }: SingleForm): (listed: string) => string {
  const write = times === null ? undefined : timeWriter(times);
  return (listed) => {
    let object = listed;
    for (const path of times?.paths ?? []) {
      object = replaceAt(object, path, (text) => {
        const written: unknown = JSON.parse(text);
        const other = typeof written === "string" ? write?.(written) : undefined;
        return other === undefined ? text : JSON.stringify(other);
      });
    }
    return around === null ? object : replaceAt(around.envelope, [around.member], () => object);
  };
}

function doesNotFollow(reason: string): SingleImages {
  return { form: null, reason };
}

/** Where an answer has the object of an id: in one of its members, or it is the object itself. */
function findObject(
  answer: string,
  id: string,
): { around: SingleForm["around"]; object: string } | undefined {
  const value: unknown = JSON.parse(answer);
  if (!isObject(value)) return undefined;
  const member = Object.keys(value).find((name) => hasId(value[name], id));
  const span = member === undefined ? undefined : membersOf(answer).get(member);
  if (member === undefined || span === undefined) {
    return hasId(value, id) ? { around: null, object: answer } : undefined;
  }
  const envelope = `${answer.slice(0, span.start)}null${answer.slice(span.end)}`;
  return { around: { envelope, member }, object: answer.slice(span.start, span.end) };
}

function hasId(value: unknown, id: string): boolean {
  return isObject(value) && String(value.id) === id;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The member in which two objects differ, but for time stamps of the same time, which are collected. */
function differenceOf(
  listed: unknown,
  single: unknown,
  path: string[],
  pairs: TimePair[],
): string | undefined {
  if (sameJson(JSON.stringify(listed), JSON.stringify(single))) return undefined;
  const name = path.join(".");
  if (isObject(listed) && isObject(single)) {
    const names = new Set([...Object.keys(listed), ...Object.keys(single)]);
    for (const member of names) {
      const inner = [...path, member];
      if (!Object.hasOwn(listed, member) || !Object.hasOwn(single, member)) return inner.join(".");
      const found = differenceOf(listed[member], single[member], inner, pairs);
      if (found !== undefined) return found;
    }
    return undefined;
  }
  if (typeof listed !== "string" || typeof single !== "string") return name;
  const [one, other] = [utcTime(listed), utcTime(single)];
  // Fractions may be cut.
  if (one === undefined || one.slice(0, 19) !== other?.slice(0, 19)) return name;
  pairs.push({ path, listed, single });
  return undefined;
}

const timeParts = /^\d{4}-\d\d-\d\d([T ])\d\d:\d\d:\d\d(?:\.(\d+))?(Z|[+-]\d\d(?::?\d\d)?)$/;

/** The forms of time stamps that the first pair can have: its own with each time zone that it may be of. */
function* timeFormsOf(
  pairs: readonly TimePair[],
  { timezone, written }: ZoneHints,
): Generator<TimeForm | null> {
  const [first] = pairs;
  if (first === undefined) return yield null;
  const parts = timeParts.exec(first.single);
  if (parts === null) return;
  const [, separator, digits = "", offset = ""] = parts;
  const form = {
    paths: [...new Map(pairs.map(({ path }) => [JSON.stringify(path), path])).values()],
    separator: separator as "T" | " ",
    fraction: digits.length,
  };
  if (offset === "Z") return yield { ...form, offset, zone: "UTC" };
  const offsetForm = `+00${offset.slice(3).replace(/\d/g, "0")}` as "+00";
  // Only several offsets tell one time zone from the others.
  const zones = written.size === 0 ? [] : Intl.supportedValuesOf("timeZone");
  for (const zone of [timezone, "UTC", minutesOf(offset), ...zones]) {
    const offsetAt = offsetsOf(zone);
    if ([...written].some(([at, minutes]) => offsetAt(at) !== minutes)) continue;
    yield { ...form, offset: offsetForm, zone };
  }
}

function minutesOf(offset: string): number {
  const [, sign, hours, minutes] = /^([+-])(\d\d):?(\d\d)?$/.exec(offset) ?? [];
  return (sign === "-" ? -1 : 1) * (Number(hours ?? 0) * 60 + Number(minutes ?? 0));
}

/** Tells a zone's offset from UTC at a time, in minutes. */
function offsetsOf(zone: string | number): (time: number) => number {
  if (typeof zone === "number") return () => zone;
  const format = new Intl.DateTimeFormat("en", { timeZone: zone, timeZoneName: "longOffset" });
  return (time) => {
    const name = format.formatToParts(time).find(({ type }) => type === "timeZoneName")?.value;
    return minutesOf(/[+-]\d\d:\d\d$/.exec(name ?? "")?.[0] ?? "+00:00");
  };
}

/** Writes time stamps in another form; undefined for a text that is none. */
function timeWriter(form: TimeForm): (written: string) => string | undefined {
  const offsetAt = offsetsOf(form.zone);
  return (written) => {
    const utc = utcTime(written);
    if (utc === undefined) return undefined;
    const second = Date.parse(`${utc.slice(0, 19)}Z`);
    const minutes = offsetAt(second);
    const local = new Date(second + minutes * 60_000).toISOString().slice(0, 19);
    const digits = (/\.(\d+)/.exec(written)?.[1] ?? "").slice(0, form.fraction);
    const fraction = form.fraction === 0 ? "" : `.${digits.padEnd(form.fraction, "0")}`;
    return local.replace("T", form.separator) + fraction + offsetText(minutes, form.offset);
  };
}

function offsetText(minutes: number, form: TimeForm["offset"]): string {
  if (form === "Z") return "Z";
  const two = (number: number): string => String(number).padStart(2, "0");
  const [hours, rest] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60];
  const behind = form === "+00" ? "" : `${form === "+00:00" ? ":" : ""}${two(rest)}`;
  return `${minutes < 0 ? "-" : "+"}${two(hours)}${behind}`;
}

/** The text of an object with the value at a path replaced; as it is where there is no such member. */
function replaceAt(text: string, path: readonly string[], by: (text: string) => string): string {
  const [name, ...rest] = path;
  if (name === undefined) return by(text);
  if (!text.trimStart().startsWith("{")) return text;
  const span = membersOf(text).get(name);
  if (span === undefined) return text;
  const inner = replaceAt(text.slice(span.start, span.end), rest, by);
  return text.slice(0, span.start) + inner + text.slice(span.end);
}
