import type { Config } from "../config.ts";
import { keyOf } from "../lib/digest.ts";
import { type MediaKind, mediaKinds } from "../routes/table.ts";
import type { ListName } from "../store/list-names.ts";
import { isAnimation, type MediaEntry } from "../store/media.ts";
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

/** Work on one item: make new renditions of the stored original, download it, or ask the origin for another one. */
export interface Job {
  item: WantedItem;
  entry: MediaEntry | undefined;
  verdict: "encode" | "download" | "recheck";
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
export function wantedCounts({ lists }: SnapshotManifest, config: Config) {
  const counts = new Map<MediaKind, number>();
  for (const list of mediaLists(config)) {
    const kind = kindOf(list);
    counts.set(kind, (counts.get(kind) ?? 0) + (lists[list]?.count ?? 0));
  }
  return counts;
}

export function* wantedItems(reader: SnapshotReader, config: Config): Generator<WantedItem> {
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
  /** Of images above media.limitPixels, and of those that ffmpeg alone reads: another setting means another try. */
  limited: string;
  /** Of animations. */
  animated: string;
  /** `media.metadata`, for images. */
  metadata?: Config["media"]["metadata"];
}

/** The recipes of each kind under a configuration; only images have renditions. @param versions as in `recipeOf` */
export function recipesOf(
  media: Config["media"],
  versions = encoderVersions(),
): (kind: MediaKind) => Recipes {
  const plain = recipeOf(media, versions);
  const { metadata, limitPixels, animations, ffmpeg } = media;
  const by = ffmpeg === null ? "" : ` ${ffmpeg}`;
  const animated = keyOf(plain, JSON.stringify(animations) + by);
  const images = { plain, limited: keyOf(plain, limitPixels + by), animated, metadata };
  // Raise the number when more is read of these files than before.
  const others = { plain: "original 2", limited: "original 2", animated: "original 2" };
  const shown = `original 2, a frame by ${ffmpeg}`;
  const videos = ffmpeg === null ? others : { plain: shown, limited: shown, animated: shown };
  return (kind) => (kind === "images" ? images : kind === "videos" ? videos : others);
}

/** Whether a file is in the store in its size. */
type HasBlob = (digest: string, bytes: number) => Promise<boolean>;

/** The recipe of an image whose renditions may have failed because of this machine. */
export const tryAgain = "";

/** Compares an item with what the store holds of it. `hasBlob` is asked last, because it reads the disk. */
export async function verdictOf(
  item: Pick<WantedItem, "record">,
  entry: MediaEntry | undefined,
  recipes: Recipes,
  hasBlob: HasBlob,
) {
  if (entry === undefined || entry.record !== item.record) return "download";
  const { blob, bytes } = entry.original;
  if (!(await hasBlob(blob, bytes))) return "download";
  const { setting, copy } = entry.metadata ?? {};
  if (setting !== recipes.metadata || !(await isRendered(entry, recipes, hasBlob))) return "encode";
  return !copy || (await hasBlob(copy.blob, copy.bytes)) ? "current" : "encode";
}

/** Whether an entry has all renditions of the present settings. */
export async function isRendered(entry: MediaEntry, recipes: Recipes, hasBlob: HasBlob) {
  const { recipe, renditions } = entry;
  const own = isAnimation(entry) ? recipes.animated : recipes.plain;
  if (recipe !== own && recipe !== recipes.limited) return false;
  // Several slots often share one file.
  const files = new Map(renditions.map(({ blob, bytes }) => [blob, bytes]));
  for (const [blob, bytes] of files) if (!(await hasBlob(blob, bytes))) return false;
  return true;
}
