import { membersOf } from "../lib/jsontext.ts";

/** What a member of an image says when it holds one of these values; names and values without case and separators. */
const privateSigns: Readonly<Record<string, readonly string[]>> = {
  private: ["true", "1", "yes"],
  isprivate: ["true", "1", "yes"],
  public: ["false", "0", "no"],
  ispublic: ["false", "0", "no"],
  visibility: ["private"],
  privacy: ["private"],
  access: ["private"],
};

/**
 * Whether an image's own record says that it is private. "An image can be marked private", says the API document
 * and does not name the field, so that each of the usual ones counts, in whatever spelling. One sign is enough;
 * what is missing or has another value says nothing, nor does `meta`, whose pairs are anybody's.
 *
 * @param raw JSON of the API's object
 *
 * saysPrivate('{"id":"1","is_private":1}') → true
 */
export function saysPrivate(raw: string): boolean {
  for (const [name, { start, end }] of membersOf(raw)) {
    const key = name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, "");
    if (!Object.hasOwn(privateSigns, key)) continue;
    const value: unknown = JSON.parse(raw.slice(start, end));
    // One in an array would look like itself.
    if (typeof value === "object") continue;
    if (privateSigns[key]?.includes(String(value).trim().toLowerCase())) return true;
  }
  return false;
}
