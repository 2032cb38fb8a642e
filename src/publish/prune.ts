import { existsSync, lstatSync, readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { draftFolder } from "../crawl/crawl.ts";
import { neededByDraft } from "../crawl/draft.ts";
import { readable } from "../errors.ts";
import { walkSorted } from "../lib/files.ts";
import { type MediaKind, mediaKinds } from "../routes/table.ts";
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

interface Needed {
  /** Ids of snapshots, the oldest first. */
  snapshots: string[];
  /** Keys of pieces of lists. */
  parts: Set<string>;
  /** Digests. */
  objects: Set<string>;
  /** Items with a file, such as `images/{id}`. */
  items: Set<string>;
  /** SHA-256. */
  blobs: Set<string>;
}

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
  const links = new Links();
  const files = (what: string, paths: readonly string[], count = paths.length): Surplus => {
    const bytes = paths.reduce((sum, path) => sum + links.freedBy(path), 0);
    return { what, count, bytes, free: () => paths.forEach(remove) };
  };
  const lines = (what: string, log: string, wanted: (key: string) => boolean): Surplus => {
    const found = compactLog(join(folder, log), { wanted, dryRun: true });
    return { what, ...found, free: () => compactLog(join(folder, log), { wanted, dryRun: false }) };
  };
  const ids = new Set(needed.snapshots);
  const others = snapshotIds(folder).filter((id) => !ids.has(id));
  const [oldest = ""] = needed.snapshots;
  const isItemNeeded = (key: string): boolean => {
    const { item, since } = subjectOf(key);
    return needed.items.has(item) && (since === undefined || olderFirst(oldest, since) < 0);
  };
  return [
    files(
      "snapshots",
      others.map((id) => join(folder, "snapshots", `${id}.json`)),
    ),
    files("builds", [...builds.lists, ...builds.folders], builds.folders.length),
    lines("list parts", "snapshots/parts", (key) => needed.parts.has(key)),
    lines("objects", "objects", (key) => needed.objects.has(key)),
    lines("media entries", "media", isItemNeeded),
    files("originals and renditions", [...surplusBlobs(join(folder, "blobs"), needed.blobs)]),
    files("unfinished files", [...leftovers(out), ...leftovers(folder)]),
  ];
}

function findNeeded(
  out: string,
  builds: ReadonlySet<string>,
  retention: Retention,
  now: Date,
): Needed {
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
    const snapshots = keptSnapshots(snapshotIds(folder), new Set(named), retention, now);
    const needed = { snapshots, parts: new Set<string>(), items: new Set<string>() };
    const all: Needed = { ...needed, objects: draft.objects, blobs: new Set() };
    for (const id of snapshots) addSnapshot(all, store, store.snapshots.load(id));
    addBlobs(all, store);
    for (const build of builds) {
      // What cannot be read names nothing, and repair removes it.
      const files = [
        readable(() => readKeptFiles(out, build)),
        readable(() => readBuildManifest(join(buildsFolder, build))),
      ];
      for (const file of files.flatMap((list) => [...(list?.values() ?? [])]))
        all.blobs.add(file.sha256);
    }
    return all;
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

const kindOfList = new Map<string, MediaKind>(
  mediaKinds.flatMap((kind) =>
    mediaListsOf(kind).map((list): [ListName, MediaKind] => [list, kind]),
  ),
);

/** Adds what a snapshot names. Its parts are read once, however many snapshots share them. */
function addSnapshot(needed: Needed, { objects, snapshots }: Store, manifest: SnapshotManifest) {
  for (const [list, { parts }] of Object.entries(manifest.lists)) {
    const kind = kindOfList.get(list);
    const added = parts.filter((key) => !needed.parts.has(key));
    for (const { id, digest } of snapshots.refs({ parts: added })) {
      needed.objects.add(digest);
      if (kind !== undefined) needed.items.add(`${kind}/${id}`);
      if (list === "attachments") {
        for (const [, item] of objects.readNormal(list, digest).items) needed.objects.add(item);
      }
      if (list === "tombstones") needed.objects.add(objects.readNormal(list, digest).last);
    }
    for (const key of added) needed.parts.add(key);
  }
}

function addBlobs({ items, blobs }: Needed, { media }: Store): void {
  for (const item of items) {
    const kind = item.slice(0, item.indexOf("/")) as MediaKind;
    const entry = media.get(kind, item.slice(kind.length + 1));
    for (const { blob } of entry === undefined ? [] : [entry.original, ...entry.renditions])
      blobs.add(blob);
  }
}

function* surplusBlobs(folder: string, needed: ReadonlySet<string>): Generator<string> {
  for (const name of existsSync(folder) ? readdirSync(folder) : []) {
    if (!/^[0-9a-f]{2}$/.test(name)) continue;
    for (const blob of readdirSync(join(folder, name))) {
      if (!needed.has(blob)) yield join(folder, name, blob);
    }
  }
}

/** What killed processes left beside the files that they wrote. */
function leftovers(folder: string): string[] {
  const names = existsSync(folder) ? readdirSync(folder) : [];
  return names.filter((name) => /\.\d+\.tmp$/.test(name)).map((name) => join(folder, name));
}

function remove(path: string): void {
  rmSync(path, { recursive: true, force: true });
}

/** Which files have no name left after some are removed. */
class Links {
  readonly #removed = new Map<number, number>();

  /** Bytes that become free when a file or folder is removed after those that were asked about before. */
  freedBy(path: string): number {
    const found = lstatSync(path);
    if (!found.isDirectory()) return this.#freedByFile(path);
    let bytes = 0;
    for (const file of walkSorted(path)) bytes += this.#freedByFile(join(path, file));
    return bytes;
  }

  #freedByFile(path: string): number {
    const { ino, nlink, size } = statSync(path);
    const removed = (this.#removed.get(ino) ?? 0) + 1;
    this.#removed.set(ino, removed);
    return removed >= nlink ? size : 0;
  }
}
