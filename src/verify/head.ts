import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { readable } from "../errors.ts";
import { writeDurably } from "../lib/files.ts";
import { sealed } from "../lib/sealed.ts";
import type { Finding } from "../publish/check.ts";
import { openSnapshots, type SnapshotManifest, snapshotIds } from "../store/snapshots.ts";
import type { Store } from "../store/store.ts";
import { lostOf } from "./snapshots.ts";

const snapshotsOf = (store: string): string => join(store, "snapshots");
const headOf = (store: string): string => join(snapshotsOf(store), "latest.json");

/** Makes a snapshot the latest one. @param complete the newest complete one, where that is another */
export function writeHead(store: string, snapshot: string, complete?: string): void {
  writeDurably(headOf(store), sealed({ snapshot, complete }));
}

/**
 * Makes the head name the newest readable snapshot if it names none. Returns the paths of damaged snapshots, the id
 * that the head was given (null: none is left), and whether the newest snapshot is lost.
 */
export function settleHead(store: string) {
  const snapshots = openSnapshots(snapshotsOf(store));
  try {
    const whole: SnapshotManifest[] = [];
    const damaged: string[] = [];
    let fellBack = false;
    for (const id of snapshotIds(store)) {
      const manifest = readable(() => snapshots.load(id));
      fellBack = manifest === undefined;
      if (manifest === undefined) damaged.push(join(snapshotsOf(store), `${id}.json`));
      else whole.push(manifest);
    }
    const newest = whole.at(-1);
    const hadHead = existsSync(headOf(store));
    const both = readable(() => ({ one: snapshots.latest(), two: snapshots.latestComplete() }));
    if ((hadHead && both !== undefined) || (!hadHead && newest === undefined)) {
      return { damaged, fellBack: false };
    }
    if (newest === undefined) rmSync(headOf(store), { force: true });
    else {
      const complete = whole.findLast((one) => one.complete)?.id;
      writeHead(store, newest.id, newest.complete ? undefined : complete);
    }
    return { damaged, changedTo: newest?.id ?? null, fellBack };
  } finally {
    snapshots.close();
  }
}

/** Lost items that are still missing in the latest snapshot. */
export function lostForGood(store: Store, wanted: SnapshotManifest): Finding[] {
  const latest = store.snapshots.latest();
  const now = latest && store.reader(latest);
  const path = `store/snapshots/${wanted.id}.json`;
  const findings: Finding[] = [];
  for (const lost of lostOf(store, wanted)) {
    if (!("ref" in lost) || now?.digestOf(lost.list, lost.ref.id) !== undefined) continue;
    const reason = `${lost.list}: ${lost.ref.id} was lost, and the origin no longer has it`;
    findings.push({ path, reason });
  }
  return findings;
}
