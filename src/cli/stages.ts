import { existsSync } from "node:fs";
import { join } from "node:path";
import { type ApiClient, createClient } from "../api/client.ts";
import { createLinkBook } from "../api/links.ts";
import { createUnsigner, type Unsigner } from "../api/signatures.ts";
import { changesBetween } from "../changes/changes.ts";
import { listChanges } from "../changes/listed.ts";
import { knownTokens, type LoadedConfig } from "../config/load.ts";
import type { CrawlInput } from "../crawl/context.ts";
import { committedCrawl, draftFolder, runCrawl } from "../crawl/crawl.ts";
import { endsOfTurns, settleCrawl } from "../crawl/draft.ts";
import { type ExitCode, exitCodes } from "../errors.ts";
import type { Reporter } from "../lib/reporter.ts";
import { oldestTurn, type Turn, turnsAround } from "../lib/turns.ts";
import { runMedia } from "../media/media.ts";
import { buildArchive, requireSnapshot } from "../publish/build.ts";
import { type Report, setOutcome } from "../publish/report.ts";
import { outputPaths, publishedBuild } from "../publish/swap.ts";
import { createRoutes } from "../routes/table.ts";
import { diffSnapshots } from "../store/diff.ts";
import { storedListName } from "../store/list-names.ts";
import type { HeldLock } from "../store/lock.ts";
import { type Moved, requireOrigin } from "../store/origin.ts";
import { afterSnapshot, type SnapshotManifest } from "../store/snapshots.ts";
import { openStore, type Store } from "../store/store.ts";
import { clock } from "./clock.ts";
import type { StageName } from "./options.ts";
import { contentLine } from "./summary.ts";
import { atOnce, type Pace } from "./time-left.ts";

export interface PressOptions {
  loaded: LoadedConfig;
  /** Undefined where no stage talks to the origin. */
  token: string | undefined;
  allowIncomplete: boolean;
  /** Whether the origin may be at another address than the store's. */
  moved: Moved;
  stages: readonly StageName[];
  signal: AbortSignal;
  lock: Pick<HeldLock, "ensure">;
  reporter: Reporter;
  report: Report;
}

/** After these the next run crawls anew; after any other, such as for a signal or a full disk, it continues. */
const lastWords: ReadonlySet<ExitCode> = new Set([
  exitCodes.complete,
  exitCodes.gaps,
  exitCodes.credentials,
  exitCodes.damaged,
  exitCodes.guard,
]);

/** The stages of a run. The caller holds the lock of the output folder. */
export class Press {
  readonly client: ApiClient | undefined;
  readonly #options: PressOptions;
  readonly #store: Store;
  /** Id of the snapshot that the latest one is compared with; null if that is the first, undefined without a crawl. */
  #before: string | null | undefined;
  /** With secrets, which are kept in memory only. */
  readonly #origin: Pick<CrawlInput, "routes" | "links"> & { unsigner: Unsigner };

