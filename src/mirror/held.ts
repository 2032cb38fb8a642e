import type { Catalogue } from "../store/catalogue.ts";

/** What stands in the place of an id that must not be named: it is valid, and nobody's. */
export const nobody = "00000000-0000-0000-0000-000000000000";

const uuid = /[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}/gi;
/** Shorter ids cannot be told from words. */
const longWord = /[\w-]{16,}/g;
const wholeUuid = new RegExp(`^${uuid.source}$`, "i");

/** Finds ids in texts, be they in URLs, attributes, member names or prose. UUIDs are found within words, too. */
export interface IdFinder {
  /** The ids that are looked for, in order: those that can be told from words and numbers. */
  readonly ids: readonly string[];
  /** The ids that a text names, as it spells them. */
  idsIn(text: string): string[];
  /** The text with the nil UUID in the place of every one of the ids. */
  withoutIds(text: string): string;
}

export function createIdFinder(wanted: Iterable<string>): IdFinder {
  const uuids = new Set<string>();
  const words = new Set<string>();
  for (const id of wanted) {
    if (wholeUuid.test(id)) uuids.add(id.toLowerCase());
    else if (id.match(longWord)?.[0] === id && /\D/.test(id)) words.add(id);
  }

  function replace(text: string, by: (found: string) => string): string {
    let out = text;
    if (uuids.size > 0)
      out = out.replace(uuid, (id) => (uuids.has(id.toLowerCase()) ? by(id) : id));
    if (words.size > 0) out = out.replace(longWord, (word) => (words.has(word) ? by(word) : word));
    return out;
  }

  return {
    ids: [...uuids, ...words].sort(),
    idsIn(text) {
      const found: string[] = [];
      replace(text, (id) => {
        found.push(id);
        return id;
      });
      return found;
    },
    withoutIds: (text) => replace(text, () => nobody),
  };
}

/** Ids of the images of a snapshot that are not published: private ones, and those that nothing proves public. */
export function heldImages({ snapshot, published }: Catalogue): Set<string> {
  const ids = new Set<string>();
  for (const list of ["images.unlisted", "images.private"] as const) {
    for (const { id } of snapshot.refs(list)) if (!published("images", id)) ids.add(id);
  }
  return ids;
}
