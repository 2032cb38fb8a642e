import { keyOf } from "../lib/digest.ts";
import type { Catalogue } from "../store/catalogue.ts";
import { mediaListsOf, secretLists } from "../store/snapshots.ts";

/** What stands in the place of an id that must not be named: it is valid, and nobody's. */
export const nobody = "00000000-0000-0000-0000-000000000000";

const uuid = /[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}/gi;
/** Shorter ids cannot be told from words. */
const longWord = /[\w-]{16,}/g;
const wholeUuid = new RegExp(`^${uuid.source}$`, "i");
/** A slash of a URL in every spelling in which one can stand in a text. */
const slash =
  "(?:\\\\?/|\\\\u002f|\\\\x2f|&(?:amp;)*(?:sol|#0*47|#x0*2f);|(?:%|&(?:percnt|#0*37|#x0*25);)(?:25)*2f)";

/** Finds ids in texts, be they in URLs, attributes, member names or prose. UUIDs are found within words, too. */
export interface IdFinder {
  /** The ids that are looked for, in order. Short ones are found in URLs of images only. */
  readonly ids: readonly string[];
  /** Digest of everything that decides what is found. */
  readonly key: string;
  /** The ids that a text names, as it spells them. */
  idsIn(text: string): string[];
  /** The text with the nil UUID in the place of every one of the ids. */
  withoutIds(text: string): string;
}

/** Images of which nobody knows whether they are public: their ids are told by what stands before them in a URL. */
export interface Doubt {
  /** Parts of paths that are followed by the id of an image, such as `images`. */
  folders: readonly string[];
  isPublic(id: string): boolean;
  /** Digest of what is public. */
  key: string;
}

/** Where an id of any length is one, whatever it looks like: behind this part of a URL's path. */
const ownFolders = ["images"];
/** What stands there in our own paths. */
const ownNames = new Set(["index", "page"]);

/** @param doubt also those ids are found that it does not know as public */
export function createIdFinder(wanted: Iterable<string>, doubt?: Doubt): IdFinder {
  const uuids = new Set<string>();
  const words = new Set<string>();
  /** Those that can be told from words only by their place. */
  const short = new Set<string>();
  for (const id of wanted) {
    if (wholeUuid.test(id)) uuids.add(id.toLowerCase());
    else if (id.match(longWord)?.[0] === id && /\D/.test(id)) words.add(id);
    else if (/^[\w-]+$/.test(id) && !ownNames.has(id)) short.add(id);
  }
  const ids = [...uuids, ...words, ...short].sort();
  const placed = new RegExp(`((?:${ownFolders.join("|")})${slash}+)([\\w-]+)`, "gi");
  const inFolder =
    doubt && new RegExp(`((?:${doubt.folders.join("|")})${slash}+)(${uuid.source})`, "gi");
  const isPublic = (id: string): boolean =>
    id === nobody || doubt?.isPublic(id) === true || doubt?.isPublic(id.toLowerCase()) === true;

  function replace(text: string, by: (found: string) => string): string {
    let out = text;
    if (uuids.size > 0)
      out = out.replace(uuid, (id) => (uuids.has(id.toLowerCase()) ? by(id) : id));
    if (words.size > 0) out = out.replace(longWord, (word) => (words.has(word) ? by(word) : word));
    if (short.size > 0)
      out = out.replace(placed, (text, before: string, id: string) =>
        short.has(id) ? before + by(id) : text,
      );
    if (inFolder !== undefined)
      out = out.replace(inFolder, (text, before: string, id: string) =>
        isPublic(id) ? text : before + by(id),
      );
    return out;
  }

  return {
    ids,
    key: keyOf(...(doubt === undefined ? [] : [doubt.key, ...doubt.folders]), ...ids),
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
export function heldImages({
  snapshot,
  published,
}: Pick<Catalogue, "snapshot" | "published">): Set<string> {
  const ids = new Set<string>();
  // The public index, too, can hold what its own record says to be private.
  for (const list of new Set([...mediaListsOf("images"), ...secretLists])) {
    for (const { id } of snapshot.refs(list)) if (!published("images", id)) ids.add(id);
  }
  return ids;
}

/** Images that are looked at for what their pages' URLs look like. */
const samples = 100;

/**
 * The doubt about all images that a snapshot does not show as public, where its index of the public ones could not
 * be proved complete; undefined where it could. Private images that nothing lists can stand in any text.
 */
export function doubtOf({
  snapshot,
  published,
}: Pick<Catalogue, "snapshot" | "published">): Doubt | undefined {
  const { complete, proof } = snapshot.manifest;
  if (complete || proof.some(({ list, agreed }) => list === "images" && agreed)) return undefined;
  const folders = new Set(ownFolders);
  for (const list of ["images", "images.unlisted", "images.private"] as const) {
    let left = samples;
    for (const ref of snapshot.refs(list)) {
      if (left-- === 0) break;
      const { view } = snapshot.read("images", ref).normal;
      const folder = view === null ? undefined : folderOf(view, ref.id);
      if (folder !== undefined) folders.add(folder);
    }
  }
  const lists = ["images", "images.unlisted"] as const;
  return {
    folders: [...folders].sort(),
    isPublic: (id) => published("images", id),
    key: keyOf(...lists.flatMap((list) => [list, ...(snapshot.list(list)?.parts ?? [])])),
  };
}

/** The part of a URL's path before an id; undefined where there is none, or one that means anything. */
function folderOf(url: string, id: string): string | undefined {
  const [before] = url.split(`/${id}`, 1);
  return before === url ? undefined : /\/([\w-]{3,})$/.exec(before ?? "")?.[1];
}
