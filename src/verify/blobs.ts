import { existsSync, readdirSync } from "node:fs";
import { basename, join } from "node:path";
import { setImmediate as otherWork } from "node:timers/promises";
import { walkSorted } from "../lib/files.ts";
import type { Finding } from "../publish/check.ts";
import { mediaKinds } from "../routes/table.ts";
import type { Blobs } from "../store/blobs.ts";
import type { MediaEntry } from "../store/media.ts";
import type { SnapshotReader } from "../store/reader.ts";
import { mediaListsOf } from "../store/snapshots.ts";
import type { Store } from "../store/store.ts";
import type { Digests } from "./digests.ts";

const digestForm = /^[0-9a-f]{64}$/;
const folderForm = /^[0-9a-f]{2}$/;

/** Paths of the blobs that are not what their names say, relative to the folder of blobs. */
export async function* damagedBlobs(folder: string, digests: Digests, onBlob = () => {}) {
  for (const path of blobPaths(folder)) {
    onBlob();
    await otherWork();
    const name = basename(path);
    if (!digestForm.test(name) || digests.of(join(folder, path)) !== name) yield path;
  }
}

function* blobPaths(folder: string): Generator<string> {
  const names = existsSync(folder) ? readdirSync(folder).sort() : [];
  for (const name of names) if (folderForm.test(name)) yield* walkSorted(folder, name);
}

/** Checks the media index for every item of a snapshot, and whether its files are there in their sizes. */
export function checkMedia(store: Pick<Store, "media" | "blobs">, snapshot: SnapshotReader) {
  const check = {
    items: 0,
    /** Missing blobs, and those of another size. */
    findings: [] as Finding[],
    /** Items that the media index does not know in this form. */
    without: 0,
  };
  for (const kind of mediaKinds) {
    for (const list of mediaListsOf(kind)) {
      for (const ref of snapshot.refs(list)) {
        check.items++;
        const entry = store.media.get(kind, ref.id);
        const absent = store.media.absence(kind, ref.id)?.record === ref.digest;
        if (entry?.record !== ref.digest && !absent) check.without++;
        if (entry !== undefined) check.findings.push(...checkFiles(entry, store.blobs));
      }
    }
  }
  return check;
}

function* checkFiles(entry: MediaEntry, blobs: Pick<Blobs, "has">): Generator<Finding> {
  // Several slots often share one file.
  const files = [entry.original, ...entry.renditions].map((one) => [one.blob, one.bytes] as const);
  for (const [blob, bytes] of new Map(files)) {
    if (blobs.has(blob, bytes)) continue;
    const path = `store/blobs/${blob.slice(0, 2)}/${blob}`;
    yield { path, reason: `is missing or not of ${bytes} bytes, for ${entry.kind}/${entry.id}` };
  }
}
