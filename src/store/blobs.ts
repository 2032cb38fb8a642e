import { randomUUID } from "node:crypto";
import { dirname, join } from "node:path";
import { StoreError } from "../errors.ts";
import { sha256 } from "../lib/digest.ts";
import { type Disk, nodeDisk } from "../lib/disk.ts";
import { makeFolder, removeQuietly, settleFolder, syncFolder } from "../lib/files.ts";

/** Binary files, each under the SHA-256 of its content: equal files are one file. */
export interface Blobs {
  /** Absolute or working-directory-relative path of a blob, whether it exists or not. */
  pathOf(digest: string): string;
  /**
   * Whether a blob is there in its full length, and is sure to stay: one of another size than `bytes` is damaged.
   * Only complete files get a blob's name, so that a crash leaves none with the right size and the wrong content.
   */
  has(digest: string, bytes: number): boolean;
  /** The same of a blob that a durable entry names: its folder is known to be synced. */
  hasStill(digest: string, bytes: number): boolean;
  /** A path on the same file system to write a new blob to before its digest is known. */
  temporaryPath(): string;
  /** Takes a complete, synced file in under its digest, in the place of what is there; removes the temporary name. */
  adopt(temporary: string, digest: string): void;
  /**
   * Stores several contents side by side, which costs about one wait for the disk; what is there in its full
   * length stays as it is. Returns their digests in order.
   */
  put(contents: readonly Uint8Array[]): Promise<string[]>;
  /** Bytes of a blob. @throws StoreError when there is none */
  sizeOf(digest: string): number;
}

export interface BlobsOptions {
  /** Changes nothing on disk: for reading beside a run that writes. */
  readOnly?: boolean;
  disk?: Disk;
}

/** Opens or creates the blobs of a store, and removes what killed processes left half written. */
export function openBlobs(folder: string, options: BlobsOptions = {}): Blobs {
  const { readOnly = false, disk = nodeDisk } = options;
  const incoming = join(folder, "incoming");
  if (!readOnly) {
    settleFolder(incoming, disk);
    removeLeftovers(incoming, disk);
  }
  // No name comes twice, not even in two runs with one pid: a power cut can leave the file of an earlier one under
  // its temporary and its final name at once.
  const own = `${process.pid}-${randomUUID().slice(0, 8)}`;
  let counter = 0;
  /** Folders whose names are durable: a process that was killed may have left that to be done. */
  const settled = new Set<string>();
  const pathOf = (digest: string): string => join(folder, digest.slice(0, 2), digest);
  const temporaryPath = (): string => join(incoming, `${own}-${++counter}`);

  const hasStill = (digest: string, bytes: number): boolean =>
    disk.stat(pathOf(digest))?.bytes === bytes;

  function has(digest: string, bytes: number): boolean {
    if (!hasStill(digest, bytes)) return false;
    const path = pathOf(digest);
    if (!readOnly && !settled.has(dirname(path))) settle(dirname(path));
    return true;
  }

  function settle(path: string): void {
    syncFolder(path, disk);
    settled.add(path);
  }

  function rename(temporary: string, digest: string): string {
    const path = pathOf(digest);
    makeFolder(dirname(path), disk);
    disk.rename(temporary, path);
    return dirname(path);
  }

  return {
    pathOf,
    has,
    hasStill,
    temporaryPath,
    adopt: (temporary, digest) => settle(rename(temporary, digest)),
    async put(contents) {
      const digests = contents.map((bytes) => sha256(bytes));
      const missing = new Map<string, { bytes: Uint8Array; temporary: string }>();
      for (const [n, digest] of digests.entries()) {
        const bytes = contents[n] as Uint8Array;
        if (missing.has(digest) || has(digest, bytes.length)) continue;
        missing.set(digest, { bytes, temporary: temporaryPath() });
      }
      await writeAll([...missing.values()], disk);
      // Only whole files get their final names, whose folders are then written down once each.
      const folders = new Set<string>();
      for (const [digest, { temporary }] of missing) folders.add(rename(temporary, digest));
      for (const path of folders) settle(path);
      return digests;
    },
    sizeOf(digest) {
      const path = pathOf(digest);
      const found = disk.stat(path);
      if (found === undefined) throw new StoreError(`${path} is missing`);
      return found.bytes;
    },
  };
}

/** Writes files side by side; where one cannot be written, none is left. */
async function writeAll(
  files: readonly { bytes: Uint8Array; temporary: string }[],
  disk: Disk,
): Promise<void> {
  const results = await Promise.allSettled(
    files.map(({ bytes, temporary }) => disk.writeSynced(temporary, bytes)),
  );
  const failed = results.find((result) => result.status === "rejected");
  if (failed === undefined) return;
  for (const { temporary } of files) removeQuietly(temporary, disk);
  throw failed.reason;
}

/** Removes what earlier processes left half written: only one at a time has a store open for writing. */
function removeLeftovers(incoming: string, disk: Disk): void {
  for (const name of disk.list(incoming)) {
    const path = join(incoming, name);
    if ((disk.stat(path)?.modifiedMs ?? 0) < performance.timeOrigin) disk.remove(path);
  }
}
