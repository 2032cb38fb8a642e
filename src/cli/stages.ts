import { join } from "node:path";
import { type ApiClient, createClient } from "../api/client.ts";
import { createLinkBook } from "../api/links.ts";
import { createUnsigner } from "../api/signatures.ts";
import { knownToken, type LoadedConfig } from "../config/load.ts";
import { committedCrawl, draftFolder, runCrawl } from "../crawl/crawl.ts";
import { lastRound, settleCrawl } from "../crawl/draft.ts";
import { type ExitCode, exitCodes, StoreError } from "../errors.ts";
import type { Reporter } from "../lib/reporter.ts";
import { runMedia } from "../media/media.ts";
import { buildArchive } from "../publish/build.ts";
import { type Report, setOutcome } from "../publish/report.ts";
import { createRoutes } from "../routes/table.ts";
import { diffSnapshots } from "../store/diff.ts";
import { storedListName } from "../store/list-names.ts";
import type { HeldLock } from "../store/lock.ts";
import { type Moved, requireOrigin } from "../store/origin.ts";
import type { SnapshotManifest } from "../store/snapshots.ts";
import { openStore, type Store } from "../store/store.ts";
import { clock } from "./clock.ts";
import type { StageName } from "./options.ts";

export interface PressOptions {
  loaded: LoadedConfig;
  /** Undefined where no stage talks to the origin. */
  token: string | undefined;
  allowIncomplete: boolean;
  /** Whether the origin may be at another address than the store's. */
  moved: Moved;
  stages: readonly StageName[];
  signal: AbortSignal;
  /** Of the output folder. */
  lock: Pick<HeldLock, "ensure">;
  reporter: Reporter;
  /** Gets what each stage did. */
  report: Report;
}

/** The stages of a run over one output folder, with what they share. */
export interface Press {
  readonly client: ApiClient | undefined;
  /** @throws StillpressError where the stage cannot come to its end, or is not to be begun any more */
  run(stage: StageName): Promise<void>;
  /** Sets the outcome of a run whose stages came to their end: it still has gaps when its snapshot or media do. */
  settle(): void;
  /** Tells how the run ended, last of all: whether the next one goes on with the crawl or makes a new one. */
  ended(exitCode: ExitCode): void;
  /** What is worth knowing beside a stage's own numbers, such as waits. */
  status(): string;
  close(): Promise<void>;
}

/**
 * Ends of a run after which the next one crawls again: it came to its end, or what stopped it is a matter of what the
 * origin shows, or of what is kept of that. After all others, such as a signal or a full disk, it goes on.
 */
const lastWords: ReadonlySet<ExitCode> = new Set([
  exitCodes.complete,
  exitCodes.gaps,
  exitCodes.credentials,
  exitCodes.damaged,
  exitCodes.guard,
]);

/** Opens the store, and connects to the origin where there is a token. The caller holds the folder's lock. */
export function openPress(options: PressOptions): Press {
  const { loaded, token, allowIncomplete, stages, signal, lock, reporter, report } = options;
  const { config, out, templates } = loaded;
  const crawls = stages.includes("crawl");
  const store = guarded(openStore(join(out, "store")), lock);
  if (token !== undefined) continueStore(store, config.origin.baseUrl, options.moved);
  const rateFile = join(out, "store", "rate.json");
  const client =
    token === undefined ? undefined : createClient({ config, token, reporter, signal, rateFile });
  const routes = createRoutes(config);
  const draft = draftFolder(store);
  const unsigner = createUnsigner(config.origin);
  const links = createLinkBook(client?.serverNow);

  async function crawl(online: ApiClient): Promise<void> {
    // Who asks for nothing but a crawl wants to know what is there now.
    const whole = stages.includes("build");
    const committed = whole ? committedCrawl({ config, store }) : undefined;
    if (committed !== undefined) {
      const { manifest, problems } = committed;
      reporter.info(`continuing an interrupted run after its crawl: snapshot ${manifest.id}`);
      for (const problem of problems) reporter.problem(problem);
    }
    const result =
      committed ??
      (await runCrawl({
        config,
        store,
        client: online,
        routes,
        links,
        unsigner,
        reporter,
        stamp: clock,
      }));
    const { manifest, before, changed } = result;
    if (changed) {
      const last = before === null ? undefined : store.reader(store.snapshots.load(before));
      report.changes = diffSnapshots(last, store.reader(manifest));
    }
    describeSnapshot(report, manifest);
  }

  async function media(online: ApiClient): Promise<void> {
    const manifest = requireSnapshot(store);
    const result = await runMedia({
      config,
      store,
      manifest,
      client: online,
      routes,
      links,
      reporter,
      signal,
      round: lastRound(draft),
    });
    if (signal.aborted) throw signal.reason;
    describeSnapshot(report, manifest);
    const { wanted, downloaded, encoded, rechecked, remarks } = result;
    report.media = { wanted, downloaded, encoded, rechecked, remarks };
    report.problems.push(...result.problems);
  }

  async function build(): Promise<void> {
    describeSnapshot(report, store.snapshots.latest());
    lock.ensure();
    const secrets = [token ?? knownToken(config.origin)].filter((text) => text !== undefined);
    const result = await buildArchive({
      config,
      store,
      out,
      templates,
      allowIncomplete,
      problems: report.problems.length,
      secrets,
      unsigner,
      reporter,
      now: clock,
      signal,
      beforePublish: lock.ensure,
    });
    const { files, bytes, rendered, missing, notShown, added, changed, removed } = result;
    report.output = { files, bytes, rendered, missing, held: notShown };
    report.published = result.published;
    report.limits = result.limits;
    if (added + changed + removed > 0) report.changes.files = { added, changed, removed };
  }

  return {
    client,
    async run(stage) {
      signal.throwIfAborted();
      const started = Date.now();
      if (stage === "build") await build();
      else if (client !== undefined) await (stage === "crawl" ? crawl : media)(client);
      report.durations[stage] = Date.now() - started;
    },
    settle() {
      const { maxProblems } = config.crawl;
      const missing = report.output?.missing ?? 0;
      if (missing > maxProblems) report.complete = false;
      if (report.complete && report.problems.length <= maxProblems) return;
      setOutcome(report, exitCodes.gaps);
      if (report.output !== null) {
        report.outcome = "finished with gaps; published because of --allow-incomplete";
      }
    },
    ended(exitCode) {
      if (crawls && lastWords.has(exitCode)) settleCrawl(draft);
    },
    status: () => (client === undefined ? "" : clientStatus(client)),
    async close() {
      try {
        await client?.close();
      } finally {
        store.close();
      }
    },
  };
}

/** @throws StoreError before the first crawl */
function requireSnapshot(store: Store): SnapshotManifest {
  const manifest = store.snapshots.latest();
  if (manifest !== undefined) return manifest;
  throw new StoreError(`${store.folder} holds no snapshot`, {
    hint: 'run "stillpress crawl" first',
  });
}

/** @throws ConfigError where the store, which is then closed, is that of another origin */
function continueStore(store: Store, baseUrl: string, moved: Moved): void {
  try {
    requireOrigin(store.folder, store.snapshots.latest(), baseUrl, moved);
  } catch (error) {
    store.close();
    throw error;
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

/** Its problems are told once, whichever stages a run has. */
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

function clientStatus({ stats, pausedMs }: ApiClient): string {
  const parts = [`${stats.requests} requests`];
  if (stats.retries > 0) parts.push(`${stats.retries} repeated`);
  if (pausedMs > 0) parts.push(`waited ${Math.round(pausedMs / 1000)} s for the origin`);
  return parts.join(", ");
}
