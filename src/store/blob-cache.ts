import { linkSync } from "node:fs";
import { rm, stat } from "node:fs/promises";
import { isErrno } from "../lib/files.ts";
import { openBlobFolder } from "./blob-folder.ts";

export type BlobCache = ReturnType<typeof openBlobCache>;

/** Copies of blobs that lie elsewhere. Beyond a number of bytes, the one that was not used for longest leaves first. */
export function openBlobCache(folder: string, mostBytes: number) {
  const files = openBlobFolder(folder, { shared: true });
  /** Bytes by digest, the one used last at the end. */
  const held = new Map<string, number>();
  let bytes = 0;
  let looked: Promise<void> | undefined;

  async function look(): Promise<void> {
    for await (const file of files.list()) note(file.digest, file.bytes);
  }

  /** What was there before is counted once. */
  function ready(): Promise<void> {
    looked ??= look();
    return looked;
  }

  function note(digest: string, size: number): void {
    bytes += size - (held.get(digest) ?? 0);
    held.delete(digest);
    held.set(digest, size);
  }

  async function remove(digest: string): Promise<void> {
    bytes -= held.get(digest) ?? 0;
    held.delete(digest);
    await files.remove(digest);
  }

  /** Takes over a file that has a digest. */
  async function keep(temporary: string, digest: string): Promise<void> {
    await ready();
    const { size } = await stat(temporary);
    await files.put(temporary, digest);
    note(digest, size);
    for (const oldest of held.keys()) {
      if (bytes <= mostBytes) return;
      await remove(oldest);
    }
  }

  /** Gives a copy a name of its own, which it keeps when others remove it. */
  function borrow(digest: string, path: string): boolean {
    try {
      linkSync(files.pathOf(digest), path);
      note(digest, held.get(digest) ?? 0);
      return true;
    } catch (error) {
      if (isErrno(error, "ENOENT")) return false;
      throw error;
    }
  }

  return {
    temporaryPath: files.temporaryPath,
    keep,
    remove,
    /** @param fetch writes the blob to a path, or throws */
    async use<T>(
      digest: string,
      fetch: (path: string) => Promise<void>,
      act: (path: string) => Promise<T>,
    ): Promise<T> {
      await ready();
      const path = files.temporaryPath();
      try {
        const isHeld = borrow(digest, path);
        if (!isHeld) await fetch(path);
        const result = await act(path);
        if (!isHeld) await keep(path, digest);
        return result;
      } finally {
        await rm(path, { force: true });
      }
    },
  };
}
