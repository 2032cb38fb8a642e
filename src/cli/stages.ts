import { existsSync } from "node:fs";
import { join } from "node:path";
import { type ApiClient, createClient } from "../api/client.ts";
import { createLinkBook } from "../api/links.ts";
import { createUnsigner, type Unsigner } from "../api/signatures.ts";
import { changesBetween } from "../changes/changes.ts";
import { listChanges } from "../changes/print.ts";
import { knownTokens, type LoadedConfig } from "../config/load.ts";
import type { CrawlInput } from "../crawl/context.ts";
import { committedCrawl, draftFolder, runCrawl } from "../crawl/crawl.ts";
import { endsOfTurns, settleCrawl } from "../crawl/draft.ts";
import type { Engine } from "../engine/engine.ts";
import { type ExitCode, exitCodes } from "../errors.ts";
import { append } from "../lib/many.ts";
import type { Reporter } from "../lib/reporter.ts";
import { oldestTurn, type Turn, turnsAround } from "../lib/turns.ts";
import { runMedia } from "../media/media.ts";
import { buildArchive, requireSnapshot } from "../publish/build.ts";
import { withItem } from "../publish/problem-items.ts";
import { type Report, setOutcome, setPublishedWithGaps } from "../publish/report.ts";
import { outputPaths, publishedBuild } from "../publish/swap.ts";
import { layDesk } from "../review/desk.ts";
import { withLearnedPaths } from "../routes/learned.ts";
import { createRoutes } from "../routes/table.ts";
import { diffSnapshots } from "../store/diff.ts";
import type { HeldLock } from "../store/lock.ts";
import { type Moved, requireOrigin } from "../store/origin.ts";
import { afterSnapshot, type SnapshotManifest } from "../store/snapshots.ts";
import { openStore, type Store } from "../store/store.ts";
import { engineFor } from "./engine.ts";
import { clock, type StageName } from "./options.ts";
import type { Pace } from "./progress.ts";
import { contentLine } from "./summary.ts";

export interface PressOptions {
  loaded: LoadedConfig;
  /** Empty where no stage talks to the origin. */
  token: string;
  allowIncomplete?: boolean | undefined;
  /** Whether the origin may be at another address than the store's. */
  moved?: Moved | undefined;
  stages: readonly StageName[];
  signal: AbortSignal;
  lock: Pick<HeldLock, "ensure" | "disk">;
  reporter: Reporter;
  report: Report;
}

/** After these the next run crawls anew; after any other, such as for a signal or a full disk, it continues. */
const lastWords = ["complete", "gaps", "credentials", "damaged", "guard"] as const;

/** The stages of a run. The caller holds the lock of the output folder. */
export class Press {
  /** From the first stage on that talks to the origin. */
  #client: ApiClient | undefined;
  #engine: Engine | undefined;
  readonly #options: PressOptions;
  readonly #store: Store;
  /** Id of the snapshot that the latest one is compared with; null if that is the first, undefined without a crawl. */
  #before: string | null | undefined;
  /** With secrets, which are kept in memory only. */
  readonly #origin: Pick<CrawlInput, "routes" | "links"> & { unsigner: Unsigner };

  constructor(options: PressOptions) {
    const { config, out } = options.loaded;
    this.#options = options;
    this.#store = openStore(join(out, "store"), { disk: options.lock.disk });
    this.#origin = {
      routes: createRoutes(config),
      links: createLinkBook(() => this.#client?.originClock.serverNow() ?? Date.now()),
      unsigner: createUnsigner(config.origin),
    };
  }

  /** Lets workers make the renditions, where the settings say so. @throws as `engineFor` */
  async start(): Promise<void> {
    const { loaded, stages, reporter, signal } = this.#options;
    if (!stages.includes("media")) return;
    this.#engine = await engineFor(loaded, this.#store.blobs, { reporter, signal });
  }

  /** What its requests have cost so far; undefined where no stage makes any. */
  get pace(): Pace | undefined {
    return this.#client && { ...this.#client.stats, ...this.#client.waits };
  }

