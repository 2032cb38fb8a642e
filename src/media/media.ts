import { rmSync } from "node:fs";
import { availableParallelism } from "node:os";
import { setImmediate as otherWork } from "node:timers/promises";
import type { ApiClient } from "../api/client.ts";
import type { LinkBook } from "../api/links.ts";
import type { Config } from "../config.ts";
import { eachLimited } from "../lib/concurrency.ts";
import { type Problem, type Reporter, silent } from "../lib/reporter.ts";
import type { MediaKind, Routes } from "../routes/table.ts";
import type { MediaEntry } from "../store/media.ts";
import type { Media } from "../store/records.ts";
import type { SnapshotManifest } from "../store/snapshots.ts";
import type { Store } from "../store/store.ts";
import { createBudget } from "./budget.ts";
import { encoderVersions } from "./encode.ts";
import { createFailures } from "./failures.ts";
import {
  countWanted,
  recipeOf,
  type Verdict,
  verdictOf,
  type WantedItem,
  wantedItems,
} from "./jobs.ts";
import { createMint, linkOf } from "./mint.ts";
import { createOriginals, expectedBytes, type Fetched } from "./original.ts";
import { entryOf, examineFile, FileError, type Made } from "./outcome.ts";
import { createRenderer } from "./render.ts";

export interface MediaOptions {
  store: Store;
  /** The snapshot whose files are wanted. */
  manifest: SnapshotManifest;
  client: ApiClient;
  config: Config;
  routes: Routes;
  /** Signed links that the crawl has seen; missing ones are had by listing again. */
  links: LinkBook;
  reporter?: Reporter;
  /** No new item is begun after this; those underway are finished. */
  signal?: AbortSignal;
  now?: () => Date;
}

/** What a run of the media stage did. */
export interface MediaResult {
  /** Items of the snapshot that have a file, or should. */
  wanted: number;
  upToDate: number;
  /** Files. */
  downloaded: number;
  /** Originals whose renditions were made. */
  encoded: number;
  /** Of the downloads. */
  bytes: number;
  /** Items without a link, or all where `media.originals` is off. */
  skipped: number;
  problems: Problem[];
}

interface Job {
  item: WantedItem;
  entry: MediaEntry | undefined;
  verdict: Verdict;
}

/** Pixels of all pictures that are worked on at a time; a larger one runs alone. */
const pixelBudget = 50_000_000;
const syncEveryItems = 50;
const syncEveryMs = 2_000;
/** Up-to-date items between two looks at signals and timers. */
const batch = 1_000;

const singular: Record<MediaKind, string> = {
  images: "image",
  videos: "video",
  documents: "document",
  audio: "audio",
};

/**
 * Brings the files of a snapshot into the store: downloads the originals that are new or whose record changed,
 * and makes the renditions of images. What is there already and was made with the same settings costs a look
 * into the media index; other settings, a new encoding of the stored original. An item that fails keeps its
 * previous entry and becomes a problem; `outcome.ts` lists what is a failure.
 *
 * @throws ApiError when the credentials are refused, a budget is used up, or the origin stopped answering
 */
