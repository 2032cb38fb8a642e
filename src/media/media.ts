import { notAllowed } from "../api/hosts.ts";
import { ApiError } from "../errors.ts";
import { eachLimited } from "../lib/concurrency.ts";
import { otherWork } from "../lib/other-work.ts";
import { type Problem, type Progress, silent } from "../lib/reporter.ts";
import { plural } from "../lib/words.ts";
import type { MediaKind } from "../routes/table.ts";
import type { MediaEntry } from "../store/media.ts";
import { Bringer } from "./bring.ts";
import { contextOf, type MediaContext, type MediaOptions, nothingDone } from "./context.ts";
import { deniedKinds, failureOf } from "./failures.ts";
import { type Job, subjectOf, verdictOf, wantedCounts, wantedItems } from "./jobs.ts";
import { createRemarks, type Remarks } from "./remarks.ts";
import type { JobCounts } from "./renderer.ts";

export type MediaResult = typeof nothingDone & {
  /** Of an engine with workers. */
  jobs?: JobCounts | undefined;
  /** Items of the snapshot that have a file, or should. */
  wanted: number;
  problems: Problem[];
  /** On all files of the snapshot, those of earlier runs too. */
  remarks: Remarks;
};

/** A power cut costs the work of this time. */
const syncEveryMs = 2_000;
/** Up-to-date items between two looks at signals. */
const batch = 1_000;

/**
 * Brings the files of a snapshot into the store: downloads the originals that are new or whose record changed, and
 * makes the renditions of images, anew where settings changed. An item that fails keeps its previous entry and becomes
 * a problem; see `outcome.ts`. Some of the others are rechecked: an origin can replace a file and leave its record alone.
 *
 * @throws ApiError when the credentials are refused, a budget is used up, or the origin stopped answering
 */
export async function runMedia(options: MediaOptions): Promise<MediaResult> {
  const { manifest, config, reporter = silent } = options;
  const counts = wantedCounts(manifest, config);
  const wanted = [...counts.values()].reduce((sum, count) => sum + count, 0);
  if (config.media.originals) {
    const context = contextOf(options);
    const progress = reporter.stage("media", wanted);
    return { ...(await new MediaRun(context, progress).run(counts)), wanted };
  }
  reporter.info("media.originals is off: no files are downloaded");
  const remarks = createRemarks({ active: false, givenUp: false }).remarks();
  return { ...nothingDone, wanted, skipped: wanted, problems: [], remarks };
}

/** One run of the stage: finds the items that need work, and tells what came of them. */
class MediaRun {
  readonly #context: MediaContext;
  readonly #progress: Progress;
  readonly #bringer: Bringer;
  readonly #remarks: ReturnType<typeof createRemarks>;
  readonly #problems: Problem[] = [];
  /** Items of which the origin had no file in this run, nor the store one from before. */
  readonly #denied: Job["item"][] = [];
  /** How many files lie at each host that may not be asked. */
  readonly #elsewhere = new Map<string, number>();
  readonly #started = performance.now();
  #synced = this.#started;
  #gaveUp = false;

  constructor(context: MediaContext, progress: Progress) {
    this.#context = context;
    this.#progress = progress;
    this.#bringer = new Bringer(context);
    this.#remarks = createRemarks(context.rechecks);
  }

