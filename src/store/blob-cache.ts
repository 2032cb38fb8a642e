import { linkSync } from "node:fs";
import { rm, stat } from "node:fs/promises";
import { isErrno } from "../lib/files.ts";
import { openBlobFolder } from "./blob-folder.ts";

export type BlobCache = ReturnType<typeof openBlobCache>;

/** Copies of blobs that lie elsewhere. When they come to more than so many bytes, all of them leave. */
export function openBlobCache(folder: string, mostBytes: number) {
  const files = openBlobFolder(folder, { shared: true });
  let bytes: number | undefined;

  async function held(): Promise<number> {
    let sum = 0;
    for await (const file of files.list()) sum += file.bytes;
    return sum;
  }

  /** Takes over a file that has a digest. */
  async function keep(temporary: string, digest: string): Promise<void> {
    const { size } = await stat(temporary);
    bytes = (bytes ?? (await held())) + size;
    await files.put(temporary, digest);
    if (bytes <= mostBytes) return;
    bytes = 0;
    for await (const file of files.list()) await files.remove(file.digest);
  }

  /** Gives a copy a second name, which it keeps when others remove it. */
  function borrow(digest: string, path: string): boolean {
    try {
      linkSync(files.pathOf(digest), path);
      return true;
    } catch (error) {
      if (isErrno(error, "ENOENT")) return false;
      throw error;
    }
  }

  return {
    temporaryPath: files.temporaryPath,
    keep,
    remove: files.remove,
    /** @param fetch writes the blob to a path, or throws */
    async use<T>(
      digest: string,
      fetch: (path: string) => Promise<void>,
      act: (path: string) => Promise<T>,
    ): Promise<T> {
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
