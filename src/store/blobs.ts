import { existsSync, statSync } from "node:fs";
import { linkOrCopy, syncFile } from "../lib/files.ts";
import type { BlobFolder } from "./blob-folder.ts";
import type { BlobPlace } from "./blob-place.ts";

/** The blobs of a store: those of its own folder, and those of the place that it shares with other machines. */
export type Blobs = ReturnType<typeof joinBlobs>;

/** Where there is a shared place, new blobs go there. */
export function joinBlobs(own: BlobFolder, shared?: BlobPlace) {
  const main: BlobPlace = shared ?? own;
  return {
    own,
    shared,
    async has(digest: string, bytes: number): Promise<boolean> {
      return (await own.has(digest, bytes)) || (shared?.has(digest, bytes) ?? false);
    },
    async hasStill(digest: string, bytes: number): Promise<boolean> {
      return (await own.hasStill(digest, bytes)) || (shared?.hasStill(digest, bytes) ?? false);
    },
    /** See BlobPlace. */
    async use<T>(digest: string, act: (path: string) => Promise<T>): Promise<T> {
      return await (own.holds(digest) ? own : main).use(digest, act);
    },
    temporaryPath: main.temporaryPath,
    put: main.put,
    /** Lets all machines see a blob, of which a file is here or nowhere else. */
    async share(digest: string, file?: string): Promise<void> {
      const path = file ?? own.pathOf(digest);
      if (!existsSync(path) || (await main.has(digest, statSync(path).size))) return;
      const copy = main.temporaryPath();
      await linkOrCopy(path, copy);
      await syncFile(copy);
      await main.put(copy, digest);
    },
    close: async (): Promise<void> => await shared?.close(),
  };
}
