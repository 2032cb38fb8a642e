import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { writeDurably } from "../lib/files.ts";
import { membersOf } from "../lib/jsontext.ts";
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
  /** The result of a task from the journal, or of `work`, which is then journalled. */
  once<T>(task: string, work: () => Promise<T>): Promise<T>;
  sync(): void;
  close(): void;
  /** Removes the journal: its work is in a snapshot. */
  discard(): void;
}

/** A draft older than this describes another state of the origin than the rest of the crawl would. */
const maxAgeMs = 24 * 3_600_000;

interface Head {
  key: string;
  startedAt: number;
  round: number;
}

/**
 * Goes on with the draft in a folder if it was made with the same settings in the last 24 hours, or begins one.
 *
 * @param key digest of the settings that decide what the crawl asks
 * @param flush makes durable what the journal is about to name
 */
export function openDraft(folder: string, key: string, now: number, flush: () => void): Draft {
  const headPath = join(folder, "draft.json");
  const tasksFolder = join(folder, "tasks");
  const head = readHead(headPath);
  const usable = head !== undefined && head.key === key && now - head.startedAt < maxAgeMs;
  if (!usable) rmSync(tasksFolder, { recursive: true, force: true });
  const round = usable ? head.round : (head?.round ?? -1) + 1;
  if (!usable) writeDurably(headPath, `${JSON.stringify({ key, startedAt: now, round })}\n`);
  const log = openSegmentLog(tasksFolder, { keyOf: taskOf });
  let unsynced = 0;
  return {
    resumed: log.size,
    round,
    async once<T>(task: string, work: () => Promise<T>): Promise<T> {
      const line = log.read(task);
      if (line !== undefined) return (JSON.parse(line) as { result: T }).result;
      const result = await work();
      log.append(task, JSON.stringify({ task, result }));
      if (++unsynced >= 50) this.sync();
      return result;
    },
    sync() {
      flush();
      log.sync();
      unsynced = 0;
    },
    close() {
      flush();
      log.close();
    },
    discard() {
      log.close();
      rmSync(tasksFolder, { recursive: true, force: true });
      // The round stays, the key goes: the next crawl begins a new draft with the next number.
      writeDurably(headPath, `${JSON.stringify({ key: "", startedAt: 0, round })}\n`);
    },
  };
}

function readHead(path: string): Head | undefined {
  if (!existsSync(path)) return undefined;
  try {
    return JSON.parse(readFileSync(path, "utf8")) as Head;
  } catch {
    return undefined;
  }
}

function taskOf(line: string): string {
  const span = membersOf(line).get("task");
  if (span === undefined) throw new TypeError("journal line without a task");
  return JSON.parse(line.slice(span.start, span.end)) as string;
}
