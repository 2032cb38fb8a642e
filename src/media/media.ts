import { availableParallelism } from "node:os";
import { join } from "node:path";
import { setImmediate as otherWork } from "node:timers/promises";
import type { ApiClient } from "../api/client.ts";
import { defaultLimits } from "../api/limits.ts";
import type { LinkBook } from "../api/links.ts";
import { raisedAfter } from "../api/time-limit.ts";
import { createTokenCheck } from "../api/token-check.ts";
import type { Config } from "../config.ts";
import { eachLimited } from "../lib/concurrency.ts";
import { type Problem, type Reporter, silent } from "../lib/reporter.ts";
import type { Routes } from "../routes/table.ts";
import type { MediaEntry } from "../store/media.ts";
import type { SnapshotManifest } from "../store/snapshots.ts";
import type { Store } from "../store/store.ts";
import { createAbsences } from "./absences.ts";
import { createBringer, recipesOf, type Tally } from "./bring.ts";
import { createBudget } from "./budget.ts";
import { createDecoders } from "./decoders.ts";
import { createFailures } from "./failures.ts";
import { openFetchedFiles } from "./fetched.ts";
import { countWanted, type Job, subjectOf, verdictOf, wantedItems } from "./jobs.ts";
import { createMint } from "./mint.ts";
import { createOriginals } from "./original.ts";
import { UnknownLinkError } from "./original-error.ts";
import { createRechecks } from "./recheck.ts";
import { openRechecked } from "./rechecked.ts";
import { createRemarks, type Remarks } from "./remarks.ts";
import { createRenderer } from "./render.ts";
import { createUnlinked } from "./unlinked.ts";

export interface MediaOptions {
  store: Store;
  /** The snapshot whose files are wanted. */
  manifest: SnapshotManifest;
  client: ApiClient;
  config: Config;
  routes: Routes;
  /** Signed links that the crawl has seen; missing ones are had by listing again. */
  links: LinkBook;
  /** Number of the crawl, counted up: which originals are asked for again rolls with it. */
  round?: number;
  /** Folder for what a run that was killed need not do again; kept as long as the round may go on. */
  journal?: string;
  reporter?: Reporter;
  /** Milliseconds that decoding a picture may take, or looking at it, before its process is ended. */
  decodeLimitMs?: number;
  /** No new item is begun after this; those underway have `drainMs` to end. */
  signal?: AbortSignal;
  /** Milliseconds that the work on pictures may still go on after the signal; as long as the client's transfers. */
  drainMs?: number;
  now?: () => Date;
}

/** What a run of the media stage did. */
export interface MediaResult extends Tally {
  /** Items of the snapshot that have a file, or should. */
  wanted: number;
  /** Originals whose renditions were made. */
  encoded: number;
  problems: Problem[];
  /** Of all files of the snapshot, whichever run brought them. */
  remarks: Remarks;
}

/** Pixels of all pictures that are worked on at a time; a larger one runs alone. */
const pixelBudget = 50_000_000;
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
 * Pictures are decoded in processes of their own, and what a run has downloaded is not asked for again by the
 * next one, however the first was ended.
 *
 * @throws ApiError when the credentials are refused, a budget is used up, or the origin stopped answering
 */