export async function runMedia(options: MediaOptions): Promise<MediaResult> {
  const { store, manifest, client, config, routes, links, signal } = options;
  const { reporter = silent, now = () => new Date() } = options;
  const reader = store.reader(manifest);
  const result: MediaResult = {
    wanted: countWanted(reader, config),
    upToDate: 0,
    downloaded: 0,
    encoded: 0,
    bytes: 0,
    skipped: 0,
    problems: [],
  };
  if (!config.media.originals) {
    reporter.info("media.originals is off: no files are downloaded");
    return { ...result, skipped: result.wanted };
  }

  const { blobs } = store;
  const mint = createMint({ client, routes, links, reader });
  const originals = createOriginals({ client, links, mint, blobs });
  const slots = Math.min(availableParallelism() + 1, 4);
  const renderer = createRenderer(config.media, blobs, createBudget(slots, pixelBudget));
  const versions = encoderVersions();
  const recipes = new Map<MediaKind, string>();
  const progress = reporter.stage("media", result.wanted);
  const failures = createFailures(signal);
  const started = now().getTime();
  let synced = started;
  let unsynced = 0;

  /** Items that need work; counts and passes over the others. */
  async function* jobs(): AsyncGenerator<Job> {
    let passed = 0;
    for (const item of wantedItems(reader, config)) {
      if (signal?.aborted) break;
      const entry = store.media.get(item.kind, item.id);
      const verdict = verdictOf(item, entry, recipeFor(item.kind), blobs.has);
      if (verdict !== "current") {
        yield { item, entry, verdict };
        continue;
      }
      result.upToDate++;
      if (++passed < batch) continue;
      progress.advance(passed);
      passed = 0;
      await otherWork();
    }
    progress.advance(passed);
  }

  async function work(job: Job): Promise<void> {
    if (signal?.aborted) return;
    try {
      await bring(job);
      failures.succeeded();
    } catch (error) {
      const failure = failures.reasonOf(error);
      if (failure === undefined) return;
      addProblem(job, failure);
    }
    progress.advance();
    progress.note(note());
    if (++unsynced >= syncEveryItems || now().getTime() - synced >= syncEveryMs) sync();
  }

  async function bring({ item, entry, verdict }: Job): Promise<void> {
    const record: Media = reader.read(item.kind, { id: item.id, digest: item.record }).normal;
    if (verdict === "encode" && entry !== undefined && (await renew(item, record, entry))) return;
    if (linkOf(item.kind, record) === undefined) {
      result.skipped++;
      return;
    }
    const take = async (file: Fetched): Promise<void> => {
      result.downloaded++;
      result.bytes += file.bytes;
      try {
        const made = await examine(item, record, entry, file);
        // What is there under this name was found damaged where an encoding of it was tried first.
        const damaged = verdict === "encode" || !blobs.has(file.sha256, file.bytes);
        if (damaged) blobs.adopt(file.path, file.sha256);
        store.media.put(entryOf(item, record, file.sha256, recipeFor(item.kind), made));
      } finally {
        rmSync(file.path, { force: true });
      }
    };
    try {
      await take(await originals.fetch(item, record));
    } catch (error) {
      const final = !(error instanceof FileError) || error.final;
      if (final || expectedBytes(item, record) !== undefined) throw error;
      // A file of unknown size can have been cut on its way.
      await take(await originals.fetchOnce(item));
    }
  }

  async function examine(
    item: WantedItem,
    record: Media,
    previous: MediaEntry | undefined,
    file: Fetched,
  ): Promise<Made> {
    if (item.kind !== "images") return examineFile(item, record, file);
    const reused = await renderer.reuse(file.sha256, file, recipeFor(item.kind), previous);
    return reused ?? (await renderer.render(file.sha256, file));
  }

  /** New renditions of the original in the store; false where that turns out to be damaged. */
  async function renew(item: WantedItem, record: Media, entry: MediaEntry): Promise<boolean> {
    const { blob, type } = entry.original;
    if (item.kind !== "images") {
      store.media.put({ ...entry, recipe: recipeFor(item.kind) });
      return true;
    }
    try {
      const made = await renderer.render(blob, { path: blobs.pathOf(blob), type });
      store.media.put(entryOf(item, record, blob, recipeFor(item.kind), made));
      return true;
    } catch (error) {
      if (error instanceof FileError && !error.final) return false;
      throw error;
    }
  }

  function recipeFor(kind: MediaKind): string {
    let recipe = recipes.get(kind);
    if (recipe === undefined) {
      recipe = recipeOf(kind, config.media, versions);
      recipes.set(kind, recipe);
    }
    return recipe;
  }

  function addProblem({ item, entry }: Job, failure: Pick<Problem, "reason" | "hint">): void {
    const subject = `${singular[item.kind]} ${item.id}`;
    const problem = { ...failure, subject, reason: `${failure.reason}${fateOf(entry)}` };
    result.problems.push(problem);
    reporter.problem(problem);
  }

  /** What became of the previous original, as an addition to a reason. */
  function fateOf(entry: MediaEntry | undefined): string {
    if (entry === undefined) return "";
    const { blob, bytes } = entry.original;
    if (blobs.has(blob, bytes)) return " (kept the previous original)";
    return " (the previous original is missing from the store, or damaged)";
  }

  function note(): string {
    const seconds = (now().getTime() - started) / 1000;
    const rate = seconds > 0 ? `, ${(renderer.encoded / seconds).toFixed(1)} images/s` : "";
    return `${(result.bytes / 1e6).toFixed(1)} MB${rate}`;
  }

  function sync(): void {
    store.sync();
    synced = now().getTime();
    unsynced = 0;
  }

  try {
    // As many as can be encoded, and the downloads of the next ones meanwhile.
    await eachLimited(jobs(), slots + config.crawl.concurrency, work);
  } finally {
    sync();
    progress.end(note());
  }
  return { ...result, encoded: renderer.encoded };
}
