import { availableParallelism } from "node:os";
import { setImmediate as otherWork } from "node:timers/promises";
import type { ApiClient } from "../api/client.ts";
import { defaultLimits } from "../api/limits.ts";
import type { LinkBook } from "../api/links.ts";
import { raisedAfter } from "../api/time-limit.ts";
import { createTokenCheck } from "../api/token-check.ts";
import type { Config } from "../config.ts";
import { eachLimited } from "../lib/concurrency.ts";
import { type Problem, type Progress, type Reporter, silent } from "../lib/reporter.ts";
import type { Routes } from "../routes/table.ts";
import type { MediaEntry } from "../store/media.ts";
import type { SnapshotReader } from "../store/reader.ts";
import type { SnapshotManifest } from "../store/snapshots.ts";
import type { Store } from "../store/store.ts";
import { Bringer, nothingDone, type Tally } from "./bring.ts";
import { createDecoders, type Decoders } from "./decoders.ts";
import { createFailures, type Failures } from "./failures.ts";
import {
  countWanted,
  type Job,
  type Recipes,
  recipesOf,
  subjectOf,
  verdictOf,
  wantedItems,
} from "./jobs.ts";
import { KindProblems } from "./kind-problems.ts";
import { Mint } from "./mint.ts";
import { createOriginals } from "./original.ts";
import { Rechecks } from "./recheck.ts";
import { RemarkCollector, type Remarks } from "./remarks.ts";

export interface MediaOptions {
  store: Store;
  manifest: SnapshotManifest;
  client: ApiClient;
  config: Config;
  routes: Routes;
  /** Signed links that the crawl has seen; missing ones are had by listing again. */
  links: LinkBook;
  /** Number of the crawl, counted up: which originals are asked for again rolls with it. */
  round?: number;
  reporter?: Reporter;
  /** No new item is begun after this; those underway have `drainMs` to end. */
  signal?: AbortSignal;
  /** Milliseconds that the work on pictures may still go on after the signal; as long as the client's transfers. */
  drainMs?: number;
  now?: () => Date;
}

export interface MediaResult extends Tally {
  /** Items of the snapshot that have a file, or should. */
  wanted: number;
  problems: Problem[];
  /** Of all files of the snapshot, whichever run brought them. */
  remarks: Remarks;
}

const syncEveryItems = 50;
const syncEveryMs = 2_000;
/** Up-to-date items between two looks at signals and timers. */
const batch = 1_000;

/**
 * Brings the files of a snapshot into the store: downloads the originals that are new or whose record changed,
 * and makes the renditions of images. What is there already and was made with the same settings costs a look
 * into the media index; other settings, a new encoding of the stored original. An item that fails keeps its
 * previous entry and becomes a problem; `outcome.ts` lists what is a failure. A share of what is there is asked
 * for again, in case that the origin has replaced a file and left its record alone; where that fails, in each run.
 *
 * @throws ApiError when the credentials are refused, a budget is used up, or the origin stopped answering
 */
export async function runMedia(options: MediaOptions): Promise<MediaResult> {
  const { store, manifest, config, reporter = silent } = options;
  const wanted = countWanted(store.reader(manifest), config);
  if (config.media.originals) return await new MediaRun(options, wanted).run();
  reporter.info("media.originals is off: no files are downloaded");
  const remarks = new RemarkCollector({ active: false, givenUp: false }).remarks();
  return { ...nothingDone, wanted, skipped: wanted, problems: [], remarks };
}

/** One run of the stage: jobs for what needs work, each brought by the `Bringer`, and what is to be said of them. */
class MediaRun {
  readonly #options: MediaOptions;
  readonly #reader: SnapshotReader;
  readonly #recipesFor: (kind: Job["item"]["kind"]) => Recipes;
  readonly #rechecks: Rechecks;
  readonly #remarks: RemarkCollector;
  readonly #failures: Failures;
  readonly #kindProblems: KindProblems;
  readonly #progress: Progress;
  readonly #tally: Tally;
  readonly #problems: Problem[] = [];
  readonly #wanted: number;
  readonly #now: () => Date;
  readonly #started: number;
  #synced: number;
  #unsynced = 0;

  constructor(options: MediaOptions, wanted: number) {
    const { store, manifest, client, config, routes, links, signal } = options;
    const { round = 0, reporter = silent, now = () => new Date() } = options;
    this.#options = options;
    this.#wanted = wanted;
    this.#reader = store.reader(manifest);
    this.#recipesFor = recipesOf(config.media);
    this.#rechecks = new Rechecks(config.crawl, round, links);
    this.#remarks = new RemarkCollector(this.#rechecks);
    this.#failures = createFailures(createTokenCheck({ client, routes }), signal);
    this.#kindProblems = new KindProblems(store.media);
    this.#progress = reporter.stage("media", wanted);
    this.#tally = { ...nothingDone };
    this.#now = now;
    this.#started = now().getTime();
    this.#synced = this.#started;
  }