export async function runMedia(options: MediaOptions): Promise<MediaResult> {
  const { store, manifest, client, config, routes, links, signal } = options;
  const { round = 0, reporter = silent, now = () => new Date() } = options;
  const { drainMs = defaultLimits.drainMs } = options;
  const reader = store.reader(manifest);
  const rechecks = createRechecks(config.crawl, round, links);
  const collector = createRemarks(rechecks);
  const result: MediaResult = {
    wanted: countWanted(reader, config),
    upToDate: 0,
    rechecked: 0,
    downloaded: 0,
    encoded: 0,
    bytes: 0,
    skipped: 0,
    problems: [],
    remarks: collector.remarks(),
  };
  if (!config.media.originals) {
    reporter.info("media.originals is off: no files are downloaded");
    return { ...result, skipped: result.wanted };
  }

  const { blobs } = store;
  const mint = createMint({ client, origin: config.origin, routes, links, reader });
  const originals = createOriginals({ client, links, mint, blobs });
  const slots = Math.min(availableParallelism() + 1, 4);
  const drained = signal && raisedAfter(signal, drainMs);
  const decoders = createDecoders({ slots, limitMs: options.decodeLimitMs, signal: drained });
  const budget = createBudget(slots, pixelBudget);
  const renderer = createRenderer({ media: config.media, blobs, decoders, budget });
  const rechecked = openRechecked(options.journal, round);
  // Among the blobs, because a download becomes one by a new name on the same file system.
  const fetched = openFetchedFiles(join(store.folder, "blobs", "fetched"), blobs);
  const recipesFor = recipesOf(config.media);
  const tools = {
    reader,
    store,
    originals,
    fetched,
    renderer,
    rechecks,
    recipesFor,
    origin: config.origin,
  };
  const bring = createBringer({ ...tools, tally: result });
  const progress = reporter.stage("media", result.wanted);
  const failures = createFailures({ checkToken: createTokenCheck({ client, routes }), signal });
  const absences = createAbsences(store.media);
  const unlinked = createUnlinked();
  const started = now().getTime();
  let synced = started;
  let unsynced = 0;

  /** Items that need work or are to be asked for again; counts and passes over the others. */
  async function* jobs(): AsyncGenerator<Job> {
    let passed = 0;
    for (const item of wantedItems(reader, config)) {
      if (signal?.aborted) break;
      const entry = store.media.get(item.kind, item.id);
      const verdict = verdictOf(item, entry, recipesFor(item.kind), blobs.hasStill);
      const absence = store.media.absence(item.kind, item.id);
      const absent = absence?.record === item.record && !rechecks.dueAgain(item, absence);
      if (verdict === "encode" || (verdict === "download" && !absent)) {
        yield { item, entry, verdict };
        continue;
      }
      const recheck = verdict === "current" && entry !== undefined && rechecks.due(item, entry);
      if (recheck && !rechecked.has(item)) {
        yield { item, entry, verdict: "recheck" };
        continue;
      }
      collector.add(item, entry, absence);
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
      if (job.verdict === "recheck") rechecked.add(job.item);
      failures.succeeded();
    } catch (error) {
      const failure = await failures.reasonOf(error);
      if (failure === undefined) return;
      const grouped = error instanceof UnknownLinkError && unlinked.add(job.item, failure);
      if (!grouped) addProblem(job, failure);
      if (job.verdict === "recheck") keepDue(job);
    }
    const { kind, id } = job.item;
    collector.add(job.item, store.media.get(kind, id), store.media.absence(kind, id));
    absences.look(job.item);
    progress.advance();
    progress.note(note());
    if (++unsynced >= syncEveryItems || now().getTime() - synced >= syncEveryMs) sync();
  }

  function keepDue({ entry }: Job): void {
    if (entry === undefined || entry.recheckFailed) return;
    store.media.put({ ...entry, recheckFailed: true });
  }

  function addProblem({ item, entry }: Job, failure: Pick<Problem, "reason" | "hint">): void {
    const subject = subjectOf(item);
    const problem = { ...failure, subject, reason: `${failure.reason}${fateOf(entry)}` };
    tell(problem);
  }

  function tell(problem: Problem): void {
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

  let finished = false;
  try {
    // As many as can be encoded, and the downloads of the next ones meanwhile.
    await eachLimited(jobs(), slots + config.crawl.concurrency, work);
    finished = !signal?.aborted;
    for (const problem of unlinked.problems()) tell(problem);
    if (finished) for (const problem of absences.judge(wantedItems(reader, config))) tell(problem);
  } finally {
    await decoders.close();
    sync();
    fetched.close(finished);
    rechecked.close();
    progress.end(note());
  }
  return { ...result, encoded: renderer.encoded, remarks: collector.remarks() };
}
