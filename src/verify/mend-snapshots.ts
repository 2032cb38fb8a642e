import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { noPages } from "../crawl/index-walk.ts";
import { readable } from "../errors.ts";
import { writeDurably } from "../lib/files.ts";
import { sealed } from "../lib/sealed.ts";
import { parents } from "../routes/table.ts";
import type { ListName } from "../store/list-names.ts";
import { normalise } from "../store/records.ts";
import {
  type ListManifest,
  openSnapshots,
  type Ref,
  type SnapshotManifest,
  snapshotIds,
} from "../store/snapshots.ts";
import type { Store } from "../store/store.ts";
import type { Lost } from "./snapshots.ts";

const headOf = (store: string): string => join(store, "snapshots", "latest.json");

/** Makes a snapshot the latest one. @param complete the newest complete one, where that is another */
function writeHead(store: string, snapshot: string, complete?: string): void {
  writeDurably(headOf(store), sealed({ snapshot, complete }));
}

/**
 * Makes the head name the newest readable snapshot if it names none. Returns the paths of damaged snapshots, the id
 * that the head was given (null: none is left), and whether the newest snapshot is lost.
 */
export function settleHead(store: string) {
  const folder = join(store, "snapshots");
  const snapshots = openSnapshots(folder);
  try {
    const ids = snapshotIds(store);
    const whole = ids.flatMap((id) => readable(() => snapshots.load(id)) ?? []);
    const damaged = ids
      .filter((id) => !whole.some((one) => one.id === id))
      .map((id) => join(folder, `${id}.json`));
    const newest = whole.at(-1);
    const isSettled = existsSync(headOf(store))
      ? readable(() => [snapshots.latestComplete()]) !== undefined
      : newest === undefined;
    if (isSettled) return { damaged, fellBack: false };
    if (newest === undefined) rmSync(headOf(store), { force: true });
    else {
      const complete = whole.findLast((one) => one.complete)?.id;
      writeHead(store, newest.id, newest.complete ? undefined : complete);
    }
    return { damaged, changedTo: newest?.id ?? null, fellBack: newest?.id !== ids.at(-1) };
  } finally {
    snapshots.close();
  }
}

type Lists = Readonly<Record<string, ListManifest>>;

/**
 * Saves the rest of the latest snapshot as an incomplete one, without what is lost; articles and galleries that may lack
 * an attachment list are outdated. The next crawl asks for all of that.
 */
export function saveWithoutLost(store: Store, latest: SnapshotManifest, lost: Lost[], time: Date) {
  const { snapshots } = store;
  const lists: Record<string, ListManifest> = { ...latest.lists };
  for (const name of new Set(lost.map(({ list }) => list))) {
    const list = latest.lists[name] as ListManifest;
    const own = lost.filter((one) => one.list === name);
    lists[name] = snapshots.saveList({ ...list, refs: refsLeft(store, list, own) });
  }
  const left = lost.filter(({ list }) => list === "images.left");
  if (left.length > 0) {
    const refs = imagesThatLeft(store, lists, left);
    lists["images.left"] = snapshots.saveList({ ...noPages, refs });
    store.sync();
  }
  const outdated = [...refsIn(store, lists.outdated), ...outdatedBy(store, lists, lost)];
  if (outdated.length > 0) {
    const refs = new Map(outdated.map((ref) => [ref.id, ref])).values();
    lists.outdated = snapshots.saveList({ ...noPages, refs });
  }
  const { format: _, id: __, ...rest } = latest;
  const draft = { ...rest, time: time.toISOString(), complete: false, lists };
  const { manifest } = snapshots.commit(draft);
  // The last complete snapshot was damaged: nothing may be looked up in it.
  writeHead(store.folder, manifest.id);
}

function* refsLeft(store: Store, { parts }: ListManifest, lost: readonly Lost[]): Generator<Ref> {
  const lostParts = new Set(lost.flatMap((one) => ("part" in one ? [one.part] : [])));
  const lostIds = new Set(lost.flatMap((one) => ("ref" in one ? [one.ref.id] : [])));
  const left = parts.filter((part) => !lostParts.has(part));
  for (const ref of store.snapshots.refs({ parts: left })) if (!lostIds.has(ref.id)) yield ref;
}

/**
 * The images that had left the public index. No crawl can find that out again. An id is enough; if ids are lost, every
 * image in no index counts as one.
 */
function imagesThatLeft(store: Store, lists: Lists, lost: readonly Lost[]): Iterable<Ref> {
  const refs = new Map<string, Ref>();
  const add = (ref: Ref): unknown => refs.set(ref.id, ref);
  for (const ref of refsIn(store, lists["images.left"])) add(ref);
  for (const one of lost) {
    if ("part" in one) for (const ref of refsIn(store, lists["images.attached"])) add(ref);
    else add(nothingBut(store, one.ref.id));
  }
  return refs.values();
}

/** A record that has only the id of an image. */
function nothingBut(store: Store, id: string): Ref {
  const result = normalise("images", { id }, "auto");
  if ("error" in result) throw new RangeError(`${id} is no id of an image: ${result.error}`);
  return { id, digest: store.objects.put("images", id, result.normal, JSON.stringify({ id })) };
}

function outdatedBy(store: Store, lists: Lists, lost: readonly Lost[]): Ref[] {
  const settling: readonly ListName[] = ["attachments", "outdated"];
  const concerned = lost.filter(({ list }) => settling.includes(list));
  const isAnyone = concerned.some((one) => "part" in one);
  // The list of attachments `articles/7f3c/images` belongs to `articles/7f3c`.
  const names = new Set(
    concerned.flatMap((one) => ("ref" in one ? [one.ref.id.split("/").slice(0, 2).join("/")] : [])),
  );
  const found: Ref[] = [];
  for (const parent of parents) {
    for (const { id, digest } of refsIn(store, lists[parent])) {
      const name = `${parent}/${id}`;
      if (isAnyone || names.has(name)) found.push({ id: name, digest });
    }
  }
  return found;
}

function* refsIn(store: Store, list: ListManifest | undefined): Generator<Ref> {
  if (list !== undefined) yield* store.snapshots.refs(list);
}
