import { join } from "node:path";
import { nodeDisk } from "../lib/disk.ts";
import { settleFolder } from "../lib/files.ts";
import { openBlobFolder } from "./blob-folder.ts";
import { joinBlobs } from "./blobs.ts";
import type { SegmentLogOptions } from "./log.ts";
import { openMediaIndex } from "./media.ts";
import { openObjects } from "./objects.ts";
import { openPrepared } from "./prepared.ts";
import { openReader, type SnapshotReader } from "./reader.ts";
import { openShared } from "./shared-place.ts";
import { openSnapshots, type SnapshotManifest } from "./snapshots.ts";

/** Everything that is kept between runs; `out/store` on disk. */
export type Store = ReturnType<typeof openStore>;

/** Folder of what is worked out of a store's records. */
export const preparedFolder = (store: string): string => join(store, "prepared");

/**
 * Opens a store, or begins one. The lock of the output folder sees to it that only one process writes.
 *
 * @param options.readOnly changes nothing on disk, and does not see what another run adds later
 * @throws StoreError when what is there is damaged
 * @throws ConfigError for wrong settings of the place that it shares
 */
export function openStore(folder: string, options: SegmentLogOptions = {}) {
  const { readOnly = false, disk = nodeDisk } = options;
  if (!readOnly) {
    settleFolder(folder, disk);
    disk.closeToOthers(folder);
  }
  const objects = openObjects(join(folder, "objects"), options);
  const snapshots = openSnapshots(join(folder, "snapshots"), options);
  const own = openBlobFolder(join(folder, "blobs"), options);
  const blobs = joinBlobs(own, openShared(folder, { readOnly })?.blobs);
  const media = openMediaIndex(join(folder, "media"), options);
  const prepared = openPrepared(preparedFolder(folder), options);
  return {
    folder,
    objects,
    snapshots,
    blobs,
    media,
    prepared,
    reader: (manifest: SnapshotManifest): SnapshotReader =>
      openReader({ objects, snapshots, prepared }, manifest),
    /** Makes everything written so far durable. */
    sync(): void {
      objects.sync();
      media.sync();
    },
    close(): void {
      objects.close();
      snapshots.close();
      media.close();
      void blobs.close();
    },
  };
}

/** Opens a store for as long as `use` works with it. @throws as `openStore` */
export async function withStore<T>(
  folder: string,
  options: SegmentLogOptions,
  use: (store: Store) => T | Promise<T>,
): Promise<T> {
  const store = openStore(folder, options);
  try {
    return await use(store);
  } finally {
    store.close();
  }
}
