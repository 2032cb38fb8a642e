import type { Config } from "../config.ts";
import { sha256 } from "../lib/digest.ts";
import { byAge, decodedSlug, foldedPath, readableName } from "./readable.ts";
import { encodeSegment } from "./segments.ts";

/** What a permalink is made of. */
export interface Named {
  id: string;
  slug: string;
  /** ISO time; the older of two items with one slug keeps the plain name. */
  createdAt: string | null;
}

const plain = /^[a-z0-9](?:[a-z0-9-]{0,78}[a-z0-9])?$/;
const taken = /^(?:index|page|con|prn|aux|nul|com[0-9]|lpt[0-9])$/;

/**
 * A file name, without extension, for each item: its slug where that is plain, lower-case and unique; the words of one
 * with letters beyond ASCII, with a digest of the id behind where an older item has them; otherwise a readable form of
 * it with the start of the id behind. Names never clash, whatever their case and normal form, and do not depend on
 * the order of the items. Names of ASCII slugs do not depend on the others.
 *
 * @param hides whether a slug must not be shown: its item is named by a digest of the id alone
 */
export function assignPermalinks(
  items: Iterable<Named>,
  style: "slug" | "id",
  paths: Config["site"]["paths"] = "unicode",
  hides: (slug: string) => boolean = () => false,
): Map<string, string> {
  if (style === "id") return new Map(Array.from(items, ({ id }) => [id, encodeSegment(id)]));
  const names = new Map<string, string>();
  const used = new Set<string>();
  const give = ({ id }: Named, name: string): void => {
    used.add(foldedPath(name));
    names.set(id, name);
  };
  const isFree = (name: string): boolean => !taken.test(name) && !used.has(foldedPath(name));
  const ascii: Named[] = [];
  const others: [item: Named, name: string][] = [];
  for (const written of byAge(items, ({ id }) => id)) {
    const item = hides(written.slug) ? written : { ...written, slug: decodedSlug(written.slug) };
    const name = hides(item.slug) ? "" : readableName(item.slug, paths);
    if (name !== undefined) others.push([item, name]);
    else if (plain.test(item.slug) && isFree(item.slug)) give(item, item.slug);
    else ascii.push(item);
  }
  for (const item of ascii) {
    const readable = readableForm(item.slug);
    const stem = encodeSegment(item.id);
    // No name may end in a dot, which some file systems drop.
    const short = joined(readable, stem.slice(0, 8).replace(/\.+$/, ""));
    give(item, firstFree([short, joined(readable, stem)], isFree));
  }
  for (const [item, name] of others) {
    const long = joined(name, sha256(item.id).slice(0, 8));
    give(item, firstFree(name === "" ? [long] : [name, long], isFree));
  }
  return names;
}

/** The first of the names that is free, or the last with a number behind it. */
function firstFree(names: readonly string[], isFree: (name: string) => boolean): string {
  const free = names.find(isFree);
  if (free !== undefined) return free;
  let n = 2;
  while (!isFree(`${names.at(-1)}-${n}`)) n++;
  return `${names.at(-1)}-${n}`;
}

function joined(...parts: string[]): string {
  return parts.filter((part) => part !== "").join("-");
}

function readableForm(slug: string): string {
  return slug
    .slice(0, 2_000)
    .normalize("NFKD")
    .toLowerCase()
    .replace(/\p{M}/gu, "")
    .replace(/[^a-z0-9]+/g, "-")
    .slice(0, 60)
    .replace(/^-+|-+$/g, "");
}
