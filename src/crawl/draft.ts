import { join } from "node:path";
import { z } from "zod";
import { StoreError } from "../errors.ts";
import { type Disk, nodeDisk } from "../lib/disk.ts";
import { readText, writeDurably } from "../lib/files.ts";
import { sealed, unseal } from "../lib/sealed.ts";
import { openSegmentLog, type SegmentLog } from "../store/log.ts";

/**
 * Journal of a crawl that goes on: the result of each finished task, so that a run after an interruption does not
 * ask for it again. It is thrown away when its snapshot is committed.
 */
export interface Draft {
  /** Finished tasks found at the start. */
  readonly resumed: number;
  /** Number of this crawl, counted up with each draft. */
  readonly round: number;
  /** Number of the listing: tasks that list name it, so that a new number lists anew. */
  readonly listing: number;
  /**
   * The result of a task from the journal, or of `work`, which is then journalled.
   *
   * @param usable whether the store still holds what a journalled result names
   */
  once<T>(task: string, work: () => Promise<T>, usable?: (result: T) => boolean): Promise<T>;
  /** Makes the journal durable, and before it what it names. */
  sync(): void;
  /** Lets the next run list anew, and keep what was fetched of single items. */
  relist(): void;
  close(): void;
  /** Closes and removes the journal: its work is in a snapshot. */
  discard(): void;
}

export interface DraftOptions {
  /** Digest of the settings that decide what the answers are. */
  key: string;
  /** Milliseconds since 1970. */
  now: () => number;
  /** What the journal's results are kept in. */
  objects: { flush(): void; sync(): void };
  disk?: Disk;
}

/** A listing older than this describes another state of the origin than the rest of the crawl would. */
const maxListingAgeMs = 24 * 3_600_000;
/** How much work a power cut may cost; a crash of the process alone costs none. */
const syncEveryMs = 1_000;

const headName = "draft.json";

const Head = z.object({
  /** Empty between two drafts. */
  key: z.string(),
  round: z.int(),
  listing: z.int(),
  /** When the listing began, milliseconds since 1970. */
  listedAt: z.number(),
});
type Head = z.infer<typeof Head>;

/**
 * Goes on with the draft in a folder if it was made with the same settings, or begins one. What of it is damaged
 * is done again: a journal is no reason to stop.
 */
export function openDraft(folder: string, options: DraftOptions): Draft {
  const { key, now, objects, disk = nodeDisk } = options;
  const headPath = join(folder, headName);
  const tasksFolder = join(folder, "tasks");
  const before = readHead(headPath, disk);
  const head = nextHead(before, key, now());
  // Before the new head, so that the results of other settings are never found under it.
  if (head.round !== before?.round) disk.remove(tasksFolder);
  if (head !== before) writeHead(head);
  const log = openJournal(tasksFolder, disk);
  let syncedAt = now();

  function writeHead(head: Head): void {
    writeDurably(headPath, sealed(head), disk);
  }

  function sync(): void {
    objects.sync();
    log.sync();
    syncedAt = now();
  }

  return {
    resumed: log.size,
    round: head.round,
    listing: head.listing,
    async once(task, work, usable = () => true) {
      const known = recall(log, task);
      if (known !== undefined) {
        const result = JSON.parse(known);
        if (usable(result)) return result;
      }
      const result = await work();
      log.append(task, JSON.stringify(result));
      if (now() - syncedAt >= syncEveryMs) sync();
      else {
        objects.flush();
        log.flush();
      }
      return result;
    },
    sync,
    relist() {
      writeHead({ ...head, listing: head.listing + 1, listedAt: now() });
    },
    close() {
      try {
        sync();
      } finally {
        log.close();
      }
    },
    discard() {
      log.close();
      // The round stays, the key goes: the next crawl begins a new draft with the next number.
      writeHead({ ...head, key: "" });
      disk.remove(tasksFolder);
    },
  };
}

/** Number of the last crawl that was begun in a folder; 0 before the first. */
export function lastRound(folder: string): number {
  return readHead(join(folder, headName), nodeDisk)?.round ?? 0;
}

/** The head that a draft goes on with: the one before it, where that is of the same settings and not too old. */
function nextHead(before: Head | undefined, key: string, nowMs: number): Head {
  if (before?.key !== key) {
    return { key, round: (before?.round ?? -1) + 1, listing: 0, listedAt: nowMs };
  }
  if (nowMs - before.listedAt < maxListingAgeMs) return before;
  return { ...before, listing: before.listing + 1, listedAt: nowMs };
}

function readHead(path: string, disk: Disk): Head | undefined {
  const text = readText(path, disk);
  if (text === undefined) return undefined;
  try {
    return Head.parse(unseal(text));
  } catch {
    return undefined;
  }
}

function openJournal(folder: string, disk: Disk): SegmentLog {
  try {
    return openSegmentLog(folder, { disk });
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    disk.remove(folder);
    return openSegmentLog(folder, { disk });
  }
}

/** The journalled result of a task as JSON text; undefined where there is none, or it is damaged. */
function recall(log: SegmentLog, task: string): string | undefined {
  try {
    return log.read(task);
  } catch (error) {
    if (error instanceof StoreError) return undefined;
    throw error;
  }
}
