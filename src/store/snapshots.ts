import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { crc32 } from "node:zlib";
import { z } from "zod";
import { StoreError } from "../errors.ts";
import { keyOf } from "../lib/digest.ts";
import { nodeDisk } from "../lib/disk.ts";
import { writeDurably } from "../lib/files.ts";
import { Problem } from "../lib/reporter.ts";
import { readSealed, sealed } from "../lib/sealed.ts";
import { Learned } from "../routes/learned.ts";
import type { MediaKind } from "../routes/table.ts";
import type { ListName } from "./list-names.ts";
import { SegmentLog, type SegmentLogOptions } from "./log.ts";

/** The lists whose items are files of a kind, published or not. */
export function mediaListsOf(kind: MediaKind): ListName[] {
  return kind === "images"
    ? ["images", "images.private", "images.unlisted"]
    : [kind, `${kind}.unlisted`];
}

/** An object in a list: its id and the digest of its form at the time of the snapshot. */
export interface Ref {
  id: string;
  digest: string;
}

const ListManifest = z.object({
  count: z.int(),
  /** Digests of the parts that hold the refs, in order. */
  parts: z.array(z.string()),
  /** Items per page at the origin; 0 for lists that are not paginated. */
  perPage: z.int(),
  /** Raw envelope of page 1 with `data` emptied, the model of the other pages'; null where not paginated. */
  envelope: z.string().nullable(),
  /** Raw envelopes of pages that do not follow from the model, by page number. */
  overrides: z.record(z.string(), z.string()),
});
export type ListManifest = z.infer<typeof ListManifest>;

/** How the completeness of one list was proved. */
export const ListProof = z.object({
  list: z.string(),
  /** Distinct ids collected. */
  collected: z.int(),
  /** What the origin said: meta.total, or the parents' attachment counts; null where it says nothing. */
  expected: z.int().nullable(),
  pages: z.int(),
  passes: z.int(),
  agreed: z.boolean(),
  /** What confirmed the last pass; undefined where nothing did, or nothing had to. */
  confirmedBy: z.enum(["another pass", "the last snapshot", "all passes together"]).optional(),
  /** Whether the order of the list changes from request to request. */
  unstable: z.literal(true).optional(),
  remark: z.string().optional(),
});
export type ListProof = z.infer<typeof ListProof>;

export const SnapshotManifest = z.object({
  format: z.literal(1),
  id: z.string(),
  /** ISO 8601 in UTC: when the crawl that made it ended. */
  time: z.string(),
  /** Base URL of the API. */
  origin: z.string(),
  /** Base URLs that the service has had so far, the first one first; undefined where it has never moved. */
  origins: z.array(z.string()).optional(),
  complete: z.boolean(),
  lists: z.record(z.string(), ListManifest),
  proof: z.array(ListProof),
  problems: z.array(Problem),
  /** What is odd at the origin without being a gap. */
  remarks: z.array(Problem).default([]),
  /** What several tags in one request mean at the origin, where it was asked. */
  tagMatch: z.enum(["any", "all"]).optional(),
  /** Time zone with which the origin's months were compared. */
  timezoneChecked: z.string().optional(),
  /** How the origin answers; undefined where nothing of it was learnt. */
  learned: Learned.optional(),
});
export type SnapshotManifest = z.infer<typeof SnapshotManifest>;

/** A list while it is written down. */
export interface ListDraft extends Omit<ListManifest, "count" | "parts"> {
  refs: Iterable<Ref>;
}

type SnapshotDraft = Omit<z.input<typeof SnapshotManifest>, "format" | "id">;

/** Immutable snapshots: manifests over parts that unchanged lists share. */
export type Snapshots = ReturnType<typeof openSnapshots>;

const hint = 'run "stillpress repair"';

/** `complete`: the newest complete snapshot, where that is another one. */
const Head = z.object({ snapshot: z.string(), complete: z.string().optional() });

