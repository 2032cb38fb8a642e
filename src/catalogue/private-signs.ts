import { membersOf } from "../lib/jsontext.ts";

/** Values that mean private, by member; without case and separators. */
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
 * Whether an image's record says that it is private. The API document names no field for that, so each usual one counts,
 * in any spelling, and one is enough. The pairs of `meta` say nothing.
 *
 * saysPrivate('{"id":"1","is_private":1}') → true
 */
export function saysPrivate(raw: string): boolean {
  for (const [name, text] of membersOf(raw)) {
    const key = name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, "");
    if (!Object.hasOwn(privateSigns, key)) continue;
    const value: unknown = JSON.parse(text);
    // An array of one would look like its element.
    if (typeof value === "object") continue;
    if (privateSigns[key]?.includes(String(value).trim().toLowerCase())) return true;
  }
  return false;
}
