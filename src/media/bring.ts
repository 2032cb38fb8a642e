import { rmSync, writeFileSync } from "node:fs";
import { sha256 } from "../lib/digest.ts";
import { plainMembers } from "../lib/objects.ts";
import type { MediaEntry, Rendition } from "../store/media.ts";
import { locateMediaLink, membersOfItem } from "../store/media-link.ts";
import type { Media } from "../store/records.ts";
import type { MediaContext } from "./context.ts";
import { isCut } from "./cut.ts";
import { frameOf, isReadable } from "./ffmpeg.ts";
import { identifyFile, isBlank, reasonOf } from "./inspect.ts";
import { isRendered, type Job, type WantedItem, wantedItems } from "./jobs.ts";
import type { Made } from "./made.ts";
import { isUnspecific } from "./magic.ts";
import { movieFacts } from "./movie.ts";
import { AbsentError, type Fetched, OriginalError, Originals } from "./original.ts";
import { doubtOf, entryOf, hasWrongSize, settleDoubt } from "./outcome.ts";
import type { SourceFile } from "./render.ts";
import { orFromWeb } from "./web-version.ts";

const isPoster = ({ slot, format }: Rendition): boolean => slot === "web" && format === "jpeg";

/** After this many files that came twice in the same wrong size, a wrong size is no reason to ask twice. */
const patience = 3;
/** Originals whose renditions are remembered. */
const remembered = 1_000;

/** Brings the files of items into the store. */
export class Bringer {
  readonly #context: MediaContext;
  readonly #originals: Originals;
  #wrongSizes = 0;
  /** Of earlier runs; undefined until it is asked for. */
  #storedWrongSizes: number | undefined;
  readonly #made = new Map<string, Promise<Made>>();

  constructor(context: MediaContext) {
    this.#context = context;
    this.#originals = new Originals(context);
  }

  /**
   * Does a job. If the origin has no file, the store notes that and keeps the previous one. `denied` tells whether the
   * origin was asked for it now.
   *
   * @throws OriginalError, ApiError, and what the decoders and the file system throw
   */
  async bring(job: Job): Promise<{ denied: boolean }> {
    const { reader, store } = this.#context;
    const { kind, id, record: digest } = job.item;
    const record: Media = reader.read(kind, { id, digest }).normal;
    try {
      await this.#follow(job, record);
      return { denied: false };
    } catch (error) {
      if (!(error instanceof AbsentError)) throw error;
      if (job.entry?.recheckFailed) store.media.put({ ...job.entry, recheckFailed: undefined });
      const { message: reason, asked } = error;
      store.media.putAbsence(kind, id, { record: digest, reason, asked });
      return { denied: asked };
    }
  }

  async #follow(job: Job, record: Media): Promise<void> {
    const { item, verdict } = job;
    if (verdict === "recheck") return await this.#recheck(job, record);
    const entry = verdict === "encode" && (await this.#renew(job, record));
    if (entry) {
      // Each run tells of a failed recheck until one succeeds.
      return entry.recheckFailed ? await this.#recheck({ ...job, entry }, record) : undefined;
    }
    this.#requireLink(item, record);
    this.#context.tally.checked++;
    await this.#take(job, record, await this.#download(item, record));
  }

  /** The entry with new renditions of the original in the store; undefined if the original is damaged. */
  async #renew({ item, entry }: Job, record: Media): Promise<MediaEntry | undefined> {
    const { recipesFor, store } = this.#context;
    if (entry === undefined) return undefined;
    const { blob, type } = entry.original;
    const made =
      item.kind === "images"
        ? await this.#render({ type, sha256: blob, recorded: record }, entry)
        : await store.blobs.use(blob, (path) => this.#lookAt(item, path, type));
    if (made.flaw?.damaged && entry.renditions.length > 0) {
      // The origin may send the same file whole.
      this.#made.delete(blob);
      return undefined;
    }
    const { recheckFailed, validators } = entry;
    const same = { sha256: blob, name: entry.original.name, validators };
    const all = await orFromWeb(item, record, made, this.#context);
    const renewed = { ...entryOf(item, record, same, recipesFor(item.kind), all), recheckFailed };
    store.media.put(renewed);
    return renewed;
  }

  /** Asks the origin for another file under a record that did not change. */
  async #recheck(job: Job, record: Media): Promise<void> {
    const { rechecks, store, tally } = this.#context;
    const { item, entry } = job;
    if (entry === undefined) return;
    tally.rechecked++;
    tally.checked++;
    const { validators = {}, original } = entry;
    const file = await this.#originals.fetch(item, record.bytes, validators);
    if (file === undefined) rechecks.answered();
    else {
      if (file.sha256 !== original.blob) return await this.#take(job, record, file);
      if (entry.validators !== undefined) rechecks.repeated();
      rmSync(file.path, { force: true });
    }
    tally.upToDate++;
    const known = file === undefined ? validators : file.validators;
    store.media.put({ ...entry, validators: known, recheckFailed: undefined });
  }

