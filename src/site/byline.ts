import { isObject, plainMembers } from "../lib/objects.ts";

const memberNames = ["byline", "authors", "author", "creators", "creator", "writtenby"];
const nameMembers = ["name", "displayname", "fullname", "title"];
/** Ids, addresses and numbers name nobody to a reader. */
const noName = /^\P{L}*$|:\/\/|@|^[0-9a-f-]{32,}$/iu;
const longestName = 100;
const mostNames = 12;

/**
 * Who made something, by members of its record that the API's description does not have, but whose names say so: a text,
 * an object with a name, or a list of these.
 *
 * bylineOf({ author: { name: "Ada Blum" } }) → ["Ada Blum"]
 */
export function bylineOf(record: unknown): string[] {
  if (!isObject(record)) return [];
  const members = plainMembers(record);
  for (const name of memberNames) {
    const names = namesIn(members.get(name));
    if (names.length > 0) return [...new Set(names)].slice(0, mostNames);
  }
  return [];
}

/** Of an article: by its single form, or else by the one in the index, as JSON. */
export function authorsOf(record: unknown, raw: string): string[] {
  const named = bylineOf(record);
  return named.length > 0 ? named : bylineOf(JSON.parse(raw));
}

function namesIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(namesIn);
  if (isObject(value)) {
    const members = plainMembers(value);
    const [name] = nameMembers.flatMap((one) => namesIn(members.get(one)));
    const parts = [members.get("firstname"), members.get("lastname")].flatMap(namesIn);
    return name === undefined ? (parts.length === 0 ? [] : [parts.join(" ")]) : [name];
  }
  if (typeof value !== "string") return [];
  const name = value.replace(/\s+/g, " ").trim().replace(/^by /i, "");
  return name.length > longestName || noName.test(name) ? [] : [name];
}