  async run(): Promise<MediaResult> {
    const { config, signal, drainMs = defaultLimits.drainMs } = this.#options;
    const slots = Math.min(availableParallelism() + 1, 4);
    const drained = signal && raisedAfter(signal, drainMs);
    const decoders = createDecoders({ slots, signal: drained });
    const bringer = this.#bringerWith(decoders);
    try {
      // As many as can be encoded, and the downloads of the next ones meanwhile.
      const limit = slots + config.crawl.concurrency;
      await eachLimited(this.#jobs(), limit, (job) => this.#work(job, bringer));
      const wanted = signal?.aborted ? undefined : wantedItems(this.#reader, config);
      for (const problem of this.#kindProblems.problems(wanted)) this.#tell(problem);
    } finally {
      await decoders.close();
      this.#sync();
      this.#progress.end(this.#note());
    }
    const remarks = this.#remarks.remarks();
    return { ...this.#tally, wanted: this.#wanted, problems: this.#problems, remarks };
  }

  #bringerWith(decoders: Decoders): Bringer {
    const { store, client, config, routes, links } = this.#options;
    const { origin, media } = config;
    const { blobs } = store;
    const reader = this.#reader;
    const mint = new Mint({ client, origin, routes, links, reader });
    const originals = createOriginals({ client, links, mint, blobs });
    const workshop = { media, blobs, decoders };
    const [rechecks, recipesFor, tally] = [this.#rechecks, this.#recipesFor, this.#tally];
    return new Bringer({ reader, store, originals, workshop, rechecks, recipesFor, origin, tally });
  }

  /** Items that need work or are to be asked for again; counts and passes over the others. */
  async *#jobs(): AsyncGenerator<Job> {
    const { store, config, signal } = this.#options;
    let passed = 0;
    for (const item of wantedItems(this.#reader, config)) {
      if (signal?.aborted) break;
      const entry = store.media.get(item.kind, item.id);
      const verdict = this.#verdictOf(item, entry);
      if (verdict !== "current") {
        yield { item, entry, verdict };
        continue;
      }
      this.#remarks.add(item, entry, store.media.absence(item.kind, item.id));
      this.#tally.upToDate++;
      if (++passed < batch) continue;
      this.#progress.advance(passed);
      passed = 0;
      await otherWork();
    }
    this.#progress.advance(passed);
  }

  #verdictOf(item: Job["item"], entry: MediaEntry | undefined): Job["verdict"] | "current" {
    const { media, blobs } = this.#options.store;
    const verdict = verdictOf(item, entry, this.#recipesFor(item.kind), blobs.hasStill);
    if (verdict === "encode") return verdict;
    if (verdict === "current") {
      return entry !== undefined && this.#rechecks.due(item, entry) ? "recheck" : "current";
    }
    const absence = media.absence(item.kind, item.id);
    const absent = absence?.record === item.record && !this.#rechecks.dueAgain(item, absence);
    return absent ? "current" : "download";
  }

  async #work(job: Job, bringer: Bringer): Promise<void> {
    const { store, signal } = this.#options;
    const { item, entry } = job;
    if (signal?.aborted) return;
    try {
      const { denied } = await bringer.bring(job);
      this.#failures.succeeded();
      if (denied && entry === undefined) this.#kindProblems.denied(item);
    } catch (error) {
      const failure = await this.#failures.reasonOf(error);
      if (failure === undefined) return;
      const reason = `${failure.reason}${this.#fateOf(entry)}`;
      if (!this.#kindProblems.takes(item, error))
        this.#tell({ ...failure, subject: subjectOf(item), reason });
      if (job.verdict === "recheck" && entry) store.media.put({ ...entry, recheckFailed: true });
    }
    const { kind, id } = item;
    this.#remarks.add(item, store.media.get(kind, id), store.media.absence(kind, id));
    this.#progress.advance();
    this.#progress.note(this.#note());
    const late = this.#now().getTime() - this.#synced >= syncEveryMs;
    if (++this.#unsynced >= syncEveryItems || late) this.#sync();
  }

  /** What became of the previous original, as an addition to a reason. */
  #fateOf(entry: MediaEntry | undefined): string {
    if (entry === undefined) return "";
    const { blob, bytes } = entry.original;
    if (this.#options.store.blobs.has(blob, bytes)) return " (kept the previous original)";
    return " (the previous original is missing from the store, or damaged)";
  }

  #tell(problem: Problem): void {
    const { reporter = silent } = this.#options;
    this.#problems.push(problem);
    reporter.problem(problem);
  }

  #note(): string {
    const { bytes, encoded } = this.#tally;
    const seconds = (this.#now().getTime() - this.#started) / 1000;
    const rate = seconds > 0 ? `, ${(encoded / seconds).toFixed(1)} images/s` : "";
    return `${(bytes / 1e6).toFixed(1)} MB${rate}`;
  }

  #sync(): void {
    this.#options.store.sync();
    this.#synced = this.#now().getTime();
    this.#unsynced = 0;
  }
}