  /** @throws AbsentError where the record names no file, OriginalError where no member is known to name it */
  #requireLink({ kind, id, record: digest }: WantedItem, record: Media): void {
    const { reader, config, tally } = this.#context;
    const { origin } = config;
    if (record.download !== null || (kind === "images" && record.web !== null)) return;
    tally.skipped++;
    const object: unknown = JSON.parse(reader.readRaw({ id, digest }));
    const { state } = locateMediaLink(kind, object, origin);
    if (state === "empty" || (origin.mediaLink === null && kind !== "images")) {
      throw new AbsentError("the origin names no file for it", { asked: false });
    }
    const members = membersOfItem(object).join(", ");
    throw new OriginalError(
      `none of its members is recognised as the link to its file: ${members}`,
      'set origin.mediaLink to the member with the address of the file, such as "links.file", or to null where there is none',
    );
  }

  async #download(item: WantedItem, { bytes }: Media): Promise<Fetched> {
    // Without validators, there always is one.
    return (await this.#originals.fetch(item, bytes)) as Fetched;
  }

  /** Keeps a file as the item's. One that looks wrong is downloaded again: the transfer can have damaged it. */
  async #take(job: Job, record: Media, first: Fetched): Promise<void> {
    const { item } = job;
    const files = [first];
    try {
      let made = await this.#examine(job, record, first);
      const doubt = doubtOf(item, record, made, first, this.#sizesTell);
      if (doubt === undefined || (doubt.kind === "size" && this.#wrongSizes >= patience)) {
        return await this.#keep(item, record, first, made);
      }
      const second = await this.#download(item, record);
      files.push(second);
      const same = second.sha256 === first.sha256;
      if (!same) made = await this.#examine(job, record, second);
      else if (doubt.kind === "size") this.#wrongSizes++;
      settleDoubt(
        job,
        record,
        { made, same },
        doubtOf(item, record, made, second, this.#sizesTell),
      );
      await this.#keep(item, record, second, made);
    } finally {
      for (const { path } of files) rmSync(path, { force: true });
    }
  }

  /** Whether the sizes in records say anything: not where whole files came in others, in this run or before. */
  readonly #sizesTell = (): boolean => {
    const { reader, config, store } = this.#context;
    this.#storedWrongSizes ??= [...wantedItems(reader, config)].filter(({ kind, id }) =>
      hasWrongSize(store.media.get(kind, id)),
    ).length;
    return this.#wrongSizes + this.#storedWrongSizes < patience;
  };

  /** The entry comes last: until then the previous one holds, with all of its files. */
  async #keep(item: WantedItem, record: Media, file: Fetched, made: Made): Promise<void> {
    const { store, recipesFor, since } = this.#context;
    const all = await orFromWeb(item, record, made, this.#context);
    // A blob of this name may be damaged.
    await store.blobs.put(file.path, file.sha256);
    const entry = entryOf(item, record, file, recipesFor(item.kind), all);
    store.media.put(entry, since);
  }

  async #examine({ item, entry }: Job, recorded: Media, file: Fetched): Promise<Made> {
    const blank = await isBlank(file.path);
    const isImage = item.kind === "images";
    const isSaid = file.type !== undefined && !isUnspecific(file.type);
    const type = isSaid ? file.type : this.#recordedType(item);
    const made = isImage
      ? await this.#render({ ...file, type, recorded }, entry)
      : await this.#lookAt(item, file.path, type);
    return { ...made, blank, cut: await isCut(file.path, made.facts.type) };
  }

  /** What a file is that is no image, and a frame of a video where there is a program for it. */
  async #lookAt({ kind }: WantedItem, path: string, said: string | undefined): Promise<Made> {
    const { config, store, renderer } = this.#context;
    const { ffmpeg } = config.media;
    const facts = await identifyFile(path, said);
    const movie = await movieFacts(path, facts.type);
    const made = { facts: { ...facts, movie }, renditions: [], remarks: [] };
    if (ffmpeg === null || kind !== "videos" || !isReadable(facts.type)) return made;
    const file = { program: ffmpeg, type: facts.type, path };
    const frame = await frameOf(file, movie.seconds).catch(reasonOf);
    if (typeof frame === "string") return { ...made, remarks: [`no poster: ${frame}`] };
    const target = store.blobs.temporaryPath();
    try {
      writeFileSync(target, frame);
      const { renditions } = await renderer.make({ path: target, sha256: sha256(frame) });
      return { ...made, renditions: renditions.filter(isPoster) };
    } finally {
      rmSync(target, { force: true });
    }
  }

  /** The content type that a record names; undefined where it names none. */
  #recordedType({ id, record: digest }: WantedItem): string | undefined {
    const members = plainMembers<unknown>(JSON.parse(this.#context.reader.readRaw({ id, digest })));
    const named = ["mimetype", "contenttype", "mime", "type"].map((name) => members.get(name));
    return named.find((type): type is string => /^[a-z]+\/[\w.+-]{1,100}$/.test(String(type)));
  }

  /** Items of the same bytes share what is made of them. */
  #render(file: SourceFile, entry?: MediaEntry): Promise<Made> {
    const known = this.#made.get(file.sha256);
    if (known !== undefined) return known;
    const making = this.#make(file, entry);
    this.#made.set(file.sha256, making);
    if (this.#made.size > remembered) this.#made.delete(this.#made.keys().next().value as string);
    return making;
  }

  async #make(file: SourceFile, entry?: MediaEntry): Promise<Made> {
    const { tally, recipesFor, renderer, store } = this.#context;
    // It was tried already with the present settings, as when only its record's words changed.
    const isHeld =
      entry?.original.blob === file.sha256 &&
      (await isRendered(entry, recipesFor(entry.kind), store.blobs.has));
    const held = isHeld ? entry : undefined;
    const made = await renderer.make(file, held);
    if (made.flaw === undefined && held === undefined) tally.encoded++;
    return made;
  }
}
