import { existsSync, renameSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { Validators } from "../api/validators.ts";
import { keyOf } from "../lib/digest.ts";
import { makeFolder } from "../lib/files.ts";
import type { Blobs } from "../store/blobs.ts";
import { openCacheLog } from "../store/cache-log.ts";
import type { SegmentLog } from "../store/log.ts";
import type { MediaEntry } from "../store/media.ts";
import type { WantedItem } from "./jobs.ts";
import type { Fetched } from "./original.ts";

/**
 * Downloads that wait to be examined. They outlive the process, so that the run after a crash asks for none of
 * them again; they are no blobs yet, because some will turn out to be damaged.
 */
export interface FetchedFiles {
  /**
   * What an earlier run, or this one, has downloaded of an item; undefined where that was of another record.
   *
   * @param entry the item's in the media index
   */
  find(item: WantedItem, entry: MediaEntry | undefined): Fetched | undefined;
  /** Takes a download in, under a name of its own. */
  keep(item: WantedItem, file: Fetched): Fetched;
  /** Removes one that turned out to be no good. */
  drop(item: WantedItem, file: Fetched): void;
  /** @param finished whether nothing waits any more: everything that is left is thrown away */
  close(finished: boolean): void;
}

/** A download as the journal tells of it. */
const Line = z.object({
  /** Digest of the object that it was downloaded for. */
  record: z.string(),
  sha256: z.string(),
  bytes: z.int(),
  type: z.string().optional(),
  validators: Validators.optional(),
  delimited: z.enum(["length", "chunked", "close"]),
  settled: z.boolean(),
});

const dropped = "null";

/**
 * Opens what is there of fetched files; nothing is created before the first one.
 *
 * @param folder on the blobs' file system, with nothing else in it
 */
export function openFetchedFiles(
  folder: string,
  blobs: Pick<Blobs, "pathOf" | "has">,
): FetchedFiles {
  const journalFolder = join(folder, "journal");
  let journal = existsSync(journalFolder) ? open() : undefined;

  function open(): SegmentLog {
    makeFolder(folder);
    return openCacheLog(journalFolder);
  }

  function lineOf(item: WantedItem): z.infer<typeof Line> | undefined {
    return Line.safeParse(JSON.parse(journal?.read(journalKey(item)) ?? dropped)).data;
  }

  const journalKey = ({ kind, id }: WantedItem): string => `${kind}/${id}`;
  const pathOf = ({ kind, id }: WantedItem, sha256: string): string =>
    join(folder, keyOf(kind, id, sha256));

  return {
    find(item, entry) {
      const line = lineOf(item);
      if (line?.record !== item.record) return undefined;
      const { record, type, validators, ...rest } = line;
      const file = { ...rest, type, validators };
      const path = pathOf(item, line.sha256);
      if (statSync(path, { throwIfNoEntry: false })?.size === line.bytes) return { ...file, path };
      // The run was ended between the blob and its entry. A blob with an entry has been looked at already.
      const adopted = entry?.record !== record && blobs.has(line.sha256, line.bytes);
      return adopted ? { ...file, path: blobs.pathOf(line.sha256) } : undefined;
    },
    keep(item, file) {
      journal ??= open();
      const { sha256, bytes, type, validators, delimited, settled } = file;
      const path = pathOf(item, sha256);
      renameSync(file.path, path);
      const known = { sha256, bytes, type, validators, delimited, settled };
      const line: z.infer<typeof Line> = { record: item.record, ...known };
      journal.append(journalKey(item), JSON.stringify(line));
      journal.flush();
      return { ...file, path };
    },
    drop(item, { sha256 }) {
      journal?.append(journalKey(item), dropped);
      journal?.flush();
      rmSync(pathOf(item, sha256), { force: true });
    },
    close(finished) {
      journal?.close();
      if (finished) rmSync(folder, { recursive: true, force: true });
    },
  };
}
