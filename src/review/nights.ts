import { rmSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Catalogue } from "../catalogue/catalogue.ts";
import { type Change, changesBetween, fates } from "../changes/changes.ts";
import { type ChangeCounts, count } from "../changes/print.ts";
import type { Config } from "../config.ts";
import { keyOf } from "../lib/digest.ts";
import { createDecoders, type Decoders } from "../media/decoders.ts";
import { planVariant } from "../media/variants.ts";
import type { MediaEntry } from "../store/media.ts";
import { snapshotIds } from "../store/snapshots.ts";
import type { Store } from "../store/store.ts";
import { csvText } from "./csv.ts";
import { type DeskRecord, deskFolder, readDeskFile } from "./folder.ts";

/** The changes between a snapshot and the one before it. */
export interface Night {
  id: string;
  /** ISO 8601 in UTC. */
  time: string;
  before: { id: string; time: string };
  counts: ChangeCounts;
  total: number;
  /** As many of each fate as a page shows. */
  items: Change[];
  /** The pictures of images with another original by image; null where a file is not kept any more. */
  pictures: Record<string, Record<"before" | "after", string | null>>;
}

/** What a desk is made from. */
export interface Ground {
  out: string;
  store: Store;
  config: Config;
  /** The publish root. */
  root: string;
  catalogue: Catalogue;
  last: DeskRecord | undefined;
}

/** Nights that the desk shows. */
export const maxNights = 10;
/** Items of each fate that a page shows. */
const listed = 100;
/** Images of one night that are shown before and after. */
const maxPictures = 30;
/** Pixels. */
const pictureWidth = 480;

export const nightPath = (id: string, ending: string): string => `changes/${id}.${ending}`;

/** Ids of the snapshots up to the published one that are still there, the last first. */
export function shownSnapshots(store: string, published: string): string[] {
  const ids = snapshotIds(store);
  return ids.slice(0, ids.indexOf(published) + 1).reverse();
}

/** The last nights, latest first, with their files. A night before the last one is read from the last desk. */
export async function readNights(ground: Ground, files: Map<string, string | Uint8Array>) {
  const { store, catalogue } = ground;
  const ids = shownSnapshots(store.folder, catalogue.snapshot.manifest.id);
  const [last, ...older] = ids.slice(0, maxNights + 1);
  const nights: Night[] = [];
  const keys: DeskRecord["nights"] = {};
  const makePicture = pictureMaker(ground, files);
  try {
    let id = last;
    for (const before of older) {
      if (id === undefined) break;
      const key = keyOf(before, id, ground.config.crawl.volatile.join());
      const isKnown = id !== last && ground.last?.nights[id] === key;
      const known = isKnown ? keptNight(ground, id, files) : undefined;
      nights.push(known ?? (await makeNight(ground, before, id, { files, makePicture })));
      keys[id] = key;
      id = before;
    }
  } finally {
    await makePicture.close();
  }
  return { nights, keys };
}

function keptNight({ out, last }: Ground, id: string, files: Map<string, string | Uint8Array>) {
  if (last === undefined) return undefined;
  const [json, csv] = ["json", "csv"].map((ending) =>
    readDeskFile(out, last, nightPath(id, ending)),
  );
  if (json === undefined || csv === undefined) return undefined;
  const night = JSON.parse(json) as Night;
  if (picturesOf(night).some((path) => !(path in last.files))) return undefined;
  files.set(nightPath(id, "csv"), csv);
  return night;
}

type PictureMaker = ReturnType<typeof pictureMaker>;

async function makeNight(
  { store, config, root, catalogue }: Ground,
  from: string,
  id: string,
  { files, makePicture }: { files: Map<string, string | Uint8Array>; makePicture: PictureMaker },
): Promise<Night> {
  const { media, snapshots, reader } = store;
  const [before, after] = [snapshots.load(from), snapshots.load(id)];
  const night: Night = {
    id,
    time: after.time,
    before: { id: from, time: before.time },
    counts: {},
    total: 0,
    items: [],
    pictures: {},
  };
  const rows = [["What", "Kind", "Title", "Changed", "Reason", "Page", "At the origin"]];
  const taken = new Map<string, number>();
  const readers = { before: reader(before), after: reader(after) };
  for (const change of changesBetween({ ...readers, media, config, root })) {
    const { kind, what, title, fields, reason = "", page } = change;
    const view = namedView(catalogue, change.view);
    count(night.counts, change);
    night.total++;
    const names = fields.map(({ name }) => name).join(", ");
    rows.push([
      what,
      kind,
      title,
      names,
      reason,
      page === null ? "" : `public/${page}`,
      view ?? "",
    ]);
    taken.set(what, (taken.get(what) ?? 0) + 1);
    if ((taken.get(what) ?? 0) <= listed) night.items.push({ ...change, view });
  }
  const rank = ({ what }: Change): number => fates.length - fates.indexOf(what);
  night.items.sort((a, b) => rank(a) - rank(b));
  for (const [image, { before: old, after: now }] of media.replaced("images", from, id)) {
    const isListed = night.items.some((one) => one.kind === "images" && one.id === image);
    const isShown = catalogue.shows("images", image) && old.blob !== now.blob;
    if (!isListed || !isShown || Object.keys(night.pictures).length >= maxPictures) continue;
    night.pictures[image] = { before: await makePicture(old), after: await makePicture(now) };
  }
  files.set(nightPath(id, "csv"), csvText(rows));
  return night;
}

/** A page of the origin that may be named; others are not asked for. */
function namedView({ mayName }: Catalogue, view: string | null): string | null {
  return view !== null && /^https?:\/\//i.test(view) && mayName(view) ? view : null;
}

/** Makes small pictures of originals, in a process of their own, when the first is asked for. */
function pictureMaker({ store, config }: Ground, files: Map<string, string | Uint8Array>) {
  let decoders: Decoders | undefined;
  async function make({ blob, bytes, type }: MediaEntry["original"]): Promise<string | null> {
    const path = `pictures/${blob.slice(0, 32)}.jpg`;
    if (files.has(path)) return path;
    if (!store.blobs.has(blob, bytes)) return null;
    decoders ??= createDecoders({ slots: 1 });
    const target = store.blobs.temporaryPath();
    try {
      const source = store.blobs.pathOf(blob);
      const { image } = await decoders.inspect(source, type);
      if (image === undefined) return null;
      const wish = { ...config.media, formats: ["jpeg" as const] };
      const plans = [planVariant(image, { width: pictureWidth }, wish)];
      await decoders.render({
        path: source,
        image,
        plans,
        settings: config.media,
        targets: [target],
      });
      files.set(path, await readFile(target));
      return path;
    } catch {
      // A picture that cannot be decoded is told in words.
      return null;
    } finally {
      rmSync(target, { force: true });
    }
  }
  return Object.assign(make, { close: async () => decoders?.close() });
}

/** The pictures of nights, taken over from the last desk unless a night has made them anew. */
export async function keepPictures(
  { out, last }: Pick<Ground, "out" | "last">,
  nights: readonly Night[],
  files: Map<string, string | Uint8Array>,
): Promise<void> {
  for (const path of nights.flatMap(picturesOf)) {
    if (files.has(path) || last?.files[path] === undefined) continue;
    files.set(path, await readFile(join(deskFolder(out), path)));
  }
}

/** Paths of a night's pictures in the desk. */
function picturesOf({ pictures }: Night): string[] {
  const paths = Object.values(pictures).flatMap(({ before, after }) => [before, after]);
  return paths.filter((path) => path !== null);
}
