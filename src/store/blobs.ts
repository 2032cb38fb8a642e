import { existsSync, readdirSync, renameSync, rmSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { sha256 } from "../lib/digest.ts";
import { makeFolder, syncFolder, writeDurably } from "../lib/files.ts";
import { isRunning } from "./lock.ts";

/** Binary files, each under the SHA-256 of its content: equal files are one file. */
export interface Blobs {
  /** Absolute or working-directory-relative path of a blob, whether it exists or not. */
  pathOf(digest: string): string;
  has(digest: string): boolean;
  /** A path on the same file system to write a new blob to before its digest is known. */
  temporaryPath(): string;
  /** Takes a complete, synced file in under its digest and removes the temporary name. */
  adopt(temporary: string, digest: string): void;
  /** Stores bytes; returns their digest. */
  put(bytes: Uint8Array): string;
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
  return {
    pathOf,
    has: (digest) => existsSync(pathOf(digest)),
    temporaryPath: () => join(incoming, `${process.pid}-${++counter}`),
    adopt(temporary, digest) {
      const path = pathOf(digest);
      makeFolder(dirname(path));
      renameSync(temporary, path);
      syncFolder(dirname(path));
    },
    put(bytes) {
      const digest = sha256(bytes);
      if (!existsSync(pathOf(digest))) writeDurably(pathOf(digest), bytes);
      return digest;
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
