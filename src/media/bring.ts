import { rmSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import type { Config } from "../config.ts";
import { ApiError } from "../errors.ts";
import type { MediaEntry } from "../store/media.ts";
import type { SnapshotReader } from "../store/reader.ts";
import type { Media } from "../store/records.ts";
import type { Store } from "../store/store.ts";
import { encoderVersions } from "./encode.ts";
import type { FetchedFiles } from "./fetched.ts";
import { type Job, recipeOf, type WantedItem } from "./jobs.ts";
import { linkOf } from "./mint.ts";
import { expectedBytes, type Fetched, OriginalError, type Originals } from "./original.ts";
import { entryOf, examineFile, FileError, type Made } from "./outcome.ts";
import type { Rechecks } from "./recheck.ts";
import type { Renderer } from "./render.ts";

/** What was done to bring items, counted. */
export interface Tally {
  /** Whose file and renditions are what they should be, without anything done. */
  upToDate: number;
  /** Asked whether the origin has another file now. */
  rechecked: number;
  /** Files. */
  downloaded: number;
  /** Of the downloads. */
  bytes: number;
  /** Items without a link, or all where `media.originals` is off. */
  skipped: number;
}

export interface BringerOptions {
  reader: SnapshotReader;
  store: Pick<Store, "media" | "blobs">;
  originals: Originals;
  fetched: FetchedFiles;
  renderer: Renderer;
  rechecks: Rechecks;
  /** See `recipes`. */
  recipeFor: (kind: WantedItem["kind"]) => string;
  /** Counted up. */
  tally: Tally;
}

/** Makes the function that does one job: afterwards the item's file and its renditions are in the store. */
export function createBringer(options: BringerOptions): (job: Job) => Promise<void> {
  const { reader, store, originals, fetched, renderer, rechecks, recipeFor, tally } = options;
  const { blobs } = store;

  async function bring(job: Job): Promise<void> {
    const { item, entry, verdict } = job;
    const record: Media = reader.read(item.kind, { id: item.id, digest: item.record }).normal;
    if (verdict === "recheck") return await recheck(job, record);
    const renewed = verdict === "encode" ? await renew(job, record) : undefined;
    if (renewed?.recheckFailed) return await recheck({ ...job, entry: renewed }, record);
    if (renewed !== undefined) return;
    const waiting = fetched.find(item, entry);
    if (waiting === undefined && linkOf(item.kind, record) === undefined) {
      tally.skipped++;
      return;
    }
    try {
      await take(job, record, waiting ?? (await download(item, record)));
    } catch (error) {
      const final = !(error instanceof FileError) || error.final;
      if (final || expectedBytes(item, record) !== undefined) throw error;
      // A file of unknown size can have been cut on its way.
      await take(job, record, await download(item, record));
    }
  }

  async function download(item: WantedItem, record: Media): Promise<Fetched> {
    return keep(item, await originals.fetch(item, record));
  }

  function keep(item: WantedItem, file: Fetched): Fetched {
    count(file);
    return fetched.keep(item, file);
  }

  function count({ bytes }: Fetched): void {
    tally.downloaded++;
    tally.bytes += bytes;
  }

  /** Makes a file the item's. The entry comes last: until then the previous one stands, with all of its files. */
  async function take({ item, entry }: Job, record: Media, file: Fetched): Promise<void> {
    try {
      const made = await examine(item, record, entry, file);
      // Also where it is there: one under this name may have been found damaged.
      blobs.adopt(file.path, file.sha256);
      store.media.put(entryOf(item, record, file, recipeFor(item.kind), made));
    } catch (error) {
      if (error instanceof FileError) fetched.drop(item, file);
      throw error;
    }
  }

  async function examine(
    item: WantedItem,
    record: Media,
    previous: Job["entry"],
    file: Fetched,
  ): Promise<Made> {
    if (item.kind !== "images") return examineFile(item, record, file);
    const reused = await renderer.reuse(file.sha256, file, recipeFor(item.kind), previous);
    return reused ?? (await renderer.render(file.sha256, file));
  }

  /** The entry with new renditions of the original in the store; undefined where there is none, or a damaged one. */
  async function renew({ item, entry }: Job, record: Media): Promise<MediaEntry | undefined> {
    if (entry === undefined) return undefined;
    const recipe = recipeFor(item.kind);
    if (item.kind !== "images") return put({ ...entry, recipe });
    const { blob, type } = entry.original;
    const { recheckFailed } = entry;
    try {
      const made = await renderer.render(blob, { path: blobs.pathOf(blob), type });
      const renewed = entryOf(item, record, { ...entry, sha256: blob }, recipe, made);
      return put(recheckFailed ? { ...renewed, recheckFailed } : renewed);
    } catch (error) {
      if (error instanceof FileError && !error.final) return undefined;
      throw error;
    }
  }

  function put(entry: MediaEntry): MediaEntry {
    store.media.put(entry);
    return entry;
  }

  /** Asks whether the origin has another file by now, under a record that did not change. */
  async function recheck(job: Job, record: Media): Promise<void> {
    const { item, entry } = job;
    if (entry?.validators === undefined) return;
    const known = entry.original.blob;
    tally.rechecked++;
    const file = await originals
      .fetchUnless(item, record, entry.validators, known)
      .catch(asMissing);
    if (file === undefined) {
      rechecks.answered();
      tally.upToDate++;
      return confirm(entry, entry.validators);
    }
    if (file.sha256 !== known) return await take(job, record, keep(item, file));
    rechecks.repeated();
    tally.upToDate++;
    count(file);
    rmSync(file.path, { force: true });
    confirm(entry, file.validators);
  }

  /** The origin's file is the known one; where its validators are as well, nothing is written. */
  function confirm(entry: MediaEntry, validators: MediaEntry["validators"]): void {
    if (!entry.recheckFailed && isDeepStrictEqual(validators, entry.validators)) return;
    store.media.put({ ...entry, validators, recheckFailed: undefined });
  }

  return bring;
}

function asMissing(error: unknown): never {
  const missing = error instanceof ApiError && (error.status === 404 || error.status === 410);
  throw missing ? new OriginalError("the origin no longer has the file", { cause: error }) : error;
}

/** The recipe of each kind under a configuration. */
export function recipes(media: Config["media"]): (kind: WantedItem["kind"]) => string {
  const versions = encoderVersions();
  const known = new Map<WantedItem["kind"], string>();
  return (kind) => {
    const recipe = known.get(kind) ?? recipeOf(kind, media, versions);
    known.set(kind, recipe);
    return recipe;
  };
}
