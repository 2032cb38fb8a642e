import type { Config } from "../config.ts";
import { keyOf } from "../lib/digest.ts";
import { type MediaKind, mediaKinds } from "../routes/table.ts";
import type { ListName } from "../store/list-names.ts";
import type { MediaEntry } from "../store/media.ts";
import type { SnapshotReader } from "../store/reader.ts";
import { mediaListsOf, type SnapshotManifest } from "../store/snapshots.ts";
import { encoderVersions } from "./encode.ts";

/** An item whose original the archive should hold, and where a list shows it. */
export interface WantedItem {
  kind: MediaKind;
  id: string;
  /** Digest of its object in the snapshot. */
  record: string;
  list: ListName;
  position: number;
}

/** What to do for an item: nothing, make new renditions of the stored original, or download it. */
export type Verdict = "current" | "encode" | "download";

/** Work on one item. A recheck asks whether the origin has another file of it. */
export interface Job {
  item: WantedItem;
  entry: MediaEntry | undefined;
  verdict: Exclude<Verdict, "current"> | "recheck";
}

/** An item as reports name it: `image 7f3c…`. */
export function subjectOf({ kind, id }: Pick<WantedItem, "kind" | "id">): string {
  return `${kind.replace(/s$/, "")} ${id}`;
}

/** The lists whose items have a binary, in the order of work. */
export function mediaLists({ crawl }: Pick<Config, "crawl">): ListName[] {
  const withPrivate = crawl.privateImages === "include";
  return mediaKinds
    .flatMap(mediaListsOf)
    .filter((list) => withPrivate || list !== "images.private");
}

const kindOf = (list: ListName): MediaKind => list.split(".")[0] as MediaKind;

/** How many items should have a file, by kind. */
export function wantedCounts(
  { lists }: Pick<SnapshotManifest, "lists">,
  config: Pick<Config, "crawl">,
): Map<MediaKind, number> {
  const counts = new Map<MediaKind, number>();
  for (const list of mediaLists(config)) {
    const kind = kindOf(list);
    counts.set(kind, (counts.get(kind) ?? 0) + (lists[list]?.count ?? 0));
  }
  return counts;
}

export function* wantedItems(
  reader: SnapshotReader,
  config: Pick<Config, "crawl">,
): Generator<WantedItem> {
  for (const list of mediaLists(config)) {
    const kind = kindOf(list);
    let position = 0;
    for (const { id, digest } of reader.refs(list)) {
      yield { kind, id, record: digest, list, position: position++ };
    }
  }
}

/** Key of what an image's renditions depend on beside the original. @param versions of the encoders */
export function recipeOf(media: Config["media"], versions: string): string {
  const { formats, quality, web, thumbs, variants, publishOriginals } = media;
  const used = ["jpeg", ...formats.filter((format) => format !== "jpeg").sort()] as const;
  const qualities = used.map((format) => quality[format as keyof typeof quality]);
  const full = publishOriginals ? ["full size"] : [];
  return keyOf(JSON.stringify([used, qualities, web, thumbs, variants, versions, ...full]));
}

export interface Recipes {
  plain: string;
  /** Of images above media.limitPixels: another limit means another try. */
  limited: string;
}

/** The recipes of each kind under a configuration; only images have renditions. */
export function recipesOf(media: Config["media"]): (kind: MediaKind) => Recipes {
  const plain = recipeOf(media, encoderVersions());
  const images = { plain, limited: keyOf(plain, String(media.limitPixels)) };
  const others = { plain: "original", limited: "original" };
  return (kind) => (kind === "images" ? images : others);
}

/** The recipe of an image whose renditions may have failed because of this machine. */
export const tryAgain = "";

/**
 * Compares an item with what the store holds of it.
 *
 * @param hasBlob whether a file is there in its size; asked last, because it reads the disk
 */
export function verdictOf(
  item: Pick<WantedItem, "record">,
  entry: MediaEntry | undefined,
  recipes: Recipes,
  hasBlob: (digest: string, bytes: number) => boolean,
): Verdict {
  if (entry === undefined || entry.record !== item.record) return "download";
  const { blob, bytes } = entry.original;
  if (!hasBlob(blob, bytes)) return "download";
  return isMade(entry, recipes, hasBlob) ? "current" : "encode";
}

/** Whether an entry has all renditions of the present settings. */
export function isMade(
  { recipe, renditions }: Pick<MediaEntry, "recipe" | "renditions">,
  { plain, limited }: Recipes,
  hasBlob: (digest: string, bytes: number) => boolean,
): boolean {
  if (recipe !== plain && recipe !== limited) return false;
  // Several slots often share one file.
  const files = new Map(renditions.map(({ blob, bytes }) => [blob, bytes]));
  return [...files].every(([blob, bytes]) => hasBlob(blob, bytes));
}
