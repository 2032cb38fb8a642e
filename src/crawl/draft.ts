import { rmSync } from "node:fs";
import { join } from "node:path";
import { readText, writeDurably } from "../lib/files.ts";
import { openSegmentLog } from "../store/log.ts";

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
}

/** A listing older than this describes another state of the origin than the rest of the crawl would. */
const maxListingAgeMs = 24 * 3_600_000;
/** How much work a power cut may cost; a crash of the process alone costs none. */
const syncEveryMs = 1_000;

interface Head {
  key: string;
  round: number;
  listing: number;
  /** When the listing began, milliseconds since 1970. */
  listedAt: number;
}

/** Goes on with the draft in a folder if it was made with the same settings, or begins one. */
export function openDraft(folder: string, { key, now, objects }: DraftOptions): Draft {
  const headPath = join(folder, "draft.json");
  const tasksFolder = join(folder, "tasks");
  const before = readHead(headPath);
  const resumes = before?.key === key;
  if (!resumes) rmSync(tasksFolder, { recursive: true, force: true });
  let head: Head;
  if (resumes && now() - before.listedAt < maxListingAgeMs) head = before;
  else if (resumes) head = { ...before, listing: before.listing + 1, listedAt: now() };
  else head = { key, round: (before?.round ?? -1) + 1, listing: 0, listedAt: now() };
  if (head !== before) writeHead(head);
  const log = openSegmentLog(tasksFolder);
  let syncedAt = now();

  function writeHead(changed: Head): void {
    head = changed;
    writeDurably(headPath, `${JSON.stringify(head)}\n`);
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
      const known = log.read(task);
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
      rmSync(tasksFolder, { recursive: true, force: true });
    },
  };
}

function readHead(path: string): Head | undefined {
  try {
    return JSON.parse(readText(path) ?? "") as Head;
  } catch {
    return undefined;
  }
}
