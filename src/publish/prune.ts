import { readdirSync, statSync } from "node:fs";
import { rm } from "node:fs/promises";
import { basename, join } from "node:path";
import { draftFolder } from "../crawl/crawl.ts";
import { neededByDraft } from "../crawl/draft.ts";
import { readable } from "../errors.ts";
import { walkSorted } from "../lib/files.ts";
import { otherWork } from "../lib/other-work.ts";
import { mediaKinds } from "../routes/table.ts";
import { compactLog } from "../store/compact.ts";
import type { ListName } from "../store/list-names.ts";
import type { HeldLock } from "../store/lock.ts";
import { subjectOf } from "../store/media.ts";
import { preparedOfOthers } from "../store/prepared.ts";
import {
  mediaListsOf,
  olderFirst,
  type SnapshotManifest,
  snapshotIds,
} from "../store/snapshots.ts";
import { preparedFolder, type Store, withStore } from "../store/store.ts";
import { describeBuilds, keptBuilds, surplusBuilds } from "./builds.ts";
import { filesOf } from "./canaries.ts";
import { readKeptFiles } from "./kept.ts";
import { readBuildManifest } from "./manifest.ts";
import { type Surplus, sharedSurplus } from "./prune-shared.ts";
import { keptSnapshots, type Retention } from "./retention.ts";
import { outputPaths } from "./swap.ts";

type Needed = Awaited<ReturnType<typeof findNeeded>>;

/**
 * Finds what no kept snapshot, build or unfinished crawl needs. It is to be freed in the order of the rows: a crash
 * leaves nothing that names what is gone. Timers and signals have their turn meanwhile.
 *
 * @param lock of the output folder
 * @throws StoreError where the store is damaged
 */
export async function findSurplus(
  out: string,
  retention: Retention,
  now: Date,
  lock: Pick<HeldLock, "ensure" | "disk">,
): Promise<Surplus[]> {
  const folder = outputPaths(out).store;
  const builds = surplusBuilds(out, retention.builds);
  const needed = await findNeeded(out, builds.kept, retention, now);
  const freedBy = countFreed();
  const files = async (what: string, paths: readonly string[], count = paths.length) => {
    let bytes = 0;
    for (const path of paths) bytes += await freedBy(path);
    const free = async () => {
      for (const path of paths) {
        lock.ensure();
        await rm(path, { recursive: true, force: true });
      }
    };
    return { what, count, bytes, free };
  };
  const lines = async (what: string, log: string, wanted: (key: string) => boolean) => {
    const compacted = (dryRun: boolean) =>
      compactLog(join(folder, log), { wanted, dryRun, disk: lock.disk });
    const free = async () => void (await compacted(false));
    return { what, ...(await compacted(true)), free };
  };
  const manifests = snapshotIds(folder)
    .filter((id) => !needed.snapshots.includes(id))
    .map((id) => join(folder, "snapshots", `${id}.json`));
  const blobs = await surplusBlobs(join(folder, "blobs"), needed.blobs);
  const [oldest = ""] = needed.snapshots;
  const isItemNeeded = (key: string): boolean => {
    const { item, since } = subjectOf(key);
    return needed.items.has(item) && (since === undefined || olderFirst(oldest, since) < 0);
  };
  return [
    await files("snapshots", manifests),
    await files("builds", [...builds.lists, ...builds.folders], builds.folders.length),
    await lines("list parts", "snapshots/parts", (key) => needed.parts.has(key)),
    await lines("objects", "objects", (key) => needed.objects.has(key)),
    await lines("media entries", "media", isItemNeeded),
    await files("originals and renditions", blobs),
    ...(await sharedSurplus(folder, needed.blobs, lock.ensure)),
    await files("prepared parts", preparedOfOthers(preparedFolder(folder), needed.parts)),
    await files("unfinished files", [...leftovers(out), ...leftovers(folder)]),
  ];
}

async function findNeeded(
  out: string,
  builds: ReadonlySet<string>,
  retention: Retention,
  now: Date,
) {
  const { store: folder, builds: buildsFolder } = outputPaths(out);
  const ids = snapshotIds(folder);
  const kept = keptSnapshots(ids, retention, now);
  return await withStore(folder, {}, async (store) => {
    const draft = neededByDraft(draftFolder(store));
    const shown = describeBuilds(out, keptBuilds(out)).filter(({ build }) => builds.has(build));
    const named: unknown[] = [
      store.snapshots.latest()?.id,
      store.snapshots.latestComplete()?.id,
      draft.snapshot,
      ...shown.map(({ snapshot }) => snapshot),
    ];
    const needed = {
      /** Ids, the oldest first. */
      snapshots: ids.filter((id) => named.includes(id) || kept.has(id)),
      /** Keys of pieces of lists. */
      parts: new Set<string>(),
      /** Digests. */
      objects: draft.objects,
      /** Items with a file, such as `images/{id}`. */
      items: new Set<string>(),
      /** SHA-256. */
      blobs: new Set<string>(),
    };
    for (const id of needed.snapshots) await addSnapshot(needed, store, store.snapshots.load(id));
    for (const { item, entry } of store.media.entriesBefore(needed.snapshots[0] ?? "")) {
      if (!needed.items.has(item)) continue;
      for (const { blob } of filesOf(entry)) needed.blobs.add(blob);
    }
    for (const build of builds) {
      await otherWork();
      // What cannot be read names nothing, and repair removes it.
      const kept = readable(() => readKeptFiles(out, build));
      const built = readable(() => readBuildManifest(join(buildsFolder, build)));
      for (const { sha256 } of [kept, built].flatMap((files) => [...(files?.values() ?? [])])) {
        needed.blobs.add(sha256);
      }
    }
    return needed;
  });
}

/** Adds what a snapshot names. Its parts are read once, however many snapshots share them. */
async function addSnapshot(needed: Needed, store: Store, manifest: SnapshotManifest) {
  const { objects, snapshots, media } = store;
  for (const [list, { parts }] of Object.entries(manifest.lists)) {
    const kind = mediaKinds.find((one) => mediaListsOf(one).includes(list as ListName));
    for (const part of parts) {
      if (needed.parts.has(part)) continue;
      await otherWork();
      for (const { id, digest } of snapshots.refs({ parts: [part] })) {
        needed.objects.add(digest);
        if (kind !== undefined) {
          needed.items.add(`${kind}/${id}`);
          for (const { blob } of filesOf(media.get(kind, id))) needed.blobs.add(blob);
        }
        if (list === "attachments") {
          for (const [, item] of objects.readNormal(list, digest).items) needed.objects.add(item);
        }
        if (list === "tombstones") needed.objects.add(objects.readNormal(list, digest).last);
      }
      needed.parts.add(part);
    }
  }
}

async function surplusBlobs(folder: string, needed: ReadonlySet<string>): Promise<string[]> {
  const surplus: string[] = [];
  for (const path of walkSorted(folder)) {
    await otherWork();
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
function countFreed(): (path: string) => Promise<number> {
  const removed = new Map<number, number>();
  return async (path) => {
    let bytes = 0;
    for (const below of statSync(path).isDirectory() ? walkSorted(path) : [""]) {
      await otherWork();
      const { ino, nlink, size } = statSync(join(path, below));
      const names = (removed.get(ino) ?? 0) + 1;
      removed.set(ino, names);
      if (names >= nlink) bytes += size;
    }
    return bytes;
  };
}
