import { join } from "node:path";
import { sha256 } from "../../../src/lib/digest.ts";
import type { Disk } from "../../../src/lib/disk.ts";
import { checkLog } from "../../../src/store/log-check.ts";
import { openStore, type Store } from "../../../src/store/store.ts";
import type { Ledger } from "./ledger.ts";
import { segmentBytes, storeFolder } from "./nights.ts";
import { itemsOf, type Night, nights } from "./origin.ts";

export interface CheckOptions {
  /** What it has as flushed must be there. */
  ledger: Ledger;
  violate: (text: string) => void;
}

/** Opens what a crash left, as a reader and then as the next run, and holds it against the ledger. */
export function checkStore(disk: Disk, options: CheckOptions): void {
  for (const readOnly of [true, false]) {
    const violate = (text: string): void =>
      options.violate(readOnly ? `reading only: ${text}` : text);
    try {
      const store = openStore(storeFolder, { disk, readOnly, segmentBytes });
      compare(store, disk, { ...options, violate });
      store.close();
    } catch (error) {
      violate(describe(error));
    }
  }
  for (const name of ["objects", "media", "snapshots/parts"]) {
    for (const { path, offset, reason } of checkLog(join(storeFolder, name), disk)) {
      options.violate(`after the opening, ${path} has ${reason} at ${offset}`);
    }
  }
}

function compare(store: Store, disk: Disk, { ledger, violate }: CheckOptions): void {
  const kept = ledger.flushed;
  for (const [digest, raw] of ledger.objects) {
    if (store.objects.has(digest)) {
      if (store.objects.readRaw(digest) !== raw) violate(`object ${digest} has another text`);
    } else if (kept.names.has(digest)) violate(`object ${digest} is lost`);
  }
  for (const [id, entries] of ledger.entries) {
    const found = JSON.stringify(store.media.get("images", id));
    const least = kept.entries.get(id) ?? 0;
    const allowed = entries.slice(Math.max(least - 1, 0)).map((entry) => JSON.stringify(entry));
    if (found === undefined && least === 0) continue;
    if (!allowed.includes(found)) violate(`media entry ${id} is ${found ?? "lost"}`);
  }
  for (const [digest, bytes] of ledger.blobs) {
    if (disk.stat(store.blobs.own.pathOf(digest))?.bytes === bytes.length) {
      const content = disk.readFile(store.blobs.own.pathOf(digest));
      if (sha256(content) !== digest) violate(`blob ${digest} has another content`);
    } else if (kept.names.has(digest)) violate(`blob ${digest} is lost`);
  }
  const latest = snapshotText(store);
  const possible = [ledger.committed, ledger.begun].map((night) => expectedTexts[night] ?? "none");
  if (!possible.includes(latest)) violate(`the latest snapshot is another one: ${latest}`);
}

/** Everything in the latest snapshot, as text. */
function snapshotText(store: Store): string {
  const manifest = store.snapshots.latest();
  if (manifest === undefined) return "none";
  const refs = [...store.reader(manifest).refs("tags")];
  const items = refs.map((ref) => [ref.id, store.objects.readRaw(ref.digest)]);
  return JSON.stringify([manifest.time, items]);
}

const rawsOf = (night: Night): string =>
  JSON.stringify(itemsOf(night).map(({ id, raw }) => [id, raw]));

/** The same of each night, as it should be: a quiet one has the snapshot of the one before. */
const expectedTexts = nights.map((night) => {
  const first = nights.find((one) => rawsOf(one) === rawsOf(night));
  return `[${JSON.stringify(first?.time)},${rawsOf(night)}]`;
});

/** All that a store says in the end, to compare it with that of a run that nothing disturbed. */
export function finalState(disk: Disk): string {
  try {
    const store = openStore(storeFolder, { disk, readOnly: true });
    const items = itemsOf(nights.at(-1) as Night);
    const entries = items.map(({ id }) => store.media.get("images", id));
    const blobs = entries.flatMap((entry) => {
      const digests = [entry?.original.blob, ...(entry?.renditions.map(({ blob }) => blob) ?? [])];
      return digests.map((digest) =>
        sha256(disk.readFile(store.blobs.own.pathOf(digest ?? "none"))),
      );
    });
    return JSON.stringify([snapshotText(store), store.media.size, entries, blobs]);
  } catch (error) {
    return describe(error);
  }
}

export function describe(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
