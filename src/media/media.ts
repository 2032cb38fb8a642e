import { availableParallelism } from "node:os";
import { setImmediate as otherWork } from "node:timers/promises";
import type { ApiClient } from "../api/client.ts";
import { defaultLimits, raisedAfter } from "../api/limits.ts";
import type { LinkBook } from "../api/links.ts";
import { createPatience, createTokenCheck, lookFor } from "../api/patience.ts";
import type { Config } from "../config.ts";
import { eachLimited } from "../lib/concurrency.ts";
import { type Problem, type Progress, type Reporter, silent } from "../lib/reporter.ts";
import type { Turn } from "../lib/turns.ts";
import type { Routes } from "../routes/table.ts";
import type { MediaEntry } from "../store/media.ts";
import type { SnapshotManifest } from "../store/snapshots.ts";
import type { Store } from "../store/store.ts";
import { Bringer, nothingDone, type Tally } from "./bring.ts";
import { createDecoders } from "./decoders.ts";
import { createFailures } from "./failures.ts";
import { type Job, mediaLists, recipesOf, subjectOf, verdictOf, wantedItems } from "./jobs.ts";
import { createKindProblems } from "./kind-problems.ts";
import { Mint } from "./mint.ts";
import { createOriginals } from "./original.ts";
import { createRechecks } from "./recheck.ts";
import { createRemarks, type Remarks } from "./remarks.ts";

export interface MediaOptions {
  store: Store;
  manifest: SnapshotManifest;
  client: ApiClient;
  config: Config;
  routes: Routes;
  /** Signed links that the crawl has seen. For a missing one, its list is read again. */
  links: LinkBook;
  /** The snapshot that other originals begin with: the manifest's, or what comes after it (`afterSnapshot`). */
  since?: string;
  /** Which unchanged items the crawl has read again: originals are asked for again with them. */
  turn?: Turn;
  reporter?: Reporter;
  /** After this, no new item is begun; those underway have `drainMs` to end. */
  signal?: AbortSignal;
  /** Milliseconds that work on pictures may go on after the signal. The default is that of the client's transfers. */
  drainMs?: number;
}

export interface MediaResult extends Tally {
  /** Items of the snapshot that have a file, or should. */
  wanted: number;
  problems: Problem[];
  /** On all files of the snapshot, those of earlier runs too. */
  remarks: Remarks;
}

/** A power cut costs the work of this time. */
const syncEveryMs = 2_000;
/** Up-to-date items between two looks at signals. */
const batch = 1_000;

/**
 * Brings the files of a snapshot into the store: downloads the originals that are new or whose record changed, and
 * makes the renditions of images. If settings changed, it encodes the stored originals anew. An item that fails keeps
 * its previous entry and becomes a problem; see `outcome.ts`. A share of the other files is rechecked, because an
 * origin can replace a file and leave its record alone.
 *
 * @throws ApiError when the credentials are refused, a budget is used up, or the origin stopped answering
 */
export async function runMedia(options: MediaOptions): Promise<MediaResult> {
  const { manifest, config, reporter = silent } = options;
  const counts = mediaLists(config).map((list) => manifest.lists[list]?.count ?? 0);
  const wanted = counts.reduce((sum, count) => sum + count, 0);
  if (config.media.originals) return { ...(await new MediaRun(options, wanted).run()), wanted };
  reporter.info("media.originals is off: no files are downloaded");
  const remarks = createRemarks({ active: false, givenUp: false }).remarks();
  return { ...nothingDone, wanted, skipped: wanted, problems: [], remarks };
}

/** What the parts of a run work with. */
function toolsOf(options: MediaOptions) {
  const { store, manifest, client, config, routes, links, signal } = options;
  const { reporter = silent, drainMs = defaultLimits.drainMs, since = manifest.id } = options;
  const { turn = { from: 0, to: 0 } } = options;
  const { origin, media } = config;
  const { blobs } = store;
  const reader = store.reader(manifest);
  const tally = { ...nothingDone };
  const rechecks = createRechecks(config.crawl, turn, links);
  const recipesFor = recipesOf(media);
  const slots = Math.min(availableParallelism() + 1, 4);
  const decoders = createDecoders({ slots, signal: signal && raisedAfter(signal, drainMs) });
  const workshop = { media, blobs, decoders };
  const mint = new Mint({ client, origin, routes, links, reader });
  const originals = createOriginals({ client, links, mint, blobs, tally });
  const shared = { store, reader, rechecks, recipesFor, tally, since };
  const look = lookFor({ client, routes });
  const patience = createPatience({ seconds: config.crawl.patience, look, reporter, signal });
  return {
    ...shared,
    config,
    signal,
    reporter,
    decoders,
    /** As many as can be encoded, and the downloads of the next ones meanwhile. */
    itemsAtOnce: slots + config.crawl.concurrency,
    bringer: new Bringer({ ...shared, origin, originals, workshop }),
    remarks: createRemarks(rechecks),
    patience,
    failures: createFailures(createTokenCheck(look), patience, signal),
    kindProblems: createKindProblems(store.media),
  };
}

