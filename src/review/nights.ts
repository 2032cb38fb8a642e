import { rmSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Catalogue } from "../catalogue/catalogue.ts";
import { type Change, changesBetween } from "../changes/changes.ts";
import { gather } from "../changes/print.ts";
import type { Config } from "../config.ts";
import { keyOf } from "../lib/digest.ts";
import { csvText } from "../lib/foreign.ts";
import { createDecoders, type Decoders } from "../media/decoders.ts";
import { planVariant } from "../media/variants.ts";
import type { MediaEntry } from "../store/media.ts";
import { snapshotIds } from "../store/snapshots.ts";
import type { Store } from "../store/store.ts";
import { type DeskRecord, deskFolder, readDeskFile } from "./folder.ts";

/** The changes between a snapshot and the one before it. */
export type Night = Awaited<ReturnType<typeof makeNight>>;

/** What a desk is made from. */
export interface Ground {
  out: string;
  store: Store;
  config: Config;
  root: string;
  catalogue: Catalogue;
  last: DeskRecord | undefined;
  /** The files of the desk so far. */
  files: Map<string, string | Uint8Array>;
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
export async function readNights(ground: Ground) {
  const { store, catalogue } = ground;
  const ids = shownSnapshots(store.folder, catalogue.snapshot.manifest.id).slice(0, maxNights + 1);
  const nights: Night[] = [];
  const keys: DeskRecord["nights"] = {};
  const makePicture = pictureMaker(ground);
  try {
    for (const [at, before] of ids.slice(1).entries()) {
      const id = ids[at] as string;
      const key = keyOf(before, id, ground.config.crawl.volatile.join());
      const isKnown = at > 0 && ground.last?.nights[id] === key;
      const known = isKnown ? keptNight(ground, id) : undefined;
      nights.push(known ?? (await makeNight(ground, before, id, makePicture)));
      keys[id] = key;
    }
  } finally {
    await makePicture.close();
  }
  return { nights, keys };
}

function keptNight({ out, last, files }: Ground, id: string): Night | undefined {
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

async function makeNight(
  { store, config, root, catalogue, files }: Ground,
  from: string,
  id: string,
  makePicture: ReturnType<typeof pictureMaker>,
) {
  const { media, snapshots, reader } = store;
  const [before, after] = [reader(snapshots.load(from)), reader(snapshots.load(id))];
  const rows = [["What", "Kind", "Title", "Changed", "Reason", "Page", "At the origin"]];
  function* inRows(): Generator<Change> {
    for (const change of changesBetween({ before, after, media, config, root })) {
      const { kind, what, title, fields, reason = "", page } = change;
      const view = namedView(catalogue, change.view);
      const names = fields.map(({ name }) => name).join(", ");
      const path = page === null ? "" : `public/${page}`;
      rows.push([what, kind, title, names, reason, path, view ?? ""]);
      yield { ...change, view };
    }
  }
  const { counts, total, kept } = gather(inRows(), listed);
  /** As many of each fate as a page shows, the new ones first. */
  const items = kept.reverse().flat();
  /** The pictures of images with another original by image; null where a file is not kept any more. */
  const pictures: Record<string, Record<"before" | "after", string | null>> = {};
  for (const [image, { before: old, after: now }] of media.replaced("images", from, id)) {
    const isListed = items.some((one) => one.kind === "images" && one.id === image);
    const isShown = catalogue.shows("images", image) && old.blob !== now.blob;
    if (!isListed || !isShown || Object.keys(pictures).length >= maxPictures) continue;
    pictures[image] = { before: await makePicture(old), after: await makePicture(now) };
  }
  files.set(nightPath(id, "csv"), csvText(rows));
  const last = { id: from, time: before.manifest.time };
  return { id, time: after.manifest.time, before: last, counts, total, items, pictures };
}

/** A page of the origin that may be named; others are not asked for. */
function namedView({ mayName }: Catalogue, view: string | null): string | null {
  return view !== null && /^https?:\/\//i.test(view) && mayName(view) ? view : null;
}

/** Makes small pictures of originals, in a process of their own, when the first is asked for. */
function pictureMaker({ store, config, files }: Ground) {
  let decoders: Decoders | undefined;
  async function make({ blob, bytes, type }: MediaEntry["original"]): Promise<string | null> {
    const path = `pictures/${blob.slice(0, 32)}.jpg`;
    if (files.has(path)) return path;
    if (!(await store.blobs.has(blob, bytes))) return null;
    const { limitPixels } = config.media;
    decoders ??= createDecoders({ slots: 1, limitPixels, limitMs: 10_000 });
    const pool = decoders;
    const target = store.blobs.temporaryPath();
    try {
      return await store.blobs.use(blob, async (original) => {
        const { image } = await pool.inspect(original, { said: type });
        if (image === undefined) return null;
        const settings = { ...config.media, formats: ["jpeg" as const] };
        const plans = [planVariant(image, { width: pictureWidth }, settings)];
        await pool.render({ path: original, image, plans, settings, targets: [target] });
        files.set(path, await readFile(target));
        return path;
      });
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
export async function keepPictures({ out, last, files }: Ground, nights: readonly Night[]) {
  for (const path of nights.flatMap(picturesOf)) {
    if (files.has(path) || last?.files[path] === undefined) continue;
    files.set(path, await readFile(join(deskFolder(out), path)));
  }
}

function picturesOf({ pictures }: Night): string[] {
  const paths = Object.values(pictures).flatMap(({ before, after }) => [before, after]);
  return paths.filter((path) => path !== null);
}
