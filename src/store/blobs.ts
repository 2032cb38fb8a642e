import { readdirSync, renameSync, rmSync, statSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { sha256 } from "../lib/digest.ts";
import { makeFolder, syncFolder } from "../lib/files.ts";
import { isRunning } from "./lock.ts";

/** Binary files, each under the SHA-256 of its content: equal files are one file. */
export interface Blobs {
  /** Absolute or working-directory-relative path of a blob, whether it exists or not. */
  pathOf(digest: string): string;
  /** Whether a blob is there in its full length: one of another size than `bytes` is damaged. */
  has(digest: string, bytes: number): boolean;
  /** A path on the same file system to write a new blob to before its digest is known. */
  temporaryPath(): string;
  /** Takes a complete, synced file in under its digest, in the place of what is there; removes the temporary name. */
  adopt(temporary: string, digest: string): void;
  /**
   * Stores several contents side by side, which costs about one wait for the disk; what is there in its full
   * length stays as it is. Returns their digests in order.
   */
  put(contents: readonly Uint8Array[]): Promise<string[]>;
  /** Bytes of a blob. */
  sizeOf(digest: string): number;
}

export function openBlobs(folder: string, { readOnly = false } = {}): Blobs {
  const incoming = join(folder, "incoming");
  if (!readOnly) {
    makeFolder(incoming);
    removeLeftovers(incoming);
  }
  let counter = 0;
  const pathOf = (digest: string): string => join(folder, digest.slice(0, 2), digest);
  const has = (digest: string, bytes: number): boolean =>
    statSync(pathOf(digest), { throwIfNoEntry: false })?.size === bytes;
  const temporaryPath = (): string => join(incoming, `${process.pid}-${++counter}`);
  return {
    pathOf,
    has,
    temporaryPath,
    adopt(temporary, digest) {
      const path = pathOf(digest);
      makeFolder(dirname(path));
      renameSync(temporary, path);
      syncFolder(dirname(path));
    },
    async put(contents) {
      const digests = contents.map((bytes) => sha256(bytes));
      const missing = new Map<string, { bytes: Uint8Array; temporary: string }>();
      for (const [n, digest] of digests.entries()) {
        const bytes = contents[n] as Uint8Array;
        if (missing.has(digest) || has(digest, bytes.length)) continue;
        missing.set(digest, { bytes, temporary: temporaryPath() });
      }
      await Promise.all(
        [...missing.values()].map(({ bytes, temporary }) =>
          writeFile(temporary, bytes, { flush: true }),
        ),
      );
      // Only whole files get their final names, whose folders are then written down once each.
      const folders = new Set<string>();
      for (const [digest, { temporary }] of missing) {
        const path = pathOf(digest);
        makeFolder(dirname(path));
        renameSync(temporary, path);
        folders.add(dirname(path));
      }
      for (const path of folders) syncFolder(path);
      return digests;
    },
    sizeOf: (digest) => statSync(pathOf(digest)).size,
  };
}

/** Removes what processes that were killed left half written. */
function removeLeftovers(incoming: string): void {
  for (const name of readdirSync(incoming)) {
    const pid = Number.parseInt(name, 10);
    if (pid === process.pid || isRunning(pid)) continue;
    rmSync(join(incoming, name), { force: true });
  }
}
