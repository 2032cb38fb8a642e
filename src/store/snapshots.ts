import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { StoreError } from "../errors.ts";
import { keyOf } from "../lib/digest.ts";
import { readText, writeDurably } from "../lib/files.ts";

/**
 * The ordered lists of a snapshot. `x.single` are single forms; `x.unlisted` are files that are attached to
 * something but stand in no index; `images.private` are in the index only when private ones are asked for.
 */
export const listNames = [
  "articles",
  "articles.single",
  "galleries",
  "galleries.single",
  "images",
  "images.private",
  "images.unlisted",
  "videos",
  "videos.unlisted",
  "documents",
  "documents.unlisted",
  "audio",
  "audio.unlisted",
  "categories",
  "tags",
  "attachments",
] as const;
export type ListName = (typeof listNames)[number];

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

/** How the completeness of one list was established. */
export const ListProof = z.object({
  list: z.string(),
  /** Distinct ids collected. */
  collected: z.int(),
  /** What the origin said: meta.total, or the parents' attachment counts; null where it says nothing. */
  expected: z.int().nullable(),
  pages: z.int(),
  passes: z.int(),
  agreed: z.boolean(),
  remark: z.string().optional(),
});
export type ListProof = z.infer<typeof ListProof>;

export const ProblemRecord = z.object({
  subject: z.string(),
  reason: z.string(),
  hint: z.string().optional(),
});

export const SnapshotManifest = z.object({
  format: z.literal(1),
  id: z.string(),
  /** ISO 8601 in UTC: when the crawl that made it ended. */
  time: z.string(),
  /** Base URL of the API. */
  origin: z.string(),
  complete: z.boolean(),
  lists: z.record(z.string(), ListManifest),
  proof: z.array(ListProof),
  problems: z.array(ProblemRecord),
});
export type SnapshotManifest = z.infer<typeof SnapshotManifest>;

/** A list while it is written down. */
export interface ListDraft extends Omit<ListManifest, "count" | "parts"> {
  refs: Iterable<Ref>;
}

/** Immutable snapshots: manifests over parts that unchanged lists share. */
export interface Snapshots {
  /** The newest snapshot; undefined before the first. @throws StoreError when it is damaged */
  latest(): SnapshotManifest | undefined;
  /** @throws StoreError when there is none of this id, or it is damaged */
  load(id: string): SnapshotManifest;
  /** Writes a list's refs; parts that exist already are shared. */
  saveList(draft: ListDraft): ListManifest;
  /**
   * Saves a snapshot unless it says the same as the latest one, of which only the time would differ.
   * Returns the one that is now the latest.
   */
  commit(draft: Omit<SnapshotManifest, "format" | "id">): {
    manifest: SnapshotManifest;
    changed: boolean;
  };
  refs(list: ListManifest): Generator<Ref>;
}

const head = z.object({ snapshot: z.string() });

export function openSnapshots(folder: string): Snapshots {
  const parts = join(folder, "parts");
  mkdirSync(parts, { recursive: true });
  const headPath = join(folder, "latest.json");

  function load(id: string): SnapshotManifest {
    const path = join(folder, `${id}.json`);
    const text = readText(path);
    if (text === undefined) throw new StoreError(`snapshot ${id} is missing: ${path}`);
    return parseStored(SnapshotManifest, text, path);
  }

  function latest(): SnapshotManifest | undefined {
    const text = readText(headPath);
    return text === undefined ? undefined : load(parseStored(head, text, headPath).snapshot);
  }

  function savePart(refs: Ref[]): string {
    const text = refs.map((ref) => `${JSON.stringify([ref.id, ref.digest])}\n`).join("");
    const digest = keyOf(text);
    const path = join(parts, `${digest}.ndjson`);
    if (!existsSync(path)) writeDurably(path, text);
    return digest;
  }

  return {
    latest,
    load,
    saveList({ refs, perPage, envelope, overrides }) {
      const digests: string[] = [];
      let part: Ref[] = [];
      let count = 0;
      for (const ref of refs) {
        part.push(ref);
        count++;
        if (endsPart(ref, part.length)) {
          digests.push(savePart(part));
          part = [];
        }
      }
      if (part.length > 0) digests.push(savePart(part));
      return { count, parts: digests, perPage, envelope, overrides };
    },
    commit(draft) {
      const last = latest();
      if (last !== undefined && contentKey(last) === contentKey(draft)) {
        return { manifest: last, changed: false };
      }
      const manifest: SnapshotManifest = { format: 1, id: freeId(draft.time), ...draft };
      writeDurably(join(folder, `${manifest.id}.json`), `${JSON.stringify(manifest, null, 1)}\n`);
      writeDurably(headPath, `${JSON.stringify({ snapshot: manifest.id })}\n`);
      return { manifest, changed: true };
    },
    *refs(list) {
      for (const digest of list.parts) {
        const path = join(parts, `${digest}.ndjson`);
        const text = readPart(path);
        if (keyOf(text) !== digest) throw new StoreError(`snapshot part is damaged: ${path}`);
        for (const line of text.split("\n")) {
          if (line === "") continue;
          const [id, object] = JSON.parse(line) as [string, string];
          yield { id, digest: object };
        }
      }
    },
  };

  function freeId(time: string): string {
    const id = time.slice(0, 19).replaceAll(":", "-").concat("Z");
    for (let n = 1; ; n++) {
      const candidate = n === 1 ? id : `${id}-${n}`;
      if (!existsSync(join(folder, `${candidate}.json`))) return candidate;
    }
  }
}

/**
 * Parts end where the content says so, at about every 256th ref, and not at fixed counts: an item that is added
 * in front then changes one part, not all of them.
 */
function endsPart(ref: Ref, length: number): boolean {
  return length >= 2048 || keyOf(ref.id).startsWith("00");
}

function contentKey(snapshot: Omit<SnapshotManifest, "format" | "id">): string {
  const { origin, complete, lists, proof, problems } = snapshot;
  // How many passes were needed is no content.
  const proved = proof.map(({ passes, ...rest }) => rest);
  return keyOf(JSON.stringify([origin, complete, lists, proved, problems]));
}

function readPart(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (cause) {
    throw new StoreError(`snapshot part is missing: ${path}`, { cause });
  }
}

function parseStored<T>(schema: z.ZodType<T>, text: string, path: string): T {
  try {
    return schema.parse(JSON.parse(text));
  } catch (cause) {
    throw new StoreError(`${path} is damaged`, { cause });
  }
}