/** One run of the stage: finds the items that need work, and tells what came of them. */
class MediaRun {
  readonly #tools: ReturnType<typeof toolsOf>;
  readonly #progress: Progress;
  readonly #problems: Problem[] = [];
  readonly #started = performance.now();
  #synced = this.#started;
  #gaveUp = false;

  constructor(options: MediaOptions, wanted: number) {
    this.#tools = toolsOf(options);
    this.#progress = this.#tools.reporter.stage("media", wanted);
  }

  async run(): Promise<Omit<MediaResult, "wanted">> {
    const { config, reader, decoders, kindProblems, remarks, tally, signal } = this.#tools;
    try {
      await eachLimited(this.#jobs(), this.#tools.itemsAtOnce, (job) => this.#work(job));
      const wanted = signal?.aborted ? undefined : wantedItems(reader, config);
      for (const problem of kindProblems.problems(wanted)) this.#tell(problem);
    } finally {
      await decoders.close();
      this.#sync();
      this.#progress.end(this.#note());
    }
    return { ...tally, problems: this.#problems, remarks: remarks.remarks() };
  }

  /** The items that need work or a recheck. Counts the others. */
  async *#jobs(): AsyncGenerator<Job> {
    const { store, config, reader, remarks, tally, signal } = this.#tools;
    let passed = 0;
    for (const item of wantedItems(reader, config)) {
      if (signal?.aborted) return;
      const entry = store.media.get(item.kind, item.id);
      const verdict = this.#verdictOf(item, entry);
      if (verdict !== "current") {
        yield { item, entry, verdict };
        continue;
      }
      remarks.add(item, entry, store.media.absence(item.kind, item.id));
      tally.upToDate++;
      this.#progress.advance();
      if (++passed % batch === 0) await otherWork();
    }
  }

  #verdictOf(item: Job["item"], entry: MediaEntry | undefined): Job["verdict"] | "current" {
    const { store, recipesFor, rechecks } = this.#tools;
    const verdict = verdictOf(item, entry, recipesFor(item.kind), store.blobs.hasStill);
    if (verdict === "encode") return verdict;
    if (verdict === "current") {
      return entry !== undefined && rechecks.due(item, entry) ? "recheck" : "current";
    }
    const absence = store.media.absence(item.kind, item.id);
    const absent = absence?.record === item.record && !rechecks.dueAgain(item, absence);
    return absent ? "current" : "download";
  }

  async #work(job: Job): Promise<void> {
    const { store, bringer, failures, kindProblems, patience, remarks, signal } = this.#tools;
    const { item, entry } = job;
    if (signal?.aborted) return;
    if (patience.isVain() && job.verdict !== "encode") return this.#giveUp();
    try {
      const { denied } = await bringer.bring(job);
      failures.succeeded();
      if (denied && entry === undefined) kindProblems.denied(item);
    } catch (error) {
      const failure = await failures.reasonOf(error);
      if (failure === undefined) return;
      if (failure === "again") return this.#work(job);
      const reason = `${failure.reason}${this.#fateOf(entry)}`;
      if (!kindProblems.takes(item, error))
        this.#tell({ ...failure, subject: subjectOf(item), reason });
      if (job.verdict === "recheck" && entry) store.media.put({ ...entry, recheckFailed: true });
    }
    const { kind, id } = item;
    remarks.add(item, store.media.get(kind, id), store.media.absence(kind, id));
    this.#progress.advance();
    this.#progress.note(this.#note());
    if (performance.now() - this.#synced >= syncEveryMs) this.#sync();
  }

  /** Asks for no more files, after so many failed. */
  #giveUp(): void {
    this.#progress.advance();
    if (this.#gaveUp) return;
    this.#gaveUp = true;
    const reason = "the rest was not asked for, because so many failed in a row";
    this.#tell({
      subject: "files",
      reason,
      hint: "run again later: only what is missing is asked for",
    });
  }

  /** What became of the previous original, to follow a reason. */
  #fateOf(entry: MediaEntry | undefined): string {
    if (entry === undefined) return "";
    const { blob, bytes } = entry.original;
    if (this.#tools.store.blobs.has(blob, bytes)) return " (kept the previous original)";
    return " (the previous original is missing from the store, or damaged)";
  }

  #tell(problem: Problem): void {
    this.#problems.push(problem);
    this.#tools.reporter.problem(problem);
  }

  #note(): string {
    const { bytes, encoded } = this.#tools.tally;
    const seconds = (performance.now() - this.#started) / 1000;
    return `${(bytes / 1e6).toFixed(1)} MB, ${(encoded / seconds).toFixed(1)} images/s`;
  }

  #sync(): void {
    this.#tools.store.sync();
    this.#synced = performance.now();
  }
}
