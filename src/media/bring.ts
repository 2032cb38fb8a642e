import { rmSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import type { MediaEntry } from "../store/media.ts";
import { locateMediaLink, type MediaLinkOrigin, membersOfItem } from "../store/media-link.ts";
import type { SnapshotReader } from "../store/reader.ts";
import type { Media } from "../store/records.ts";
import type { Store } from "../store/store.ts";
import { identifyFile, isBlank } from "./inspect.ts";
import type { Job, Recipes, WantedItem } from "./jobs.ts";
import { linkOf } from "./mint.ts";
import type { Fetched, Originals } from "./original.ts";
import { AbsentError, UnknownLinkError } from "./original-error.ts";
import { doubtOf, entryOf, type Made, settleDoubt } from "./outcome.ts";
import type { Rechecks } from "./recheck.ts";
import { renderImage, type SourceFile, type Workshop } from "./render.ts";

export interface Tally {
  /** Whose file and renditions are what they should be, without anything done. */
  upToDate: number;
  /** Asked whether the origin has another file now. */
  rechecked: number;
  /** Files. */
  downloaded: number;
  /** Originals whose renditions were made. */
  encoded: number;
  /** Of the downloads. */
  bytes: number;
  /** Items without a link, or all where `media.originals` is off. */
  skipped: number;
}

export interface BringerOptions {
  reader: SnapshotReader;
  store: Pick<Store, "media" | "blobs">;
  originals: Originals;
  workshop: Workshop;
  rechecks: Rechecks;
  recipesFor: (kind: WantedItem["kind"]) => Recipes;
  origin: MediaLinkOrigin;
  tally: Tally;
}

/** An origin whose sizes were wrong this often, with the same file twice, is not asked twice for a size any more. */
const patience = 3;
/** Originals of which is remembered what was made of them. */
const remembered = 1_000;

export class Bringer {
  readonly #options: BringerOptions;
  #wrongSizes = 0;
  readonly #made = new Map<string, Promise<Made>>();

  constructor(options: BringerOptions) {
    this.#options = options;
  }

  /**
   * Where the origin has no file, that is kept, and what was there before stays.
   *
   * @throws OriginalError, ApiError, and what the decoders and the file system throw
   */
  async bring(job: Job): Promise<void> {
    const { reader, store } = this.#options;
    const { kind, id, record: digest } = job.item;
    const record: Media = reader.read(kind, { id, digest }).normal;
    try {
      if (job.verdict === "recheck") return await this.#recheck(job, record);
      if (job.verdict === "encode" && (await this.#renew(job, record))) {
        const entry = store.media.get(kind, id);
        // That a recheck failed is said in each run until one succeeds.
        return entry?.recheckFailed ? await this.#recheck({ ...job, entry }, record) : undefined;
      }
      this.#requireLink(job.item, record);
      await this.#take(job, record, await this.#download(job.item));
    } catch (error) {
      if (!(error instanceof AbsentError)) throw error;
      if (job.entry?.recheckFailed) this.#put({ ...job.entry, recheckFailed: undefined });
      store.media.putAbsence(kind, id, {
        record: digest,
        reason: error.message,
        asked: error.asked,
      });
    }
  }

  /** New renditions of the original in the store; false where that turns out to be damaged. */
  async #renew({ item, entry }: Job, record: Media): Promise<boolean> {
    const { recipesFor, store } = this.#options;
    if (entry === undefined) return false;
    const recipes = recipesFor(item.kind);
    if (item.kind !== "images") {
      this.#put({ ...entry, recipe: recipes.plain });
      return true;
    }
    const { blob, type } = entry.original;
    const made = await this.#render({ path: store.blobs.pathOf(blob), type, sha256: blob });
    if (made.flaw?.damaged && entry.renditions.length > 0) {
      // The origin may send the same file whole.
      this.#made.delete(blob);
      return false;
    }
    const { recheckFailed } = entry;
    const renewed = entryOf(item, record, { ...entry, sha256: blob }, recipes, made);
    this.#put(recheckFailed ? { ...renewed, recheckFailed } : renewed);
    return true;
  }

  /** Asks whether the origin has another file by now, under a record that did not change. */
  async #recheck(job: Job, record: Media): Promise<void> {
    const { originals, rechecks, tally } = this.#options;
    const { item, entry } = job;
    if (entry === undefined) return;
    tally.rechecked++;
    const { validators = {}, original } = entry;
    const file = await originals.fetchUnless(item, validators);
    if (file === undefined) rechecks.answered();
    else {
      this.#count(file);
      if (file.sha256 !== original.blob) return await this.#take(job, record, file);
      if (entry.validators !== undefined) rechecks.repeated();
      rmSync(file.path, { force: true });
    }
    tally.upToDate++;
    this.#confirm(entry, file === undefined ? validators : file.validators);
  }

  #confirm(entry: MediaEntry, validators: MediaEntry["validators"]): void {
    const { media } = this.#options.store;
    media.putAbsence(entry.kind, entry.id, undefined);
    if (!entry.recheckFailed && isDeepStrictEqual(validators, entry.validators)) return;
    media.put({ ...entry, validators, recheckFailed: undefined });
  }

  /** @throws AbsentError where the origin says that there is no file, UnknownLinkError where nobody knows where it says it */
  #requireLink({ kind, id, record: digest }: WantedItem, record: Media): void {
    const { reader, origin, tally } = this.#options;
    if (linkOf(kind, record) !== undefined) return;
    tally.skipped++;
    const object: unknown = JSON.parse(reader.readRaw({ id, digest }));
    const { state } = locateMediaLink(kind, object, origin);
    if (state === "empty" || (origin.mediaLink === null && kind !== "images")) {
      throw new AbsentError("the origin names no file for it");
    }
    const members = membersOfItem(object).join(", ");
    throw new UnknownLinkError(
      `none of its members is recognised as the link to its file: ${members}`,
      {
        hint: 'set origin.mediaLink to the member with the address of the file, such as "links.file", or to null where there is none',
      },
    );
  }

  async #download(item: WantedItem): Promise<Fetched> {
    const file = await this.#options.originals.fetch(item);
    this.#count(file);
    return file;
  }

  #count({ bytes }: Fetched): void {
    this.#options.tally.downloaded++;
    this.#options.tally.bytes += bytes;
  }

  /** Makes a file the item's. It can have suffered on its way: what looks wrong is asked for once more. */
  async #take(job: Job, record: Media, first: Fetched): Promise<void> {
    const { item, entry } = job;
    const files = [first];
    try {
      let made = await this.#examine(item, first);
      const doubt = doubtOf(item, record, made, first);
      if (doubt === undefined || (doubt.kind === "size" && this.#wrongSizes >= patience)) {
        return this.#keep(item, record, first, made);
      }
      const second = await this.#download(item);
      files.push(second);
      const same = second.sha256 === first.sha256;
      if (!same) made = await this.#examine(item, second);
      else if (doubt.kind === "size") this.#wrongSizes++;
      settleDoubt({ item, record, made, held: entry, same }, doubtOf(item, record, made, second));
      this.#keep(item, record, second, made);
    } finally {
      for (const { path } of files) rmSync(path, { force: true });
    }
  }

  /** The entry comes last: until then the previous one stands, with all of its files. */
  #keep(item: WantedItem, record: Media, file: Fetched, made: Made): void {
    const { store, recipesFor } = this.#options;
    // Also where it is there: one under this name may have been found damaged.
    store.blobs.adopt(file.path, file.sha256);
    store.media.put(entryOf(item, record, file, recipesFor(item.kind), made));
  }

  async #examine({ kind }: WantedItem, file: Fetched): Promise<Made> {
    const blank = await isBlank(file.path);
    if (kind === "images") return { ...(await this.#render(file)), blank };
    const facts = await identifyFile(file.path, file.type);
    return { facts, renditions: [], remarks: [], blank };
  }

  /** Items of the same bytes share what is made of them. */
  #render(file: SourceFile): Promise<Made> {
    const known = this.#made.get(file.sha256);
    if (known !== undefined) return known;
    const making = this.#renderAnew(file);
    this.#made.set(file.sha256, making);
    if (this.#made.size > remembered) this.#made.delete(this.#made.keys().next().value as string);
    return making;
  }

  async #renderAnew(file: SourceFile): Promise<Made> {
    const made = await renderImage(file, this.#options.workshop);
    if (made.flaw === undefined) this.#options.tally.encoded++;
    return made;
  }

  #put(entry: MediaEntry): void {
    const { media } = this.#options.store;
    if (!isDeepStrictEqual(entry, media.get(entry.kind, entry.id))) media.put(entry);
  }
}
