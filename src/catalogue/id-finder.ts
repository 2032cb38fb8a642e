import { keyOf } from "../lib/digest.ts";
import { readingsOf } from "../lib/escapes.ts";
import type { SnapshotReader } from "../store/reader.ts";
import type { ImageVisibility } from "./visibility.ts";

/** What stands in the place of an id that must not be named: it is valid, and nobody's. */
export const nobody = "00000000-0000-0000-0000-000000000000";

const uuid = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;
/** The beginning alone is passed over, because another one can begin in the rest. */
const uuidInText = /[0-9a-f]{8}(?=((?:-[0-9a-f]{4}){3}-[0-9a-f]{12}))/gi;
const uuidWithoutDashes = /(?<![0-9a-f])[0-9a-f]{32}(?![0-9a-f])/gi;
/** Shorter ids cannot be told from words; millions of letters in a row would overflow the stack of the expression. */
const longWord = /[\w-]{16,65536}/g;
/** A slash of a URL in every spelling in which one can stand in a text. */
const slash =
  "(?:\\\\?/|\\\\u002f|\\\\x2f|&(?:amp;)*(?:sol|#0*47|#x0*2f);|(?:%|&(?:percnt|#0*37|#x0*25);)(?:25)*2f){1,16}";
/** Of one text; the guard refuses what still names an id then. */
const mostReads = 20;
type Span = [start: number, end: number];

/** Images that no list of a snapshot knows: their ids are told by what stands before them in a URL. */
export type UnprovedIds = NonNullable<ReturnType<typeof unprovedIds>>;

/** Where an id of any length is one, whatever it looks like: behind this part of a URL's path. */
const ownFolder = "images";
/** Names of our own at that place. */
const ownNames = new Set(["index", "page"]);

/**
 * Finds ids in URLs, attributes, member names and prose; UUIDs also within words and without dashes. With `unproved`, it
 * also finds every id in the URL of an image that may not be shown. Escapes of JSON, HTML and URLs hide none.
 */
export function createIdFinder(wanted: Iterable<string>, unproved?: UnprovedIds) {
  /** Without dashes. */
  const uuids = new Set<string>();
  const words = new Set<string>();
  /** Told from words by their place. */
  const short = new Set<string>();
  const ids: string[] = [];
  for (const id of wanted) {
    if (id === nobody) continue;
    if (uuid.test(id)) uuids.add(bare(id));
    else if (id.match(longWord)?.[0] === id && /\D/.test(id)) words.add(id);
    else if (/^[\w.-]{1,256}$/.test(id) && !ownNames.has(id)) short.add(id);
    else continue;
    ids.push(uuid.test(id) ? id.toLowerCase() : id);
  }
  ids.sort();
  const placed = new RegExp(`(${ownFolder}${slash})([\\w.-]{1,256})`, "gi");
  const folders = unproved?.folders.join("|");
  const inFolder = new RegExp(`((?:${folders})${slash})(${uuid.source.slice(1, -1)})`, "gi");
  const mayStand = (id: string): boolean =>
    id === nobody || unproved?.shows(id) === true || unproved?.shows(id.toLowerCase()) === true;

  /** The short id that a name is, or is up to one of its dots: an extension or the end of a sentence may follow. */
  function shortIdOf(name: string): string | undefined {
    for (let id = name; id !== ""; id = id.slice(0, Math.max(0, id.lastIndexOf(".")))) {
      if (short.has(id)) return id;
    }
    return undefined;
  }

  function* spansIn(text: string): Generator<Span> {
    if (uuids.size > 0) {
      for (const { 0: start, 1: rest = "", index } of text.matchAll(uuidInText))
        if (uuids.has(bare(start + rest))) yield [index, index + nobody.length];
      for (const { 0: id, index } of text.matchAll(uuidWithoutDashes))
        if (uuids.has(bare(id))) yield [index, index + id.length];
    }
    if (words.size > 0)
      for (const { 0: word, index } of text.matchAll(longWord))
        if (words.has(word)) yield [index, index + word.length];
    if (short.size > 0)
      for (const { 1: before = "", 2: name = "", index } of text.matchAll(placed)) {
        const { length = 0 } = shortIdOf(name) ?? {};
        if (length > 0) yield [index + before.length, index + before.length + length];
      }
    if (unproved !== undefined)
      for (const { 0: url, 2: id = "", index } of text.matchAll(inFolder))
        if (!mayStand(id)) yield [index + url.length - id.length, index + url.length];
  }

  /** Of all ids in a text, from its beginning to its end, none over another. */
  function find(text: string): Span[] {
    if (ids.length === 0 && unproved === undefined) return [];
    const found = [...spansIn(text)];
    for (const { text: read, places } of readingsOf(text)) {
      for (const span of spansIn(read)) found.push(span.map((at) => places[at] as number) as Span);
    }
    const spans: Span[] = [];
    for (const [start, end] of found.sort(([a], [b]) => a - b)) {
      const last = spans.at(-1);
      if (last === undefined || start >= last[1]) spans.push([start, end]);
      else last[1] = Math.max(end, last[1]);
    }
    return spans;
  }

  return {
    /** Short ones are found in URLs of images only. */
    ids: ids as readonly string[],
    /** Digest of everything that decides what is found. */
    key: keyOf(unproved?.key, folders, ids.join(" ")),
    /** As the text spells them. */
    idsIn: (text: string): string[] => find(text).map(([start, end]) => text.slice(start, end)),
    /**
     * The text with the nil UUID in place of the ids. Its digits can end an escape that stood before an id, and so spell
     * another one: what came out is read again.
     */
    withoutIds(text: string): string {
      let clean = text;
      for (let reads = 0; reads < mostReads; reads++) {
        const spans = find(clean);
        if (spans.length === 0) break;
        clean = replaced(clean, spans);
      }
      return clean;
    },
  };
}

function replaced(text: string, spans: readonly Span[]): string {
  let out = "";
  let copied = 0;
  for (const [start, end] of spans) {
    out += text.slice(copied, start) + nobody;
    copied = end;
  }
  return out + text.slice(copied);
}

function bare(id: string): string {
  return id.replaceAll("-", "").toLowerCase();
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
  for (const list of ["images", "images.unlisted", "images.private"] as const) {
    for (const ref of [...snapshot.refs(list)].slice(0, samples)) {
      const { view } = snapshot.read("images", ref).normal;
      const folder = view === null ? undefined : folderBefore(view, ref.id);
      if (folder !== undefined) folders.add(folder);
    }
  }
  const lists = ["images", "images.unlisted"] as const;
  return {
    /** Parts of paths that are followed by the id of an image, such as `images`. */
    folders: [...folders].sort(),
    /** Whether an image may be shown, so that its id is none of them. */
    shows,
    /** Digest of what may be shown. */
    key: keyOf(lists.flatMap((list) => [list, ...(snapshot.list(list)?.parts ?? [])])),
  };
}

/** The path segment before an id; undefined where there is none, or one that means anything. */
function folderBefore(url: string, id: string): string | undefined {
  const [before] = url.split(`/${id}`, 1);
  return before === url ? undefined : /\/([\w-]{3,})$/.exec(before ?? "")?.[1];
}