export function openSnapshots(folder: string, options: SegmentLogOptions = {}) {
  const { disk = nodeDisk } = options;
  // This settles the folder above it, too, so that the latest snapshot there is sure to stay.
  const parts = new SegmentLog(join(folder, "parts"), options);
  const headPath = join(folder, "latest.json");
  const pathOf = (id: string): string => join(folder, `${id}.json`);

  /** @throws StoreError when there is none of this id, or it is damaged */
  function load(id: string): SnapshotManifest {
    const path = pathOf(id);
    const found = /^[\w-]+$/.test(id) ? readSealed(path, SnapshotManifest.parse, disk) : undefined;
    if (found === undefined) throw new StoreError(`snapshot ${id} is missing: ${path}`, { hint });
    return found;
  }

  /** The newest snapshot; undefined before the first. @throws StoreError when it is damaged */
  function latest(): SnapshotManifest | undefined {
    const head = readSealed(headPath, Head.parse, disk);
    return head && load(head.snapshot);
  }

  /** The newest snapshot that is complete; undefined before the first. @throws StoreError when it is damaged */
  function latestComplete(): SnapshotManifest | undefined {
    const head = readSealed(headPath, Head.parse, disk);
    const last = head && load(head.snapshot);
    if (last === undefined || last.complete) return last;
    return head?.complete === undefined ? undefined : load(head.complete);
  }

  function savePart(refs: Ref[]): string {
    const text = JSON.stringify(refs.map(({ id, digest }) => [id, digest]));
    const key = keyOf(text);
    if (!parts.has(key)) parts.append(key, text);
    return key;
  }

  function replace(manifest: SnapshotManifest): void {
    parts.sync();
    writeDurably(pathOf(manifest.id), sealed(manifest), disk);
  }

  return {
    latest,
    latestComplete,
    load,
    /** Writes a snapshot again, with other lists: only for what must be forgotten. Its objects must be durable. */
    replace,
    /** Writes a list's refs; parts that exist already are shared. */
    saveList({ refs, perPage, envelope, overrides }: ListDraft): ListManifest {
      const keys: string[] = [];
      let part: Ref[] = [];
      let count = 0;
      for (const ref of refs) {
        part.push(ref);
        count++;
        if (endsPart(ref, part.length)) {
          keys.push(savePart(part));
          part = [];
        }
      }
      if (part.length > 0) keys.push(savePart(part));
      return { count, parts: keys, perPage, envelope, overrides };
    },
    /**
     * Saves a snapshot unless only its time differs from the latest one. Returns the one that is now the latest. The
     * objects that it names must be durable already.
     */
    commit(draft: SnapshotDraft): { manifest: SnapshotManifest; changed: boolean } {
      const last = latest();
      // Through the schema, so that the order of members is the same as in the one that was read.
      const manifest = SnapshotManifest.parse({
        format: 1,
        id: freeId(draft.time, last?.id ?? "", (id) => disk.stat(pathOf(id)) !== undefined),
        ...draft,
      });
      if (last !== undefined && contentKey(last) === contentKey(manifest)) {
        return { manifest: last, changed: false };
      }
      replace(manifest);
      const complete = manifest.complete ? undefined : latestComplete()?.id;
      writeDurably(headPath, sealed({ snapshot: manifest.id, complete }), disk);
      return { manifest, changed: true };
    },
    /** @throws StoreError when a part is missing or damaged */
    *refs(list: Pick<ListManifest, "parts">): Generator<Ref> {
      for (const key of list.parts) {
        const text = parts.read(key);
        if (text === undefined) throw new StoreError(`${folder}: part ${key} is missing`, { hint });
        for (const [id, digest] of JSON.parse(text) as [string, string][]) yield { id, digest };
      }
    },
    close: (): void => parts.close(),
  };
}

/** Made of the time, but never before the last one: a clock may have been ahead once. */
function freeId(time: string, last: string, isTaken: (id: string) => boolean): string {
  const ofTime = time.slice(0, 19).replaceAll(":", "-").concat("Z");
  const id = olderFirst(ofTime, last) < 0 ? last.replace(/Z-\d+$/, "Z") : ofTime;
  for (let n = 1; ; n++) {
    const candidate = n === 1 ? id : `${id}-${n}`;
    if (!isTaken(candidate)) return candidate;
  }
}

/** When the crawl of a snapshot ended, by its id. */
export function timeOfId(id: string): Date {
  const [, day, clock = ""] = /^(.{10})T(.{8})Z/.exec(id) ?? [];
  return new Date(`${day}T${clock.replaceAll("-", ":")}Z`);
}

/** Ids of all snapshots in a store's folder, the oldest first. */
export function snapshotIds(store: string): string[] {
  const folder = join(store, "snapshots");
  const names = existsSync(folder) ? readdirSync(folder) : [];
  return names.flatMap((name) => /^(\d.*)\.json$/.exec(name)?.[1] ?? []).sort(olderFirst);
}

/** In the place of a snapshot's id: what came after it without making another one. */
export function afterSnapshot(id: string): string {
  return `${id}_`;
}

/** Orders ids of snapshots by their sequence; where their times do not tell it, they are numbered. */
export function olderFirst(a: string, b: string): number {
  return a.localeCompare(b, "en", { numeric: true });
}

/** Parts end where the content says so, at about every 256th ref: an item that is added in front changes one part. */
function endsPart(ref: Ref, length: number): boolean {
  return length >= 2048 || (crc32(ref.id) & 0xff) === 0;
}

function contentKey(manifest: SnapshotManifest): string {
  const { complete, lists, proof, problems, remarks } = manifest;
  // What it took to prove the lists is no content.
  const proved = proof.map(({ passes, confirmedBy, remark, ...rest }) => rest);
  const origin = [manifest.origin, manifest.origins];
  const facts = [manifest.tagMatch, manifest.timezoneChecked, manifest.learned];
  return keyOf(JSON.stringify([origin, complete, lists, proved, problems, remarks, facts]));
}
