import { keyOf } from "../lib/digest.ts";
import type { SnapshotReader } from "../store/reader.ts";
import type { ImageVisibility } from "./visibility.ts";

/** What stands in the place of an id that must not be named: it is valid, and nobody's. */
export const nobody = "00000000-0000-0000-0000-000000000000";

const uuid = /[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}/gi;
/** Shorter ids cannot be told from words; millions of letters in a row would overflow the stack of the expression. */
const longWord = /[\w-]{16,65536}/g;
const wholeUuid = new RegExp(`^${uuid.source}$`, "i");
/** A slash of a URL in every spelling in which one can stand in a text. */
const slash =
  "(?:\\\\?/|\\\\u002f|\\\\x2f|&(?:amp;)*(?:sol|#0*47|#x0*2f);|(?:%|&(?:percnt|#0*37|#x0*25);)(?:25)*2f)";

/** Images that no list of a snapshot knows: their ids are told by what stands before them in a URL. */
export type UnprovedIds = NonNullable<ReturnType<typeof unprovedIds>>;

/** Where an id of any length is one, whatever it looks like: behind this part of a URL's path. */
const ownFolder = "images";
/** Names of our own at that place. */
const ownNames = new Set(["index", "page"]);

/**
 * Finds ids in URLs, attributes, member names and prose; UUIDs also within words. With `unproved`, it also finds every
 * id in the URL of an image that may not be shown.
 */
export function createIdFinder(wanted: Iterable<string>, unproved?: UnprovedIds) {
  const uuids = new Set<string>();
  const words = new Set<string>();
  /** Told from words by their place. */
  const short = new Set<string>();
  for (const id of wanted) {
    if (wholeUuid.test(id)) uuids.add(id.toLowerCase());
    else if (id.match(longWord)?.[0] === id && /\D/.test(id)) words.add(id);
    else if (/^[\w.-]{1,256}$/.test(id) && !ownNames.has(id)) short.add(id);
  }
  const ids = [...uuids, ...words, ...short].sort();
  const placed = new RegExp(`(${ownFolder}${slash}{1,16})([\\w.-]{1,256})`, "gi");
  const inFolder =
    unproved &&
    new RegExp(`((?:${unproved.folders.join("|")})${slash}{1,16})(${uuid.source})`, "gi");
  const mayStand = (id: string): boolean =>
    id === nobody || unproved?.shows(id) === true || unproved?.shows(id.toLowerCase()) === true;

  /** The short id that a name is, or is up to one of its dots: an extension or the end of a sentence may follow. */
  function shortIdOf(name: string): string | undefined {
    for (let id = name; id !== ""; id = id.slice(0, Math.max(0, id.lastIndexOf(".")))) {
      if (short.has(id)) return id;
    }
    return undefined;
  }

  function replace(text: string, by: (found: string) => string): string {
    let out = text;
    if (uuids.size > 0)
      out = out.replace(uuid, (id) => (uuids.has(id.toLowerCase()) ? by(id) : id));
    if (words.size > 0) out = out.replace(longWord, (word) => (words.has(word) ? by(word) : word));
    if (short.size > 0)
      out = out.replace(placed, (text, before: string, name: string) => {
        const id = shortIdOf(name);
        return id === undefined ? text : before + by(id) + name.slice(id.length);
      });
    if (inFolder !== undefined)
      out = out.replace(inFolder, (text, before: string, id: string) =>
        mayStand(id) ? text : before + by(id),
      );
    return out;
  }

  return {
    /** Short ones are found in URLs of images only. */
    ids: ids as readonly string[],
    /** Digest of everything that decides what is found. */
    key: keyOf(...(unproved === undefined ? [] : [unproved.key, ...unproved.folders]), ...ids),
    /** As the text spells them. */
    idsIn(text: string): string[] {
      const found: string[] = [];
      replace(text, (id) => {
        found.push(id);
        return id;
      });
      return found;
    },
    /** The text with the nil UUID in place of the ids. */
    withoutIds: (text: string): string => replace(text, () => nobody),
  };
}

/** Images whose URLs are looked at. */
const samples = 100;

/**
 * The ids of all images that a snapshot does not show, if its index of public images is unproved: private images that
 * no list names can stand in any text.
 */
export function unprovedIds(
  snapshot: Pick<SnapshotReader, "manifest" | "refs" | "read" | "list">,
  { shows }: Pick<ImageVisibility, "shows">,
) {
  const { complete, proof } = snapshot.manifest;
  if (complete || proof.some(({ list, agreed }) => list === "images" && agreed)) return undefined;
  const folders = new Set([ownFolder]);
  for (const list of ["images", "images.attached", "images.private"] as const) {
    for (const ref of [...snapshot.refs(list)].slice(0, samples)) {
      const { view } = snapshot.read("images", ref).normal;
      const folder = view === null ? undefined : folderBefore(view, ref.id);
      if (folder !== undefined) folders.add(folder);
    }
  }
  const lists = ["images", "images.attached"] as const;
  return {
    /** Parts of paths that are followed by the id of an image, such as `images`. */
    folders: [...folders].sort(),
    /** Whether an image may be shown, so that its id is none of them. */
    shows,
    /** Digest of what may be shown. */
    key: keyOf(...lists.flatMap((list) => [list, ...(snapshot.list(list)?.parts ?? [])])),
  };
}

/** The path segment before an id; undefined where there is none, or one that means anything. */
function folderBefore(url: string, id: string): string | undefined {
  const [before] = url.split(`/${id}`, 1);
  return before === url ? undefined : /\/([\w-]{3,})$/.exec(before ?? "")?.[1];
}
