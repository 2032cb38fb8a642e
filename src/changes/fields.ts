import { utcTime } from "../api/times.ts";
import { isObject } from "../lib/objects.ts";
import { plainText } from "./text.ts";
import { diffWords, type Piece } from "./words.ts";

/** A member of an item that changed: its values, or the words or entries in which they differ. */
export interface Field {
  /** Path with dots, such as `links.view`. */
  name: string;
  before?: string | number | boolean | null;
  after?: string | number | boolean | null;
  words?: Piece[];
  added?: string[];
  removed?: string[];
  note?: string;
}

/** Members that change by themselves, or follow from other changes. */
const derived = ["rating", "articles_count", "galleries_count", "products_count"];
const thumbnail = "links.thumbnail";
const maxLength = 200;

/**
 * The members in which two objects of the API differ. The order of members and tags, how a number or an instant is
 * written, and whether nothing is null, empty or left out, are no differences.
 *
 * @param ignored names or paths of members whose changes are not told
 */
export function changedFields(before: string, after: string, ignored: readonly string[]): Field[] {
  const old = new Map(membersOf(JSON.parse(before)));
  const now = new Map(membersOf(JSON.parse(after)));
  const isIgnored = (name: string): boolean =>
    [...derived, ...ignored].some((path) => name === path || name.startsWith(`${path}.`));
  return [...new Set([...old.keys(), ...now.keys()])].flatMap((name) => {
    const [a, b] = [old.get(name), now.get(name)];
    return isIgnored(name) || comparable(name, a) === comparable(name, b) ? [] : field(name, a, b);
  });
}

/** How two lists differ; undefined where they do not. */
export function changedEntries(
  name: string,
  before: string[],
  after: string[],
  titleOf = (entry: string): string => entry,
): Field | undefined {
  const [old, now] = [new Set(before), new Set(after)];
  const added = after.filter((entry) => !old.has(entry)).map(titleOf);
  const removed = before.filter((entry) => !now.has(entry)).map(titleOf);
  const stayed = before.filter((entry) => now.has(entry));
  const isMoved = stayed.join("\n") !== after.filter((entry) => old.has(entry)).join("\n");
  if (added.length + removed.length === 0 && !isMoved) return undefined;
  return {
    name,
    ...(added.length > 0 && { added }),
    ...(removed.length > 0 && { removed }),
    ...(isMoved && { note: "in another order" }),
  };
}

/** All members that are no objects, with their paths. */
function* membersOf(value: unknown, path = ""): Generator<[string, unknown]> {
  if (!isObject(value)) return yield [path, value];
  for (const [name, inner] of Object.entries(value))
    yield* membersOf(inner, path === "" ? name : `${path}.${name}`);
}

function comparable(name: string, value: unknown): string {
  if (value === null || value === undefined || value === "") return "";
  if (typeof value === "string") return `"${utcTime(value) ?? value}`;
  if (!Array.isArray(value)) return JSON.stringify(value, inOrder);
  const entries = value.map((entry) => JSON.stringify(entry, inOrder));
  return (name === "tags" ? entries.sort() : entries).join();
}

/** For JSON.stringify: members in the order of their names. */
function inOrder(_: string, value: unknown): unknown {
  return isObject(value) ? Object.fromEntries(Object.entries(value).sort()) : value;
}

function field(name: string, before: unknown, after: unknown): Field {
  // Usually one picture in several sizes.
  if (name.startsWith(thumbnail)) return { name: thumbnail, note: "another picture" };
  const entries = areTexts(before) && areTexts(after) && changedEntries(name, before, after);
  if (entries) return entries;
  const [old, now] = [plainText(before), plainText(after)];
  const isText = old !== "" && now !== "" && !/^[!-~]*$/.test(old + now);
  if (!isText) return { name, before: shown(before), after: shown(after) };
  if (old === now) return { name, note: "only markup or white space" };
  return { name, words: diffWords(old, now) };
}

function areTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((entry) => typeof entry === "string");
}

function shown(value: unknown): string | number | boolean | null {
  if (value === undefined || value === null) return null;
  if (typeof value === "number" || typeof value === "boolean") return value;
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return text.length > maxLength ? `${text.slice(0, maxLength)}…` : text;
}
