import { join } from "node:path";
import { z } from "zod";
import { readable } from "../errors.ts";
import { type Disk, nodeDisk } from "../lib/disk.ts";
import { writeDurably } from "../lib/files.ts";
import { readSealed, sealed } from "../lib/sealed.ts";
import { SegmentLog } from "../store/log.ts";

/**
 * Journal of an unfinished crawl: the result of each finished task, so that a run after an interruption does not ask
 * for it again. It is removed when its snapshot is committed; the crawl counts as unfinished until the run has ended.
 */
export type Draft = ReturnType<typeof openDraft>;

interface DraftOptions {
  /** Digest of the settings that decide what the answers are. */
  key: string;
  /** Milliseconds since 1970. */
  now: () => number;
  /** What the journal's results are kept in. */
  objects: { bytes?: number; sync(): void };
  /** Id of the latest snapshot; null before the first. */
  latest?: string | null;
  disk?: Disk;
}

/** An older listing shows another state of the origin than the rest of the crawl would. */
const maxListingAgeMs = 24 * 3_600_000;
/** How much work a power cut may cost; a crash of the process costs none. */
const syncEveryMs = 1_000;

/** Less than a day: a nightly run looks for news even if the last one was killed, and one in the morning goes on. */
const maxUnfinishedMs = 20 * 3_600_000;

const stateName = "draft.json";
const tasksName = "tasks";

const DraftState = z.object({
  /** Empty between two drafts. */
  key: z.string(),
  /** Number of this crawl, counted up with each draft. */
  round: z.int(),
  /** Tasks of a walk name it, so that a new number walks anew. */
  listing: z.int(),
  /** When the listing began, milliseconds since 1970. */
  listedAt: z.number(),
  /** Bytes of the store's objects when the listing began. */
  bytesBefore: z.number().optional(),
  /** Id of the snapshot that was the latest when the crawl was begun; null before the first. */
  before: z.string().nullable().default(null),
  /** Ends of the turns in which unchanged items were read again, oldest first; at the first, everything was read. */
  turns: z.array(z.number()).min(1).default([0]),
  /**
   * There from the commit until the run has ended: a digest of all the settings that a crawl depends on, the id of the
   * snapshot, and when it was committed, in milliseconds since 1970.
   */
  unfinished: z.object({ key: z.string(), snapshot: z.string(), at: z.number() }).optional(),
});
type DraftState = z.infer<typeof DraftState>;

/** Goes on with a folder's draft if it has the same settings, or begins one. Damaged tasks are done again. */
export function openDraft(folder: string, options: DraftOptions) {
  const { now, objects, disk = nodeDisk } = options;
  const tasksFolder = join(folder, tasksName);
  const before = readState(folder, disk);
  const state = nextState(before, options);
  // Before the new state, so that the results of other settings are never found under it.
  if (state.round !== before?.round) disk.remove(tasksFolder);
  if (state !== before) writeState(folder, state, disk);
  const log = openTasks(tasksFolder, disk);
  let syncedAt = now();

  function sync(): void {
    objects.sync();
    log.sync();
    syncedAt = now();
  }

  return {
    ...state,
    bytesBefore: state.bytesBefore ?? objects.bytes ?? 0,
    /** Finished tasks found at the start. */
    resumed: log.size,
    /** A task's result: from the journal, if the store holds what it names (`usable`), or of `work`. */
    async once<T>(
      task: string,
      work: () => Promise<T>,
      usable: (result: T) => boolean = () => true,
    ): Promise<T> {
      const known = readable(() => log.read(task));
      if (known !== undefined) {
        const result = JSON.parse(known);
        if (usable(result)) return result;
      }
      const result = await work();
      log.append(task, JSON.stringify(result));
      if (now() - syncedAt >= syncEveryMs) sync();
      return result;
    },
    /** Makes the journal durable, and before it what it names. */
    sync,
    /** Lets the next run walk all indexes anew, and keep what was fetched of single items. */
    relist(): void {
      writeState(folder, { ...state, listing: state.listing + 1, listedAt: now() }, disk);
    },
    close(): void {
      try {
        sync();
      } finally {
        log.close();
      }
    },
    /** Closes and removes the journal, whose work is in a snapshot; `turns` include this crawl's. */
    discard(snapshot?: { key: string; snapshot: string }, turns = state.turns): void {
      log.close();
      const unfinished = snapshot && { ...snapshot, at: now() };
      // The round stays and the key goes, so that the next crawl begins a new draft with the next number.
      writeState(folder, { ...state, key: "", unfinished, turns }, disk);
      disk.remove(tasksFolder);
    },
  };
}

