import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileSha256 } from "../lib/digest.ts";
import { type Disk, nodeDisk } from "../lib/disk.ts";
import { makeFolder, settleFolder, syncFolder, walkSorted } from "../lib/files.ts";
import { orUndefined } from "../lib/or-undefined.ts";
import { type BlobPlace, missing } from "./blob-place.ts";

export type BlobFolder = ReturnType<typeof openBlobFolder>;

/** Half written files of other machines are left alone for so long. */
const abandonedMs = 86_400_000;

export interface BlobFolderOptions {
  /** Changes nothing on disk: for reading beside a run that writes. */
  readOnly?: boolean;
  disk?: Disk;
  /** Whether other machines write here, too. */
  shared?: boolean;
}

/**
 * Opens or creates a folder of blobs, and removes what killed processes left half written. Each blob is written under
 * another name and renamed, so that any number of machines may write: whoever comes last has the same bytes.
 */
export function openBlobFolder(folder: string, options: BlobFolderOptions = {}) {
  const { readOnly = false, disk = nodeDisk, shared = false } = options;
  const incoming = join(folder, "incoming");
  if (!readOnly) {
    settleFolder(incoming, disk);
    const before = shared ? Date.now() - abandonedMs : performance.timeOrigin;
    for (const name of disk.list(incoming)) {
      const path = join(incoming, name);
      if ((disk.stat(path)?.modifiedMs ?? Infinity) < before) disk.remove(path);
    }
  }
  /** Folders whose names are durable: a process that was killed may have left that to be done. */
  const settled = new Set<string>();
  const pathOf = (digest: string): string => join(folder, digest.slice(0, 2), digest);
  const digestAt = (path: string): string => orUndefined(() => fileSha256(path, disk)) ?? "";

  function settle(path: string): void {
    syncFolder(path, disk);
    settled.add(path);
  }

  const place = {
    /** Where a blob is or would be. */
    pathOf,
    holds: (digest: string): boolean => disk.stat(pathOf(digest)) !== undefined,
    async has(digest: string, bytes: number) {
      if (!(await place.hasStill(digest, bytes))) return false;
      const above = dirname(pathOf(digest));
      if (!readOnly && !settled.has(above)) settle(above);
      return true;
    },
    async hasStill(digest: string, bytes: number) {
      return disk.stat(pathOf(digest))?.bytes === bytes;
    },
    async confirm(digest: string, bytes: number) {
      return (await place.has(digest, bytes)) && digestAt(pathOf(digest)) === digest;
    },
    async use<T>(digest: string, act: (path: string) => Promise<T>): Promise<T> {
      if (!place.holds(digest)) throw missing(pathOf(digest));
      return await act(pathOf(digest));
    },
    temporaryPath: (): string => join(incoming, randomUUID()),
    async put(temporary: string, digest: string) {
      const path = pathOf(digest);
      makeFolder(dirname(path), disk);
      if (disk.stat(path) !== undefined && fileSha256(path, disk) === digest) {
        disk.remove(temporary);
      } else disk.rename(temporary, path);
      settle(dirname(path));
    },
    async *list() {
      for (const path of existsSync(folder) ? walkSorted(folder) : []) {
        const found = disk.stat(join(folder, path));
        if (found && /^[\da-f]{2}\/[\da-f]{64}$/.test(path))
          yield { digest: basename(path), bytes: found.bytes };
      }
    },
    digestOf: async (digest: string) => digestAt(pathOf(digest)),
    async remove(digest: string) {
      disk.remove(pathOf(digest));
    },
    async close() {},
  };
  return place satisfies BlobPlace;
}
