import { rm } from "node:fs/promises";
import { basename, dirname, join, relative } from "node:path";
import type { Disk } from "../lib/disk.ts";
import { freePath, makeFolder, syncFolder } from "../lib/files.ts";
import { plural } from "../lib/words.ts";
import type { Finding } from "../publish/check.ts";
import { outputPaths } from "../publish/swap.ts";
import { checkLog, repairLog } from "../store/log-check.ts";
import type { SnapshotManifest } from "../store/snapshots.ts";
import { type Store, withStore } from "../store/store.ts";
import { isLostSince } from "./builds.ts";
import { saveWithoutLost, settleHead } from "./mend-snapshots.ts";
import { checkMedia, lostOf } from "./snapshots.ts";
import { checkShared, Digests, damagedFiles, logFolders } from "./store-files.ts";

export interface MendedStore {
  mended: Finding[];
  /** The stages that fetch again what was lost. */
  stages: ("crawl" | "media")[];
  /** The latest snapshot as it was, if some of what it names is lost. */
  wanted: SnapshotManifest | undefined;
}

/**
 * Makes a damaged store readable without a request, and the latest snapshot one that names nothing that is lost.
 *
 * @param disk of the lock
 */
export async function mendStore(out: string, now: () => Date, disk: Disk): Promise<MendedStore> {
  const folder = outputPaths(out).store;
  const mended: Finding[] = [];
  const tell = (path: string, reason: string): void => {
    mended.push({ path: relative(out, path), reason });
  };
  // For later inspection; an older one of the same name stays, too.
  const setAside = (path: string): void => {
    const damaged = join(folder, "damaged");
    makeFolder(damaged);
    disk.rename(path, freePath(join(damaged, basename(path))));
    syncFolder(damaged);
    syncFolder(dirname(path));
    tell(path, "moved to store/damaged");
  };
  let lostMedia = false;
  for (const log of logFolders(folder)) {
    if (checkLog(log, disk).length === 0) continue;
    const lost = repairLog(log, disk);
    lostMedia ||= lost > 0 && log === join(folder, "media");
    tell(log, `${plural(lost, "damaged line")} taken out`);
  }
  for await (const { path } of damagedFiles(out, new Digests())) setAside(join(out, path));
  const head = settleHead(folder);
  head.damaged.forEach(setAside);
  if (head.changedTo !== undefined) {
    const what =
      head.changedTo === null ? "removed: no snapshot is left" : `names ${head.changedTo}`;
    tell(join(folder, "snapshots", "latest.json"), what);
  }
  return await withStore(folder, { disk }, async (store) => {
    const { shared } = store.blobs;
    const damaged: string[] = [];
    await checkShared(shared, (digest) => damaged.push(digest));
    for (const digest of damaged) {
      await shared?.remove(digest);
      tell(join(out, "shared", digest), "removed: it did not match its name");
    }
    const latest = store.snapshots.latest();
    const lost = latest === undefined ? [] : [...lostOf(store, latest, { full: true })];
    if (latest !== undefined && lost.length > 0) {
      saveWithoutLost(store, latest, lost, now());
      const manifest = join(folder, "snapshots", `${latest.id}.json`);
      tell(manifest, `${lost.length} lost, to be fetched again`);
    }
    if (head.fellBack || lost.length > 0) {
      // It was made of earlier answers, and may name lost objects.
      await rm(join(folder, "draft"), { recursive: true, force: true });
      return { mended, stages: ["crawl", "media"], wanted: lost.length > 0 ? latest : undefined };
    }
    const lacksMedia = latest && (lostMedia || (await lacksFiles(out, store, latest)));
    return { mended, stages: lacksMedia ? ["media"] : [], wanted: undefined };
  });
}

async function lacksFiles(out: string, store: Store, latest: SnapshotManifest) {
  const { findings, without } = await checkMedia(store, store.reader(latest));
  return findings.length > 0 || isLostSince(out, latest.id, without);
}
