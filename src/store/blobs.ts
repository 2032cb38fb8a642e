import { randomUUID } from "node:crypto";
import { dirname, join } from "node:path";
import { fileSha256 } from "../lib/digest.ts";
import { type Disk, nodeDisk } from "../lib/disk.ts";
import { makeFolder, settleFolder, syncFolder } from "../lib/files.ts";

/** Binary files, each under the SHA-256 of its content: equal files are one file. */
export type Blobs = ReturnType<typeof openBlobs>;

/**
 * Opens or creates the blobs of a store, and removes what killed processes left half written.
 *
 * @param options.readOnly changes nothing on disk: for reading beside a run that writes
 */
export function openBlobs(folder: string, options: { readOnly?: boolean; disk?: Disk } = {}) {
  const { readOnly = false, disk = nodeDisk } = options;
  const incoming = join(folder, "incoming");
  if (!readOnly) {
    settleFolder(incoming, disk);
    // What earlier processes left half written: only one at a time has a store open for writing.
    for (const name of disk.list(incoming)) {
      const path = join(incoming, name);
      if ((disk.stat(path)?.modifiedMs ?? 0) < performance.timeOrigin) disk.remove(path);
    }
  }
  /** Folders whose names are durable: a process that was killed may have left that to be done. */
  const settled = new Set<string>();
  const pathOf = (digest: string): string => join(folder, digest.slice(0, 2), digest);
  const hasStill = (digest: string, bytes: number): boolean =>
    disk.stat(pathOf(digest))?.bytes === bytes;

  function settle(path: string): void {
    syncFolder(path, disk);
    settled.add(path);
  }

  return {
    /** Where a blob is or would be. */
    pathOf,
    /**
     * Whether a blob is there in its full length, and is sure to stay. One of another size is damaged. Only complete
     * files get a blob's name, so that a crash leaves none with the right size and the wrong content.
     */
    has(digest: string, bytes: number): boolean {
      if (!hasStill(digest, bytes)) return false;
      const above = dirname(pathOf(digest));
      if (!readOnly && !settled.has(above)) settle(above);
      return true;
    },
    /** The same of a blob that a durable entry names: its folder is known to be synced. */
    hasStill,
    /**
     * A path on the same file system to write a new blob to before its digest is known. No run uses it again: after
     * a power cut, a file can have its temporary and its final name at once.
     */
    temporaryPath: (): string => join(incoming, randomUUID()),
    /** Renames a complete, synced file to its digest. A whole blob stays the file it is, with its time and its links. */
    adopt(temporary: string, digest: string): void {
      const path = pathOf(digest);
      makeFolder(dirname(path), disk);
      if (disk.stat(path) !== undefined && fileSha256(path, disk) === digest) {
        disk.remove(temporary);
      } else disk.rename(temporary, path);
      settle(dirname(path));
    },
  };
}
