import { append } from "../lib/many.ts";
import { isObject } from "../lib/objects.ts";
import { printable } from "../lib/secrets.ts";
import { firstDifference, jsonPath } from "../lib/words.ts";
import { type CutText, matchText } from "./references.ts";

/** One place in which two JSON answers differ. */
export interface Change {
  /** From the answer's root: `data[3].links.web`; "" for the root itself. */
  path: string;
  /** Short JSON of the origin's value, or "nothing" where it has no such member. */
  origin: string;
  mirror: string;
}

/** Changes that are listed of one answer. */
const listed = 12;
/** Characters of one value that are shown. */
const shown = 160;

/**
 * Compares two JSON answers: deep equality, except that the mirror names a URL of its own where the origin does.
 *
 * @param cut finds the URLs in a text of the origin
 * @param urls the pattern of the mirror's own
 * @returns the first changes, the number of all, and the mirror's own URLs as they are written
 */
export function compareJson(
  origin: unknown,
  mirror: unknown,
  cut: (text: string) => CutText,
  urls: string,
) {
  const result = { changes: [] as Change[], count: 0, urls: [] as string[] };

  function differ(path: readonly PropertyKey[], a: string, b: string): void {
    result.count++;
    if (result.changes.length === listed) return;
    result.changes.push({ path: jsonPath(path), origin: a, mirror: b });
  }

  function walk(path: readonly PropertyKey[], a: unknown, b: unknown): void {
    if (typeof a === "string" && typeof b === "string") {
      const found = matchText(cut(a), b, urls);
      if (found !== undefined) append(result.urls, found);
      else if (printable(a) === printable(b))
        differ(path, short(a), `${short(b)}, a URL of the origin`);
      else differ(path, ...shortTexts(a, b));
    } else if (Array.isArray(a) && Array.isArray(b)) {
      if (a.length !== b.length) {
        differ([...path, "length"], String(a.length), String(b.length));
      }
      for (const [at, item] of a.slice(0, b.length).entries()) walk([...path, at], item, b[at]);
    } else if (isObject(a) && isObject(b)) {
      for (const name of new Set([...Object.keys(a), ...Object.keys(b)])) {
        const inner = [...path, name];
        if (!Object.hasOwn(b, name)) differ(inner, short(a[name]), "nothing");
        else if (!Object.hasOwn(a, name)) differ(inner, "nothing", short(b[name]));
        else walk(inner, a[name], b[name]);
      }
    } else if (a !== b) differ(path, short(a), short(b));
  }

  walk([], origin, mirror);
  return result;
}

/** A value for people, without secrets. */
function short(value: unknown): string {
  const text = printable(JSON.stringify(value) ?? String(value));
  return text.length <= shown ? text : `${text.slice(0, shown)}…`;
}

/** Two texts from a little before the first character in which they differ. */
function shortTexts(a: string, b: string): [string, string] {
  if (a.length <= shown && b.length <= shown) return [short(a), short(b)];
  const [cleanA, cleanB] = [printable(a), printable(b)];
  const start = Math.max(0, firstDifference(cleanA, cleanB) - 40);
  const part = (text: string): string => {
    const piece = text.slice(start, start + shown);
    const [before, after] = [start > 0 ? "…" : "", start + shown < text.length ? "…" : ""];
    return JSON.stringify(`${before}${piece}${after}`);
  };
  return [part(cleanA), part(cleanB)];
}