  async run(counts: ReadonlyMap<MediaKind, number>): Promise<Omit<MediaResult, "wanted">> {
    const { store, renderer, closeRenderer, tally, itemsAtOnce, signal } = this.#context;
    const { jobs } = renderer;
    try {
      await eachLimited(this.#jobs(), itemsAtOnce, (job) => this.#work(job));
      if (!signal?.aborted) {
        for (const problem of deniedKinds(this.#denied, counts, store.media)) this.#tell(problem);
      }
      for (const [host, count] of this.#elsewhere) {
        const reason = `${plural(count, "file")} not downloaded: host is not in origin.allowHosts`;
        this.#tell({ subject: `files at ${host}`, reason, hint: notAllowed(host).hint });
      }
    } finally {
      await closeRenderer();
      this.#sync();
      this.#progress.end(this.#note());
    }
    return { ...tally, jobs, problems: this.#problems, remarks: this.#remarks.remarks() };
  }

  /** The items that need work or a recheck. Counts the others. */
  async *#jobs(): AsyncGenerator<Job> {
    const { store, config, reader, tally, signal } = this.#context;
    let passed = 0;
    for (const item of wantedItems(reader, config)) {
      if (signal?.aborted) return;
      const entry = store.media.get(item.kind, item.id);
      const verdict = await this.#verdictOf(item, entry);
      if (verdict !== "current") {
        yield { item, entry, verdict };
        continue;
      }
      this.#remarks.add(item, entry, store.media.absence(item.kind, item.id));
      tally.upToDate++;
      this.#progress.advance();
      if (++passed % batch === 0) await otherWork();
    }
  }

  async #verdictOf(
    item: Job["item"],
    entry: MediaEntry | undefined,
  ): Promise<Job["verdict"] | "current"> {
    const { store, recipesFor, rechecks } = this.#context;
    const verdict = await verdictOf(item, entry, recipesFor(item.kind), store.blobs.hasStill);
    if (verdict === "encode") return verdict;
    if (verdict === "current") {
      return entry !== undefined && rechecks.due(item, entry) ? "recheck" : "current";
    }
    const absence = store.media.absence(item.kind, item.id);
    const absent = absence?.record === item.record && !rechecks.dueAgain(item, absence);
    return absent ? "current" : "download";
  }

  async #work(job: Job): Promise<void> {
    const { store, patience, signal } = this.#context;
    const { item, entry } = job;
    if (signal?.aborted) return;
    if (patience.isVain() && job.verdict !== "encode") return this.#giveUp();
    try {
      const { denied } = await this.#bringer.bring(job);
      patience.answered();
      if (denied && entry === undefined) this.#denied.push(item);
    } catch (error) {
      const failure = await failureOf(error, this.#context);
      if (failure === undefined) return;
      if (failure === "again") return this.#work(job);
      const reason = `${failure.reason}${await this.#fateOf(entry)}`;
      const host = error instanceof ApiError ? error.host : undefined;
      if (host === undefined) this.#tell({ ...failure, subject: subjectOf(item), reason });
      else this.#elsewhere.set(host, (this.#elsewhere.get(host) ?? 0) + 1);
      if (job.verdict === "recheck" && entry) store.media.put({ ...entry, recheckFailed: true });
    }
    const { kind, id } = item;
    this.#remarks.add(item, store.media.get(kind, id), store.media.absence(kind, id));
    this.#progress.advance();
    this.#progress.note(this.#note());
    if (performance.now() - this.#synced >= syncEveryMs) this.#sync();
  }

  #giveUp(): void {
    this.#progress.advance();
    if (this.#gaveUp) return;
    this.#gaveUp = true;
    this.#tell({
      subject: "files",
      reason: "the rest was not asked for, because so many failed in a row",
      hint: "run again later: only what is missing is asked for",
    });
  }

  /** What became of the previous original, to follow a reason. */
  async #fateOf(entry: MediaEntry | undefined): Promise<string> {
    if (entry === undefined) return "";
    const { blob, bytes } = entry.original;
    if (await this.#context.store.blobs.has(blob, bytes)) return " (kept the previous original)";
    return " (the previous original is missing from the store, or damaged)";
  }

  #tell(problem: Problem): void {
    this.#problems.push(problem);
    this.#context.reporter.problem(problem);
  }

  #note(): string {
    const { tally, renderer } = this.#context;
    const { bytes, encoded } = tally;
    const seconds = (performance.now() - this.#started) / 1000;
    const rate = renderer.note?.() ?? `${(encoded / seconds).toFixed(1)} images/s`;
    return `${(bytes / 1e6).toFixed(1)} MB, ${rate}`;
  }

  #sync(): void {
    this.#context.store.sync();
    this.#synced = performance.now();
  }
}
