import { isDeepStrictEqual } from "node:util";
import { z } from "zod";
import type { Validators } from "../api/validators.ts";
import { imageFormats, Media } from "../config.ts";
import { groupedBy } from "../lib/frequency.ts";
import type { MediaKind } from "../routes/table.ts";
import { SegmentLog, type SegmentLogOptions } from "./log.ts";
import { afterSnapshot, olderFirst } from "./snapshots.ts";

/** A file that the store holds. */
export const StoredFile = z.object({
  /** SHA-256. */
  blob: z.string().regex(/^[0-9a-f]{64}$/),
  bytes: z.int().positive(),
});

/** One precomputed rendition of an image. */
export const Rendition = StoredFile.extend({
  /** Which request it answers, such as `width/640`; see routes/slots.ts. */
  slot: z.string().regex(/^[a-z]+(?:\/(?:[a-z]+|\d[\d.e+-]*))*$/),
  format: z.enum(imageFormats),
  /** Pixels. */
  width: z.int().positive(),
  height: z.int().positive(),
});
export type Rendition = z.infer<typeof Rendition>;

/** What an image's original tells beside its pixels. */
export const ImageMetadata = z.object({
  /** `media.metadata` when the copy was made. */
  setting: Media.shape.metadata.unwrap(),
  /** Whether it says where the picture was taken. */
  place: z.boolean(),
  /** What is published in its place, which can be itself; null where metadata cannot be taken out. */
  copy: StoredFile.extend({ bytes: z.int().nonnegative() }).nullable(),
});

/** What the store holds of one image, video, document or audio file. */
export interface MediaEntry {
  kind: MediaKind;
  id: string;
  /** Digest of the object whose original this is: another digest means that it must be looked at again. */
  record: string;
  /** Key of the settings the renditions were made with. */
  recipe: string;
  original: {
    blob: string;
    bytes: number;
    /** Content type, from the file itself. */
    type: string;
    /** File name extension without a dot. */
    extension: string;
    /** As the origin's answer called it. */
    name?: string | undefined;
    /** Pixels with the orientation applied; of images and videos. */
    width?: number | undefined;
    height?: number | undefined;
    /** Of videos and audio files. */
    seconds?: number | undefined;
  };
  renditions: Rendition[];
  /** Of an image's original. Older entries have none, and may have the original as a rendition, metadata and all. */
  metadata?: z.infer<typeof ImageMetadata> | undefined;
  /**
   * ThumbHash of the whole picture in base64. Missing if the picture has transparent parts, and in older entries until
   * renditions are made again.
   */
  thumbHash?: string | undefined;
  /** What the origin gave to ask whether it has another original now; older entries have none. */
  validators?: Validators | undefined;
  /** Shown on the image's page, such as that renditions show the first frame only. */
  remark?: string | undefined;
  /** The remark says that the file is other than its record says. */
  doubtful?: boolean | undefined;
  /** The last recheck failed, as with a damaged file or none: it is due in each run until one succeeds. */
  recheckFailed?: boolean | undefined;
}

/** Whether renditions show the first frame of an animation, by the remark that says so. */
export const isAnimation = ({ renditions, remark = "" }: MediaEntry): boolean =>
  renditions.length > 0 && /(?:^|; )animated [a-z]+, renditions show /.test(remark);

/** Why an item needs no file, or no other one than it has: the origin was asked, and has none. */
export interface Absence {
  /** Digest of the object that this is said of: another one is asked for anew. */
  record: string;
  /** For people. */
  reason: string;
  /** Whether the origin was asked for a file, as opposed to naming none. */
  asked: boolean;
}

/** That an item got another original. */
export interface Replaced extends Record<"before" | "after", MediaEntry["original"]> {
  /** All that was known of the item with the one before; stores of earlier versions do not have it. */
  entry?: MediaEntry | undefined;
}

/** What is known of items' files. */
export interface MediaEntries {
  get(kind: MediaKind, id: string): MediaEntry | undefined;
  /** Of an item without a file, or with that of an older record. */
  absence(kind: MediaKind, id: string): Absence | undefined;
}

/** The media index: the latest entry of each item. */
export type MediaIndex = ReturnType<typeof openMediaIndex>;

const keyFor = (kind: MediaKind, id: string): string => `${kind}/${id}`;
const absenceKey = (kind: MediaKind, id: string): string => `absent/${kind}/${id}`;
const replacedKey = (since: string, { kind, id }: Pick<MediaEntry, "kind" | "id">): string =>
  `replaced/${since}/${kind}/${id}`;

