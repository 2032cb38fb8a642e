import { isObject } from "../lib/objects.ts";
import { printable } from "../lib/secrets.ts";
import { type CutText, type MirrorUrls, matchText } from "./references.ts";

/** One place in which two JSON answers differ. */
export interface Change {
  /** From the answer's root: `data[3].links.web`; "" for the root itself. */
  path: string;
  /** Short JSON of the origin's value, or "nothing" where it has no such member. */
  origin: string;
  /** The mirror's. */
  mirror: string;
}

export interface JsonComparison {
  /** The first ones. */
  changes: Change[];
  /** All of them, also those that are not listed. */
  count: number;
  /** URLs of the mirror that stand where the origin names its own, as they are written. */
  urls: string[];
}

/** Changes that are listed of one answer. */
const listed = 12;
/** Characters of one value that are shown. */
const shown = 160;

/**
 * Compares an answer of the mirror with the right one: deep equality, the order of members ignored; where that names a
 * URL of its own the mirror must name one of the mirror's.
 *
 * @param cut finds the URLs in a text of the right answer
 */
export function compareJson(
  origin: unknown,
  mirror: unknown,
  cut: (text: string) => CutText,
  urls: MirrorUrls,
): JsonComparison {
  const result: JsonComparison = { changes: [], count: 0, urls: [] };

  function differ(path: string, a: string, b: string): void {
    result.count++;
    if (result.changes.length < listed) result.changes.push({ path, origin: a, mirror: b });
  }

  function walkText(path: string, a: string, b: string): void {
    const found = matchText(cut(a), b, urls);
    if (found !== undefined) result.urls.push(...found);
    else if (printable(a) === printable(b))
      differ(path, short(a), `${short(b)}, a URL of the origin`);
    else differ(path, ...shortTexts(a, b));
  }

  function walk(path: string, a: unknown, b: unknown): void {
    if (typeof a === "string" && typeof b === "string") {
      walkText(path, a, b);
      return;
    }
    if (Array.isArray(a) && Array.isArray(b)) {
      if (a.length !== b.length) {
        differ(`${path}.length`, String(a.length), String(b.length));
      }
      for (let at = 0; at < Math.min(a.length, b.length); at++)
        walk(`${path}[${at}]`, a[at], b[at]);
      return;
    }
    if (isObject(a) && isObject(b)) {
      for (const name of Object.keys(a)) {
        const inner = memberPath(path, name);
        if (Object.hasOwn(b, name)) walk(inner, a[name], b[name]);
        else differ(inner, short(a[name]), "nothing");
      }
      for (const name of Object.keys(b)) {
        if (!Object.hasOwn(a, name)) differ(memberPath(path, name), "nothing", short(b[name]));
      }
      return;
    }
    if (!Object.is(a, b) && !(a === 0 && b === 0)) differ(path, short(a), short(b));
  }

  walk("", origin, mirror);
  return result;
}

function memberPath(path: string, name: string): string {
  if (!/^[A-Za-z_$][\w$]*$/.test(name)) return `${path}[${short(name)}]`;
  return path === "" ? name : `${path}.${name}`;
}

/** A value for people, without what nobody may see. */
function short(value: unknown): string {
  const text = printable(JSON.stringify(value) ?? String(value));
  return text.length <= shown ? text : `${text.slice(0, shown)}…`;
}

/** Two texts from a little before the first character in which they differ. */
function shortTexts(a: string, b: string): [string, string] {
  if (a.length <= shown && b.length <= shown) return [short(a), short(b)];
  const [cleanA, cleanB] = [printable(a), printable(b)];
  let same = 0;
  while (same < cleanA.length && cleanA[same] === cleanB[same]) same++;
  const start = Math.max(0, same - 40);
  const part = (text: string): string => {
    const piece = text.slice(start, start + shown);
    const [before, after] = [start > 0 ? "…" : "", start + shown < text.length ? "…" : ""];
    return JSON.stringify(`${before}${piece}${after}`);
  };
  return [part(cleanA), part(cleanB)];
}
