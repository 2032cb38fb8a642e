import { rmSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import type { Config } from "../config.ts";
import { keyOf } from "../lib/digest.ts";
import type { MediaEntry } from "../store/media.ts";
import { locateMediaLink, type MediaLinkOrigin, membersOfItem } from "../store/media-link.ts";
import type { SnapshotReader } from "../store/reader.ts";
import type { Media } from "../store/records.ts";
import type { Store } from "../store/store.ts";
import { isBlank } from "./blank.ts";
import { encoderVersions } from "./encode.ts";
import type { FetchedFiles } from "./fetched.ts";
import { type Job, type Recipes, recipeOf, type WantedItem } from "./jobs.ts";
import { linkOf } from "./mint.ts";
import type { Fetched, Originals } from "./original.ts";
import { AbsentError, UnknownLinkError } from "./original-error.ts";
import { checkFile, entryOf, FileError, isPage, lookAtFile, type Made } from "./outcome.ts";
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
  /** See `recipesOf`. */
  recipesFor: (kind: WantedItem["kind"]) => Recipes;
  origin: MediaLinkOrigin;
  /** Counted up. */
  tally: Tally;
}

/** Makes the function that does one job: afterwards the item's file and its renditions are in the store. */
export function createBringer(options: BringerOptions): (job: Job) => Promise<void> {
  const { reader, store, originals, fetched, renderer, rechecks, recipesFor, origin, tally } =
    options;
  const { blobs } = store;

  /** Where the origin has no file, that is kept, and what was there before stays. */
  async function bring(job: Job): Promise<void> {
    const { kind, id, record } = job.item;
    try {
      await bringFile(job);
    } catch (error) {
      if (!(error instanceof AbsentError)) throw error;
      if (job.entry?.recheckFailed) put({ ...job.entry, recheckFailed: undefined });
      store.media.putAbsence(kind, id, { record, reason: error.message, asked: error.asked });
    }
  }

  async function bringFile(job: Job): Promise<void> {
    const { item, entry, verdict } = job;
    const record: Media = reader.read(item.kind, { id: item.id, digest: item.record }).normal;
    if (verdict === "recheck") return await recheck(job, record);
    const renewed = verdict === "encode" ? await renew(job, record) : undefined;
    if (renewed?.recheckFailed) return await recheck({ ...job, entry: renewed }, record);
    if (renewed !== undefined) return;
    const waiting = fetched.find(item, entry);
    if (waiting === undefined && linkOf(item.kind, record) === undefined) {
      tally.skipped++;
      throw withoutLink(item);
    }
    await takeOrAskAgain(job, record, waiting ?? (await download(item, record)));
  }

  /** A file can have suffered on its way: what cannot stand for the item is asked for once more. */
  async function takeOrAskAgain(job: Job, record: Media, first: Fetched): Promise<void> {
    try {
      await take(job, record, first);
    } catch (error) {
      if (!(error instanceof FileError) || error.final) throw error;
      const second = await download(job.item, record);
      const same = second.sha256 === first.sha256;
      const settled = second.settled && (same || second.delimited !== "close");
      await take(job, record, { ...second, settled, same }, true);
    }
  }

  /** Whether the origin says that there is no file, or nobody knows where it says it. */
  function withoutLink({ kind, id, record }: WantedItem): Error {
    const object: unknown = JSON.parse(reader.readRaw({ id, digest: record }));
    const { state } = locateMediaLink(kind, object, origin);
    if (state === "empty" || (origin.mediaLink === null && kind !== "images")) {
      return new AbsentError("the origin names no file for it");
    }
    const members = membersOfItem(object).join(", ");
    return new UnknownLinkError(
      `none of its members is recognised as the link to its file: ${members}`,
    );
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
  async function take(
    { item, entry }: Job,
    record: Media,
    file: Fetched,
    again = false,
  ): Promise<void> {
    try {
      const made = await examine(item, entry, file);
      const { settled, same = false } = file;
      checkFile(item, record, made, { settled, same, again, blank: isBlank(file.path) });
      keepBetter(record, entry, made);
      // Also where it is there: one under this name may have been found damaged.
      blobs.adopt(file.path, file.sha256);
      store.media.put(entryOf(item, record, file, recipesFor(item.kind), made));
    } catch (error) {
      if (error instanceof FileError || error instanceof AbsentError) fetched.drop(item, file);
      throw error;
    }
  }

  /**
   * @throws AbsentError where a picture is held that the origin gives only damaged by now: it may be half written. A
   *   file of another kind is taken where it has its record's size
   * @throws FileError where a file is held in whose place the origin gives a page
   */
  function keepBetter({ bytes }: Media, held: Job["entry"], { facts, flaw }: Made): void {
    if (isPage(facts) && facts.bytes !== bytes && held && !isPage(held.original)) {
      throw new FileError(`the origin answered ${facts.type} instead of the file it had`, {
        final: true,
      });
    }
    const other = facts.bytes === bytes && !facts.type.startsWith("image/");
    if (!flaw?.damaged || other || !held?.renditions.length) return;
    throw new AbsentError(`the origin's file is now damaged: ${flaw.reason}`, {
      asked: true,
    });
  }

  async function examine(item: WantedItem, previous: Job["entry"], file: Fetched): Promise<Made> {
    if (item.kind !== "images") return lookAtFile(file);
    const { plain } = recipesFor(item.kind);
    const reused = await renderer.reuse(file.sha256, file, plain, previous);
    return reused ?? (await renderer.render(file.sha256, file));
  }

  /** The entry with new renditions of the original in the store; undefined where there is none, or a damaged one. */
  async function renew({ item, entry }: Job, record: Media): Promise<MediaEntry | undefined> {
    if (entry === undefined) return undefined;
    const recipes = recipesFor(item.kind);
    if (item.kind !== "images") return put({ ...entry, recipe: recipes.plain });
    const { blob, type } = entry.original;
    const { recheckFailed } = entry;
    const made = await renderer.render(blob, { path: blobs.pathOf(blob), type });
    // What could be decoded before has suffered in the store.
    if (made.flaw?.damaged && entry.renditions.length > 0) return undefined;
    const renewed = entryOf(item, record, { ...entry, sha256: blob }, recipes, made);
    return put(recheckFailed ? { ...renewed, recheckFailed } : renewed);
  }

  function put(entry: MediaEntry): MediaEntry {
    if (!isDeepStrictEqual(entry, store.media.get(entry.kind, entry.id))) store.media.put(entry);
    return entry;
  }

  /** Asks whether the origin has another file by now, under a record that did not change. */
  async function recheck(job: Job, record: Media): Promise<void> {
    const { item, entry } = job;
    if (entry === undefined) return;
    const known = entry.original.blob;
    tally.rechecked++;
    const { validators = {} } = entry;
    const file = await originals.fetchUnless(item, record, validators, known);
    if (file === undefined) {
      rechecks.answered();
      tally.upToDate++;
      return confirm(entry, validators);
    }
    if (file.sha256 !== known) return await takeOrAskAgain(job, record, keep(item, file));
    if (entry.validators !== undefined) rechecks.repeated();
    tally.upToDate++;
    count(file);
    rmSync(file.path, { force: true });
    confirm(entry, file.validators);
  }

  /** The origin's file is the known one; where its validators are as well, nothing is written. */
  function confirm(entry: MediaEntry, validators: MediaEntry["validators"]): void {
    store.media.putAbsence(entry.kind, entry.id, undefined);
    if (!entry.recheckFailed && isDeepStrictEqual(validators, entry.validators)) return;
    store.media.put({ ...entry, validators, recheckFailed: undefined });
  }

  return bring;
}

/** The recipes of each kind under a configuration. */
export function recipesOf(media: Config["media"]): (kind: WantedItem["kind"]) => Recipes {
  const versions = encoderVersions();
  const known = new Map<WantedItem["kind"], Recipes>();
  return (kind) => {
    let recipes = known.get(kind);
    if (recipes === undefined) {
      const plain = recipeOf(kind, media, versions);
      recipes = { plain, limited: keyOf(plain, String(media.limitPixels)) };
      known.set(kind, recipes);
    }
    return recipes;
  };
}
