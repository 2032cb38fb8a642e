import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { noPages } from "../crawl/index-walk.ts";
import { readable } from "../errors.ts";
import { append } from "../lib/many.ts";
import { writeSealed } from "../lib/sealed.ts";
import { parents } from "../routes/table.ts";
import type { SnapshotReader } from "../store/reader.ts";
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
  writeSealed(headOf(store), { snapshot, complete });
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

/**
 * Saves the rest of the latest snapshot as an incomplete one, without what is lost; articles and galleries that may lack
 * an attachment list are unsettled. The next crawl asks for all of that.
 */
export function saveWithoutLost(store: Store, latest: SnapshotManifest, lost: Lost[], time: Date) {
  const { snapshots } = store;
  const lists: Record<string, ListManifest> = { ...latest.lists };
  // Shows the lists as they become.
  const reader = store.reader({ ...latest, lists });
  for (const name of new Set(lost.map(({ list }) => list))) {
    const own = lost.filter(({ list }) => list === name);
    const parts = new Set(own.flatMap((one) => ("part" in one ? [one.part] : [])));
    const ids = new Set(own.flatMap((one) => ("ref" in one ? [one.ref.id] : [])));
    const refs = [...reader.refs(name, parts)].filter(({ id }) => !ids.has(id));
    lists[name] = snapshots.saveList({ ...(lists[name] as ListManifest), refs });
  }
  const left = lost.filter(({ list }) => list === "images.retracted");
  if (left.length > 0) {
    const refs = imagesThatLeft(store, reader, left);
    lists["images.retracted"] = snapshots.saveList({ ...noPages, refs });
    store.sync();
  }
  const unsettled = [...reader.refs("unsettled"), ...unsettledBy(reader, lost)];
  if (unsettled.length > 0) {
    const refs = new Map(unsettled.map((ref) => [ref.id, ref])).values();
    lists.unsettled = snapshots.saveList({ ...noPages, refs });
  }
  const { format: _, id: __, ...rest } = latest;
  const draft = { ...rest, time: time.toISOString(), complete: false, lists };
  const { manifest } = snapshots.commit(draft);
  // The last complete snapshot was damaged: nothing may be looked up in it.
  writeHead(store.folder, manifest.id);
}

/**
 * The images that had left the public index, which no crawl can find out again. An id is enough; if ids are lost, every
 * image in no index counts as one.
 */
function imagesThatLeft(store: Store, reader: SnapshotReader, lost: readonly Lost[]) {
  const left = [...reader.refs("images.retracted")];
  for (const one of lost) {
    if ("part" in one) append(left, reader.refs("images.unlisted"));
    else left.push(nothingBut(store, one.ref.id));
  }
  return new Map(left.map((ref) => [ref.id, ref])).values();
}

/** A record that has only the id of an image. */
function nothingBut(store: Store, id: string): Ref {
  const result = normalise("images", { id }, "auto");
  if ("error" in result) throw new RangeError(`${id} is no id of an image: ${result.error}`);
  return { id, digest: store.objects.put("images", id, result.normal, JSON.stringify({ id })) };
}

function unsettledBy(reader: SnapshotReader, lost: readonly Lost[]): Ref[] {
  const concerned = lost.filter(({ list }) => list === "attachments" || list === "unsettled");
  const isAnyone = concerned.some((one) => "part" in one);
  // The list of attachments `articles/7f3c/images` belongs to `articles/7f3c`.
  const names = new Set(
    concerned.flatMap((one) => ("ref" in one ? [one.ref.id.split("/").slice(0, 2).join("/")] : [])),
  );
  return parents
    .flatMap((parent) =>
      Array.from(reader.refs(parent), ({ id, digest }) => ({ id: `${parent}/${id}`, digest })),
    )
    .filter(({ id }) => isAnyone || names.has(id));
}