  constructor(options: PressOptions) {
    const { token, moved, signal, lock, reporter } = options;
    const { config, out } = options.loaded;
    this.#options = options;
    const store = openStore(join(out, "store"));
    this.#store = guarded(store, lock);
    if (token !== undefined) {
      try {
        requireOrigin(store.folder, store.snapshots.latest(), config.origin.baseUrl, moved);
      } catch (error) {
        store.close();
        throw error;
      }
      const rateFile = join(out, "store", "rate.json");
      this.client = createClient({ config, token, reporter, signal, rateFile });
    }
    this.#origin = {
      routes: createRoutes(config),
      links: createLinkBook(this.client?.serverNow),
      unsigner: createUnsigner(config.origin),
    };
  }

  /** @throws StillpressError where the stage fails, or was interrupted */
  async run(stage: StageName): Promise<void> {
    this.#options.signal.throwIfAborted();
    const started = Date.now();
    if (stage === "build") await this.#build();
    else if (this.client !== undefined) {
      await (stage === "crawl" ? this.#crawl(this.client) : this.#media(this.client));
    }
    this.#options.report.durations[stage] = Date.now() - started;
  }

  async #crawl(client: ApiClient): Promise<void> {
    const { loaded, stages, signal, reporter, report } = this.#options;
    const shared = { config: loaded.config, store: this.#store };
    // A crawl alone is asked for to see what is there now.
    const committed = stages.includes("build") ? committedCrawl(shared) : undefined;
    if (committed !== undefined) {
      const { manifest, problems } = committed;
      reporter.info(`continuing an interrupted run after its crawl: snapshot ${manifest.id}`);
      for (const problem of problems) reporter.problem(problem);
    }
    if (committed === undefined) await this.#forecast(client);
    const input = { ...shared, ...this.#origin, client, reporter, stamp: clock, signal };
    const { manifest, before, changed, read } = committed ?? (await runCrawl(input));
    this.#before = changed ? before : manifest.id;
    if (read !== undefined) report.freshness = this.#freshnessOf(read);
    if (changed) {
      const { snapshots, reader } = this.#store;
      const last = before === null ? undefined : reader(snapshots.load(before));
      report.changes = diffSnapshots(last, reader(manifest));
    }
    describeSnapshot(report, manifest);
  }

  /** Says what a first snapshot will cost. */
  async #forecast(client: ApiClient): Promise<void> {
    const { loaded, reporter, signal } = this.#options;
    const { snapshots } = this.#store;
    if (snapshots.latest() !== undefined || existsSync(draftFolder(this.#store))) return;
    const { forecastLines } = await import("./plan.ts");
    for (const line of await forecastLines(client, loaded.config)) reporter.info(line);
    signal.throwIfAborted();
  }

  /** What the last crawl has read again. */
  #turn(): Turn {
    const [to = 0, from = to] = endsOfTurns(draftFolder(this.#store)).reverse();
    return { from, to };
  }

  #freshnessOf(read: { asked: number; of: number }): Report["freshness"] {
    const ends = endsOfTurns(draftFolder(this.#store));
    const isAll = this.#options.loaded.config.crawl.refresh === "all";
    const nights = (every: 1 | 2) => (isAll ? 1 : (turnsAround(this.#turn(), every) ?? null));
    return {
      bodies: { ...read, oldest: oldestTurn(ends), nights: nights(1) },
      files: { oldest: oldestTurn(ends, 2), nights: nights(2) },
    };
  }

  async #media(client: ApiClient): Promise<void> {
    const { loaded, signal, reporter, report } = this.#options;
    const manifest = requireSnapshot(this.#store);
    const { routes, links } = this.#origin;
    const result = await runMedia({
      config: loaded.config,
      store: this.#store,
      manifest,
      client,
      routes,
      links,
      reporter,
      signal,
      turn: this.#turn(),
      since: this.#before === manifest.id ? afterSnapshot(manifest.id) : manifest.id,
    });
    if (signal.aborted) throw signal.reason;
    describeSnapshot(report, manifest);
    const { wanted, downloaded, encoded, rechecked, remarks } = result;
    report.media = { wanted, downloaded, encoded, rechecked, remarks };
    report.problems.push(...result.problems);
  }

  async #build(): Promise<void> {
    const { loaded, token, allowIncomplete, signal, lock, reporter, report } = this.#options;
    const { config } = loaded;
    describeSnapshot(report, this.#store.snapshots.latest());
    lock.ensure();
    const shown = publishedBuild(loaded.out);
    const result = await buildArchive({
      ...loaded,
      store: this.#store,
      allowIncomplete,
      problems: report.problems.length,
      secrets: token === undefined ? knownTokens(config.origin) : [token],
      unsigner: this.#origin.unsigner,
      reporter,
      now: clock,
      signal,
      beforePublish: lock.ensure,
    }).catch((error: unknown) => {
      // What fails after the swap leaves the new build published.
      report.published = publishedBuild(loaded.out) !== shown;
      throw error;
    });
    const { files, bytes, rendered, missing, notShown, added, changed, removed } = result;
    report.output = { files, bytes, rendered, missing, held: notShown };
    report.published = result.published;
    report.limits = result.limits;
    if (added + changed + removed > 0) report.changes.files = { added, changed, removed };
  }

  /** Sets the outcome of a run that was not stopped: gaps of the snapshot or of media are gaps of the run. */
  settle(): void {
    const { report, loaded } = this.#options;
    const { maxProblems } = loaded.config.crawl;
    const missing = report.output?.missing ?? 0;
    if (missing > maxProblems) report.complete = false;
    if (report.complete && report.problems.length <= maxProblems) return;
    setOutcome(report, exitCodes.gaps);
    if (report.output !== null) {
      report.outcome = "finished with gaps; published because of --allow-incomplete";
    }
  }

  /** Decides whether the next run continues this crawl. Called last. */
  ended(exitCode: ExitCode): void {
    const crawls = this.#options.stages.includes("crawl");
    if (crawls && lastWords.has(exitCode)) settleCrawl(draftFolder(this.#store));
  }

  /** What a status line also shows, such as waits. */
  status(): string {
    if (this.client === undefined) return "";
    const { stats, waits } = this.client;
    const parts = [`${stats.requests} requests`];
    if (stats.retries > 0) parts.push(`${stats.retries} repeated`);
    const waited = Math.round(waits.waitedMs / 1000);
    if (waited > 0) parts.push(`waited ${waited} s for the rate`);
    return parts.join(", ");
  }

  /** What its requests cost in time, so far. */
  pace(): Pace {
    const { client } = this;
    return client === undefined ? atOnce : { requests: client.stats.requests, ...client.waits };
  }

  /** Tells item by item what changed, after the pages of new items are published. */
  #tellChanges(): void {
    const { loaded, report, signal } = this.#options;
    const { config, out } = loaded;
    const { snapshots, media, reader } = this.#store;
    const manifest = snapshots.latest();
    if (manifest === undefined || this.client === undefined || signal.aborted) return;
    if (this.#before === null) {
      report.changes.summary = `first snapshot: ${contentLine(report.counts)}`;
      return;
    }
    const before = reader(snapshots.load(this.#before ?? manifest.id));
    const root = outputPaths(out).public;
    const changes = changesBetween({ before, after: reader(manifest), media, config, root });
    const listed = listChanges(changes, config.site.url ?? "public");
    if (listed.total > 0) Object.assign(report.changes, listed);
  }

  async close(): Promise<void> {
    try {
      await this.client?.close();
      this.#tellChanges();
    } finally {
      this.#store.close();
    }
  }
}

/** A store that commits a snapshot only while the folder is ours. */
function guarded(store: Store, lock: Pick<HeldLock, "ensure">): Store {
  const { snapshots } = store;
  const commit: typeof snapshots.commit = (draft) => {
    lock.ensure();
    return snapshots.commit(draft);
  };
  return { ...store, snapshots: { ...snapshots, commit } };
}

/** Takes over what is known of the snapshot, each problem once. */
function describeSnapshot(report: Report, manifest: SnapshotManifest | undefined): void {
  if (manifest === undefined) return;
  const told = new Set(report.problems.map(({ subject, reason }) => `${subject}\n${reason}`));
  for (const problem of manifest.problems) {
    if (!told.has(`${problem.subject}\n${problem.reason}`)) report.problems.push(problem);
  }
  report.snapshot = manifest.id;
  report.complete = manifest.complete;
  report.proof = manifest.proof;
  report.remarks = manifest.remarks;
  for (const [name, list] of Object.entries(manifest.lists))
    report.counts[storedListName(name)] = list.count;
}
