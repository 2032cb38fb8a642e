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
 * A file name, without extension, for each item: its slug where that is plain, lower-case and unique, otherwise
 * a readable form of it with the start of the id behind. Names never clash, whatever the case, and do not depend on
 * the order of the items.
 */
export function assignPermalinks(
  items: Iterable<Named>,
  style: "slug" | "id",
): Map<string, string> {
  if (style === "id") return new Map(Array.from(items, ({ id }) => [id, encodeSegment(id)]));
  const names = new Map<string, string>();
  const used = new Set<string>();
  const later: Named[] = [];
  const ordered = [...items].sort(
    (a, b) => compare(a.createdAt ?? "9", b.createdAt ?? "9") || compare(a.id, b.id),
  );
  for (const item of ordered) {
    if (plain.test(item.slug) && !taken.test(item.slug) && !used.has(item.slug)) {
      used.add(item.slug);
      names.set(item.id, item.slug);
    } else later.push(item);
  }
  for (const { id, slug } of later) {
    const readable = readableForm(slug);
    const stem = encodeSegment(id);
    // No name may end in a dot, which some file systems drop.
    let name = joined(readable, stem.slice(0, 8).replace(/\.+$/, ""));
    for (let n = 1; used.has(name.toLowerCase()); n++) {
      name = n === 1 ? joined(readable, stem) : `${joined(readable, stem)}-${n}`;
    }
    used.add(name.toLowerCase());
    names.set(id, name);
  }
  return names;
}

function joined(...parts: string[]): string {
  return parts.filter((part) => part !== "").join("-");
}

function readableForm(slug: string): string {
  return slug
    .normalize("NFKD")
    .toLowerCase()
    .replace(/\p{M}/gu, "")
    .replace(/[^a-z0-9]+/g, "-")
    .slice(0, 60)
    .replace(/^-+|-+$/g, "");
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