/** What a key of the index is about: an item, and the snapshot since which it has another original. */
export function subjectOf(key: string): { item: string; since?: string } {
  const [, since = "", item = ""] = /^replaced\/([^/]+)\/(.*)$/s.exec(key) ?? [];
  return item === "" ? { item: key.replace(/^absent\//, "") } : { item, since };
}

/** Opens the media index of a store; `folder` holds nothing else. */
export function openMediaIndex(folder: string, options: SegmentLogOptions = {}) {
  const log = new SegmentLog(folder, options);
  const known = log.size;

  const read = (key: string): unknown => JSON.parse(log.read(key) ?? "null") ?? undefined;

  const absence = (kind: MediaKind, id: string) =>
    read(absenceKey(kind, id)) as Absence | undefined;
  const get = (kind: MediaKind, id: string) => read(keyFor(kind, id)) as MediaEntry | undefined;

  /** Replaces the absence of an item, beside which its entry stays. */
  function putAbsence(kind: MediaKind, id: string, next: Absence | undefined): void {
    if (isDeepStrictEqual(absence(kind, id), next)) return;
    log.append(absenceKey(kind, id), JSON.stringify(next ?? null));
  }

  /** The entries of before originals were replaced, since a snapshot, the first one of each item first. */
  function* entriesBefore(snapshot: string) {
    for (const key of log.keys()) {
      const { item, since } = subjectOf(key);
      if (since === undefined || olderFirst(snapshot, since) >= 0) continue;
      const { entry } = read(key) as Replaced;
      if (entry !== undefined) yield { item, since, entry };
    }
  }

  return {
    absence,
    putAbsence,
    get size(): number {
      return log.size;
    },
    /** Another number means that something changed. */
    get bytes(): number {
      return log.bytes;
    },
    get,
    /**
     * Ends the absence of an item, and replaces its entry unless it is the same.
     *
     * @param since the snapshot from which on the item has this original, or `afterSnapshot`
     */
    put(entry: MediaEntry, since?: string): void {
      putAbsence(entry.kind, entry.id, undefined);
      const text = JSON.stringify(entry);
      const last = get(entry.kind, entry.id);
      if (isDeepStrictEqual(JSON.parse(text), last)) return;
      if (last && since !== undefined && last.original.blob !== entry.original.blob) {
        const known = read(replacedKey(since, entry)) as Replaced | undefined;
        const { before, entry: was } = known ?? { before: last.original, entry: last };
        const replaced = { before, after: entry.original, entry: was };
        log.append(replacedKey(since, entry), JSON.stringify(replaced));
      }
      log.append(keyFor(entry.kind, entry.id), text);
    },
    /** The items of a kind that got another original between two snapshots, or since this was opened, by id. */
    replaced(kind: MediaKind, from: string, to: string): Map<string, Replaced> {
      const found = new Map<string, Replaced>();
      let at = 0;
      for (const key of log.keys()) {
        const isNew = at++ >= known;
        const { item, since } = subjectOf(key);
        if (since === undefined || !item.startsWith(`${kind}/`)) continue;
        const isBetween = olderFirst(from, since) < 0 && olderFirst(since, to) <= 0;
        if (!isNew && !isBetween) continue;
        const { before, after } = read(key) as Replaced;
        const id = item.slice(`${kind}/`.length);
        found.set(id, { before: found.get(id)?.before ?? before, after });
      }
      return found;
    },
    entriesBefore,
    /**
     * The index as of a snapshot. After originals were replaced, and the snapshot stayed, there are two of them: the
     * blobs of a build tell which.
     */
    asOf(snapshot: string, blobs?: ReadonlySet<string>): MediaEntries {
      const later = groupedBy(entriesBefore(snapshot), ({ item }) => item);
      return {
        absence,
        get(kind, id) {
          const [first, second] = later.get(keyFor(kind, id)) ?? [];
          if (first === undefined) return get(kind, id);
          const isLast = first.since !== afterSnapshot(snapshot);
          const isOther = !isLast && blobs !== undefined && !isShown(first.entry, blobs);
          return isOther ? (second?.entry ?? get(kind, id)) : first.entry;
        },
      };
    },
    sync: (): void => log.sync(),
    close: (): void => log.close(),
  };
}

/** Whether one of the files of an entry is among these blobs. */
function isShown({ original, metadata, renditions }: MediaEntry, blobs: ReadonlySet<string>) {
  return [original, metadata?.copy, ...renditions].some((file) => blobs.has(file?.blob ?? ""));
}