  /** @throws StillpressError where the stage fails, or was interrupted */
  async run(stage: StageName): Promise<void> {
    const { signal, report } = this.#options;
    signal.throwIfAborted();
    const started = Date.now();
    const latest = this.#store.snapshots.latest();
    if (stage !== "crawl") describeSnapshot(report, latest);
    if (stage === "build") await this.#build();
    else {
      this.#client ??= this.#connect(latest);
      await (stage === "crawl" ? this.#crawl(this.#client) : this.#media(this.#client));
    }
    report.durations[stage] = Date.now() - started;
  }

  /** @throws ConfigError where the store is of another origin */
  #connect(latest: SnapshotManifest | undefined): ApiClient {
    const { loaded, token, moved = false, signal, reporter } = this.#options;
    const { config } = loaded;
    const { folder } = this.#store;
    requireOrigin(folder, latest, config.origin.baseUrl, moved);
    const rateFile = join(folder, "rate.json");
    return createClient({ config, token, reporter, signal, rateFile });
  }

  async #crawl(client: ApiClient): Promise<void> {
    const { loaded, stages, signal, reporter, report } = this.#options;
    const shared = { config: loaded.config, store: this.#store };
    // A crawl alone is asked for to see what is there now.
    const committed = stages.includes("build") ? committedCrawl(shared) : undefined;
    if (committed === undefined) await this.#forecast(client);
    else {
      const { manifest, problems } = committed;
      reporter.info(`continuing an interrupted run after its crawl: snapshot ${manifest.id}`);
      for (const problem of problems) reporter.problem(problem);
    }
    const input = { ...shared, ...this.#origin, client, reporter, stamp: clock, signal };
    const { manifest, before, changed, read } = committed ?? (await runCrawl(input));
    this.#before = changed ? before : manifest.id;
    if (read !== undefined) {
      const ends = endsOfTurns(draftFolder(this.#store));
      report.freshness = freshnessOf(read, ends, loaded.config.crawl.refresh === "all");
    }
    if (changed) {
      const { snapshots, reader } = this.#store;
      const last = before === null ? undefined : reader(snapshots.load(before));
      report.changes = diffSnapshots(last, reader(manifest));
    }
    describeSnapshot(report, manifest);
  }

  async #forecast(client: ApiClient): Promise<void> {
    const { loaded, reporter, signal } = this.#options;
    const { snapshots } = this.#store;
    if (snapshots.latest() !== undefined || existsSync(draftFolder(this.#store))) return;
    const { forecastLines } = await import("./plan.ts");
    for (const line of await forecastLines(client, loaded.config)) reporter.info(line);
    signal.throwIfAborted();
  }

  async #media(client: ApiClient): Promise<void> {
    const { loaded, signal, reporter, report } = this.#options;
    const manifest = requireSnapshot(this.#store);
    const turn = lastTurn(endsOfTurns(draftFolder(this.#store)));
    const since = this.#before === manifest.id ? afterSnapshot(manifest.id) : manifest.id;
    const config = withLearnedPaths(loaded.config, manifest.learned);
    const own = { ...this.#origin, routes: createRoutes(config) };
    const { renderer, encoder } = this.#engine ?? {};
    const shared = { ...own, config, store: this.#store, renderer, encoder, reporter, signal };
    const input = { ...shared, manifest, client, turn, since };
    const { problems, jobs = null, ...result } = await runMedia(input);
    signal.throwIfAborted();
    const { wanted, checked, downloaded, encoded, rechecked, remarks } = result;
    report.jobs = jobs;
    report.media = { wanted, checked, downloaded, encoded, rechecked, remarks };
    append(report.problems, problems);
  }

  async #build(): Promise<void> {
    const { loaded, token, allowIncomplete, signal, lock, reporter, report } = this.#options;
    lock.ensure();
    const shown = publishedBuild(loaded.out);
    const { unsigner } = this.#origin;
    const secrets = token === "" ? knownTokens(loaded.config.origin) : [token];
    const input = { ...loaded, store: this.#store, secrets, unsigner, reporter };
    const problems = report.problems.length;
    const limits = { allowIncomplete: allowIncomplete ?? false, problems, signal };
    const own = { now: () => this.#now(), beforePublish: lock.ensure };
    const work = buildArchive({ ...input, ...limits, ...own });
    const result = await work.catch((error: unknown) => {
      // What fails after the swap leaves the new build published.
      report.published = publishedBuild(loaded.out) !== shown;
      throw error;
    });
    const { files, bytes, rendered, missing, notShown, added, changed, removed } = result;
    report.output = { files, bytes, rendered, missing, held: notShown };
    report.published = result.published;
    report.limits = result.limits;
    report.remarks = [...report.remarks, ...result.remarks];
    if (added + changed + removed > 0) report.changes.files = { added, changed, removed };
    await layDesk(input, result.shown);
  }

  /** The time of new files: never in the future, which later runs would have to keep, as far as the origin knows. */
  #now(): Date {
    const aheadMs = Math.min(this.#client?.originClock.skewMs() ?? 0, 0);
    const isGiven = process.env.SOURCE_DATE_EPOCH !== undefined;
    return new Date(clock().getTime() + (isGiven ? 0 : aheadMs));
  }

  /** Sets the outcome of a run that was not stopped: gaps of the snapshot or of media are gaps of the run. */
  settle(): void {
    const { report, loaded } = this.#options;
    const { maxProblems } = loaded.config.crawl;
    const missing = report.output?.missing ?? 0;
    if (missing > maxProblems) report.complete = false;
    if (report.complete && report.problems.length <= maxProblems) return;
    // An incomplete snapshot has one, at least.
    const gaps = Math.max(report.problems.length, missing, 1);
    const isAllowed = this.#options.allowIncomplete && report.output !== null;
    if (isAllowed) setPublishedWithGaps(report, gaps);
    else setOutcome(report, exitCodes.gaps);
  }

  /** Decides whether the next run continues this crawl. Called last. */
  ended(exitCode: ExitCode): void {
    const isLast = lastWords.some((name) => exitCodes[name] === exitCode);
    if (isLast && this.#options.stages.includes("crawl")) settleCrawl(draftFolder(this.#store));
  }

  /** Tells item by item what changed, after the pages of new items are published, and what the problems are about. */
  #tellItems(): void {
    const { loaded, report, signal } = this.#options;
    const { config, out } = loaded;
    const { snapshots, media, reader } = this.#store;
    const manifest = snapshots.latest();
    if (manifest === undefined) return;
    const latest = reader(manifest);
    report.problems = report.problems.map((problem) => withItem(problem, latest));
    if (this.#client === undefined || signal.aborted) return;
    if (this.#before === null) {
      report.changes.summary = `first snapshot: ${contentLine(report.counts)}`;
      return;
    }
    const before = reader(snapshots.load(this.#before ?? manifest.id));
    const root = outputPaths(out).public;
    const changes = changesBetween({ before, after: latest, media, config, root });
    const listed = listChanges(changes, config.site.url ?? "public");
    if (listed.total > 0) Object.assign(report.changes, listed);
  }

  async close(): Promise<void> {
    try {
      if (this.#client !== undefined) {
        const { waitedMs, pausedMs } = this.#client.waits;
        Object.assign(this.#options.report, this.#client.stats, { waitedMs, pausedMs });
        await this.#client.close();
      }
      await this.#engine?.renderer.close();
      this.#tellItems();
    } finally {
      this.#store.close();
    }
  }
}

function lastTurn(ends: readonly number[]): Turn {
  const to = ends.at(-1) ?? 0;
  return { from: ends.at(-2) ?? to, to };
}

function freshnessOf(read: { asked: number; of: number }, ends: readonly number[], isAll: boolean) {
  const agesOf = (every: 1 | 2) => ({
    oldest: oldestTurn(ends, every),
    nights: isAll ? 1 : (turnsAround(lastTurn(ends), every) ?? null),
  });
  return { bodies: { ...read, ...agesOf(1) }, files: agesOf(2) };
}

/** Takes over what is known of the snapshot, once. */
function describeSnapshot(report: Report, manifest: SnapshotManifest | undefined): void {
  if (manifest === undefined || report.snapshot !== null) return;
  const { id: snapshot, complete, proof, remarks, lists } = manifest;
  Object.assign(report, { snapshot, complete, proof, remarks });
  append(report.problems, manifest.problems);
  for (const [name, { count }] of Object.entries(lists)) report.counts[name] = count;
}
