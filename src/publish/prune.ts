import { readdirSync, rmSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { draftFolder } from "../crawl/crawl.ts";
import { neededByDraft } from "../crawl/draft.ts";
import { readable } from "../errors.ts";
import { walkSorted } from "../lib/files.ts";
import { mediaKinds } from "../routes/table.ts";
import { compactLog } from "../store/compact.ts";
import type { ListName } from "../store/list-names.ts";
import { subjectOf } from "../store/media.ts";
import {
  mediaListsOf,
  olderFirst,
  type SnapshotManifest,
  snapshotIds,
} from "../store/snapshots.ts";
import { openStore, type Store } from "../store/store.ts";
import { describedBuilds, surplusBuilds } from "./builds.ts";
import { blobsOf } from "./canaries.ts";
import { readKeptFiles } from "./kept.ts";
import { readBuildManifest } from "./manifest.ts";
import { outputPaths } from "./swap.ts";

/** What is kept beside what readers see, the newest complete snapshot, and those that a rollback leads to. */
export interface Retention {
  /** Newest snapshots. */
  snapshots: number;
  /** Snapshots that are no older; undefined where age is no reason to keep one. */
  days: number | undefined;
  /** Builds before the published one. */
  builds: number;
}

/** Something that can be freed. */
export interface Surplus {
  what: string;
  count: number;
  /** On disk: a file that something else shares costs nothing. */
  bytes: number;
  free: () => void;
}

type Needed = ReturnType<typeof findNeeded>;

/**
 * Finds what no kept snapshot, build or unfinished crawl needs. It is to be freed in the order of the rows: a crash
 * leaves nothing that names what is gone. The caller holds the lock of the output folder.
 *
 * @throws StoreError where the store is damaged
 */
export function findSurplus(out: string, retention: Retention, now: Date): Surplus[] {
  const folder = outputPaths(out).store;
  const builds = surplusBuilds(out, retention.builds);
  const needed = findNeeded(out, builds.kept, retention, now);
  const freedBy = countFreed();
  const files = (what: string, paths: readonly string[], count = paths.length): Surplus => {
    const bytes = paths.reduce((sum, path) => sum + freedBy(path), 0);
    const free = () => {
      for (const path of paths) rmSync(path, { recursive: true, force: true });
    };
    return { what, count, bytes, free };
  };
  const lines = (what: string, log: string, wanted: (key: string) => boolean): Surplus => {
    const found = compactLog(join(folder, log), { wanted, dryRun: true });
    return { what, ...found, free: () => compactLog(join(folder, log), { wanted, dryRun: false }) };
  };
  const manifests = snapshotIds(folder)
    .filter((id) => !needed.snapshots.includes(id))
    .map((id) => join(folder, "snapshots", `${id}.json`));
  const [oldest = ""] = needed.snapshots;
  const isItemNeeded = (key: string): boolean => {
    const { item, since } = subjectOf(key);
    return needed.items.has(item) && (since === undefined || olderFirst(oldest, since) < 0);
  };
  return [
    files("snapshots", manifests),
    files("builds", [...builds.lists, ...builds.folders], builds.folders.length),
    lines("list parts", "snapshots/parts", (key) => needed.parts.has(key)),
    lines("objects", "objects", (key) => needed.objects.has(key)),
    lines("media entries", "media", isItemNeeded),
    files("originals and renditions", surplusBlobs(join(folder, "blobs"), needed.blobs)),
    files("unfinished files", [...leftovers(out), ...leftovers(folder)]),
  ];
}

function findNeeded(out: string, builds: ReadonlySet<string>, retention: Retention, now: Date) {
  const { store: folder, builds: buildsFolder } = outputPaths(out);
  const store = openStore(folder);
  try {
    const draft = neededByDraft(draftFolder(store));
    const shown = describedBuilds(out).filter(({ build }) => builds.has(build));
    const named = [
      store.snapshots.latest()?.id,
      store.snapshots.latestComplete()?.id,
      draft.snapshot,
      ...shown.map(({ snapshot }) => snapshot),
    ];
    const needed = {
      /** Ids, the oldest first. */
      snapshots: keptSnapshots(snapshotIds(folder), new Set(named), retention, now),
      /** Keys of pieces of lists. */
      parts: new Set<string>(),
      /** Digests. */
      objects: draft.objects,
      /** Items with a file, such as `images/{id}`. */
      items: new Set<string>(),
      /** SHA-256. */
      blobs: new Set<string>(),
    };
    for (const id of needed.snapshots) addSnapshot(needed, store, store.snapshots.load(id));
    for (const build of builds) {
      // What cannot be read names nothing, and repair removes it.
      const kept = readable(() => readKeptFiles(out, build));
      const built = readable(() => readBuildManifest(join(buildsFolder, build)));
      for (const { sha256 } of [kept, built].flatMap((files) => [...(files?.values() ?? [])])) {
        needed.blobs.add(sha256);
      }
    }
    return needed;
  } finally {
    store.close();
  }
}

/** @param ids the oldest first */
function keptSnapshots(
  ids: readonly string[],
  named: ReadonlySet<unknown>,
  { snapshots, days }: Retention,
  now: Date,
): string[] {
  const since = days === undefined ? undefined : new Date(now.getTime() - days * 86_400_000);
  // As ids are made of times.
  const first = since?.toISOString().slice(0, 19).replaceAll(":", "-");
  return ids.filter(
    (id, at) =>
      named.has(id) ||
      at >= ids.length - snapshots ||
      (first !== undefined && olderFirst(first, id) <= 0),
  );
}

/** Adds what a snapshot names. Its parts are read once, however many snapshots share them. */
function addSnapshot(needed: Needed, store: Store, manifest: SnapshotManifest): void {
  const { objects, snapshots, media } = store;
  for (const [list, { parts }] of Object.entries(manifest.lists)) {
    const kind = mediaKinds.find((one) => mediaListsOf(one).includes(list as ListName));
    const added = parts.filter((key) => !needed.parts.has(key));
    for (const { id, digest } of snapshots.refs({ parts: added })) {
      needed.objects.add(digest);
      if (kind !== undefined) {
        needed.items.add(`${kind}/${id}`);
        for (const blob of blobsOf(media.get(kind, id))) needed.blobs.add(blob);
      }
      if (list === "attachments") {
        for (const [, item] of objects.readNormal(list, digest).items) needed.objects.add(item);
      }
      if (list === "tombstones") needed.objects.add(objects.readNormal(list, digest).last);
    }
    for (const key of added) needed.parts.add(key);
  }
}

function surplusBlobs(folder: string, needed: ReadonlySet<string>): string[] {
  const surplus: string[] = [];
  for (const path of walkSorted(folder)) {
    // Beside them lies what waits to become one.
    if (/^[0-9a-f]{2}\//.test(path) && !needed.has(basename(path)))
      surplus.push(join(folder, path));
  }
  return surplus;
}

/** What killed processes left beside the files that they wrote. */
function leftovers(folder: string): string[] {
  const names = readdirSync(folder).filter((name) => /\.\d+\.tmp$/.test(name));
  return names.map((name) => join(folder, name));
}

/** Tells what is freed by removing a path after those asked about before: a file has its bytes until its last name is gone. */
function countFreed(): (path: string) => number {
  const removed = new Map<number, number>();
  const freedByFile = (path: string): number => {
    const { ino, nlink, size } = statSync(path);
    const names = (removed.get(ino) ?? 0) + 1;
    removed.set(ino, names);
    return names >= nlink ? size : 0;
  };
  return (path) => {
    if (!statSync(path).isDirectory()) return freedByFile(path);
    let bytes = 0;
    for (const file of walkSorted(path)) bytes += freedByFile(join(path, file));
    return bytes;
  };
}