/** A journal that cannot be opened is no reason to stop: it begins anew. */
function openTasks(folder: string, disk: Disk): SegmentLog {
  const found = readable(() => new SegmentLog(folder, { disk }));
  if (found !== undefined) return found;
  disk.remove(folder);
  return new SegmentLog(folder, { disk });
}

/** What a crawl or run that goes on needs of the store: the snapshot before it, and the objects that its results name. */
export function neededByDraft(folder: string): { snapshot: string | null; objects: Set<string> } {
  const objects = new Set<string>();
  const log = readable(() => new SegmentLog(join(folder, tasksName), { readOnly: true }));
  for (const task of log?.keys() ?? []) {
    for (const [digest] of log?.read(task)?.matchAll(/\b[0-9a-f]{32}\b/g) ?? [])
      objects.add(digest);
  }
  log?.close();
  return { snapshot: readState(folder, nodeDisk)?.before ?? null, objects };
}

/** Ends of the turns of a folder's crawls, oldest first. */
export function endsOfTurns(folder: string): number[] {
  return readState(folder, nodeDisk)?.turns ?? [0];
}

/**
 * The ids of a crawl's snapshot and of the one before it, where a run ended after its commit; undefined where it had
 * other settings, is not of today, or its snapshot is no longer the latest.
 */
export function unfinishedCrawl(
  folder: string,
  { key, now, latest }: Omit<DraftOptions, "objects" | "disk">,
): { snapshot: string; before: string | null } | undefined {
  const state = readState(folder, nodeDisk);
  if (state?.unfinished === undefined) return undefined;
  const { snapshot, at, ...settings } = state.unfinished;
  // A clock that was ahead must not make it last.
  const isRecent = Math.abs(now() - at) < maxUnfinishedMs;
  const fits = isRecent && settings.key === key && snapshot === latest;
  return fits ? { snapshot, before: state.before } : undefined;
}

/** Forgets that a committed crawl is unfinished, and removes all that the folder keeps for a run that goes on with it. */
export function settleCrawl(folder: string, disk = nodeDisk): void {
  const state = readState(folder, disk);
  if (state?.unfinished === undefined) return;
  for (const name of disk.list(folder)) {
    if (name !== stateName) disk.remove(join(folder, name));
  }
  writeState(folder, { ...state, unfinished: undefined }, disk);
}

/** The last state, if it has the same settings; a new listing where that one is too old. */
function nextState(last: DraftState | undefined, options: DraftOptions): DraftState {
  const { key, now, latest = null, objects } = options;
  const [listedAt, bytesBefore] = [now(), objects.bytes];
  if (last?.key !== key) {
    const { round = -1, turns = [0] } = last ?? {};
    return { key, round: round + 1, listing: 0, listedAt, bytesBefore, before: latest, turns };
  }
  if (listedAt - last.listedAt < maxListingAgeMs) return last;
  return { ...last, listing: last.listing + 1, listedAt, bytesBefore };
}

function readState(folder: string, disk: Disk): DraftState | undefined {
  return readable(() => readSealed(join(folder, stateName), DraftState.parse, disk));
}

function writeState(folder: string, state: DraftState, disk: Disk): void {
  writeDurably(join(folder, stateName), sealed(state), disk);
}
