import { join } from "node:path";
import { type ApiClient, createClient } from "../api/client.ts";
import { createLinkBook } from "../api/links.ts";
import { limitTime } from "../api/time-limit.ts";
import { type LoadedConfig, readToken } from "../config/load.ts";
import { runCrawl } from "../crawl/crawl.ts";
import {
  type ExitCode,
  exitCodes,
  GapsError,
  Interrupted,
  StillpressError,
  StoreError,
} from "../errors.ts";
import { isErrno } from "../lib/files.ts";
import { plural } from "../lib/words.ts";
import { runMedia } from "../media/media.ts";
import { buildArchive } from "../publish/build.ts";
import {
  addClientStats,
  emptyReport,
  type Report,
  setFailure,
  setOutcome,
  writeReport,
} from "../publish/report.ts";
import { createRoutes } from "../routes/table.ts";
import { diffSnapshots } from "../store/diff.ts";
import { takeLock } from "../store/lock.ts";
import { openStore, type Store } from "../store/store.ts";
import type { CommonOptions } from "./options.ts";
import { outputStyle } from "./options.ts";
import { type CommandReporter, createReporter } from "./progress.ts";
import { printError, printSummary } from "./summary.ts";

export const stageNames = ["crawl", "media", "build"] as const;
export type StageName = (typeof stageNames)[number];

export interface RunOptions {
  loaded: LoadedConfig;
  stages: readonly StageName[];
  common: CommonOptions;
  /** Called only when a stage talks to the origin. */
  token: () => string;
  allowIncomplete: boolean;
  signal: AbortSignal;
}

/**
 * Runs stages on an output folder under its lock, writes the report and prints the summary.
 * Expected failures end in their exit code, not in an exception.
 */
export async function runStages(options: RunOptions): Promise<ExitCode> {
  const { loaded, stages, common } = options;
  const signal = limitTime(loaded.config.crawl.maxDuration, options.signal);
  const report = emptyReport();
  let client: ApiClient | undefined;
  const reporter = createReporter({
    ...outputStyle(common),
    quiet: common.quiet,
    stream: process.stderr,
    status: () => (client === undefined ? "" : clientStatus(client)),
  });
  let unlock: (() => void) | undefined;
  let store: Store | undefined;
  try {
    const online = stages.includes("crawl") || stages.includes("media");
    const token = online ? options.token() : undefined;
    unlock = takeLock(join(loaded.out, "lock.json"));
    store = openStore(join(loaded.out, "store"));
    if (token !== undefined) {
      const rateFile = join(loaded.out, "store", "rate.json");
      client = createClient({ config: loaded.config, token, reporter, signal, rateFile });
    }
    await runEach({ ...options, signal }, { store, client, reporter, report, token });
  } catch (error) {
    const failure = expected(error);
    setFailure(report, failure);
    if (!(failure instanceof StillpressError)) throw error;
  } finally {
    reporter.close();
    if (client !== undefined) {
      addClientStats(report, client.stats, client.pausedMs);
      await client.close();
    }
    try {
      store?.close();
    } catch (error) {
      // Closing writes what is left; where that fails after another failure, the first one is the news.
      if (report.error === undefined) setFailure(report, expected(error));
    }
    // Without the lock the folder is somebody else's, the report in it too.
    if (unlock !== undefined) {
      writeReport(loaded.out, report);
      unlock();
    }
    if (common.json) process.stdout.write(`${JSON.stringify(report)}\n`);
    else if (report.error !== undefined) printError(report.error);
  }
  if (!common.json && !common.quiet && report.error === undefined)
    printSummary(report, loaded, stages);
  return report.exitCode;
}

interface Tools {
  store: Store;
  client: ApiClient | undefined;
  reporter: CommandReporter;
  report: Report;
  token: string | undefined;
}

async function runEach(options: RunOptions, tools: Tools): Promise<void> {
  const { loaded, signal, allowIncomplete } = options;
  const { config, out, templates } = loaded;
  const { store, client, reporter, report, token } = tools;
  const routes = createRoutes(config);
  const links = createLinkBook();
  for (const stage of options.stages) {
    const started = Date.now();
    if (stage === "crawl" && client !== undefined) {
      const before = store.snapshots.latest();
      const result = await runCrawl({ config, store, client, routes, links, reporter, now: clock });
      report.problems.push(...result.problems);
      if (result.changed) {
        report.changes = diffSnapshots(
          before && store.reader(before),
          store.reader(result.manifest),
        );
      }
      describeSnapshot(report, store);
    } else if (stage === "media" && client !== undefined) {
      const manifest = requireSnapshot(store);
      const result = await runMedia({
        config,
        store,
        manifest,
        client,
        routes,
        links,
        reporter,
        signal,
      });
      if (signal.aborted) throw signal.reason;
      describeSnapshot(report, store);
      const { wanted, downloaded, encoded } = result;
      report.media = { wanted, downloaded, encoded };
      report.problems.push(...result.problems);
    } else if (stage === "build") {
      describeSnapshot(report, store);
      if (!allowIncomplete) refuseProblems(report, config.crawl.maxProblems);
      const secrets = [token ?? knownToken(config.origin)].filter((text) => text !== undefined);
      const result = await buildArchive({
        config,
        store,
        routes,
        out,
        templates,
        allowIncomplete,
        secrets,
        reporter,
      });
      const { files, bytes, rendered, missing, held, added, changed, removed } = result;
      report.output = { files, bytes, rendered, missing, held };
      report.published = result.published;
      report.limits = result.limits;
      if (added + changed + removed > 0) report.changes.files = { added, changed, removed };
    }
    report.durations[stage] = Date.now() - started;
  }
  settle(report, config.crawl.maxProblems);
}

/** What was found missing on the way must not be published either, although the snapshot itself is complete. */
function refuseProblems({ problems }: Report, maxProblems: number): void {
  if (problems.length <= maxProblems) return;
  throw new GapsError(
    `${plural(problems.length, "problem")}, and crawl.maxProblems is ${maxProblems}`,
    {
      hint: "see report.md; run again, or publish with --allow-incomplete",
    },
  );
}

/** A run that ended without an error still has gaps when its snapshot or its media do. */
function settle(report: Report, maxProblems: number): void {
  const missing = report.output?.missing ?? 0;
  if (missing > maxProblems) report.complete = false;
  if (report.complete && report.problems.length <= maxProblems) return;
  setOutcome(report, exitCodes.gaps);
  if (report.output !== null) report.outcome = "finished with gaps, which were published as asked";
}

/** The token, to look for it in what is published, where an offline stage can know it. */
function knownToken(origin: LoadedConfig["config"]["origin"]): string | undefined {
  try {
    return readToken(origin);
  } catch {
    return undefined;
  }
}

/** The local limits that a run can meet anywhere, as the kind of failure they are. */
function expected(error: unknown): unknown {
  if (isErrno(error, "ENOSPC", "EDQUOT", "EFBIG")) {
    return new StoreError("the local disk is full", {
      cause: error,
      exitCode: exitCodes.disk,
      hint: "make room and run again; everything finished so far is kept",
    });
  }
  if (isErrno(error, "EACCES", "EROFS", "EMFILE", "ENFILE")) {
    return new StoreError(`${error.path ?? "a file"}: ${error.message}`, {
      cause: error,
      exitCode: exitCodes.disk,
    });
  }
  return error;
}

function requireSnapshot(store: Store) {
  const manifest = store.snapshots.latest();
  if (manifest !== undefined) return manifest;
  throw new StoreError(`${store.folder} holds no snapshot`, {
    hint: 'run "stillpress crawl" first',
  });
}

function describeSnapshot(report: Report, store: Store): void {
  const manifest = store.snapshots.latest();
  if (manifest === undefined) return;
  report.snapshot = manifest.id;
  report.complete = manifest.complete;
  report.proof = manifest.proof;
  for (const [name, list] of Object.entries(manifest.lists)) report.counts[name] = list.count;
}

/** The run's clock, or the time that SOURCE_DATE_EPOCH (seconds since 1970) sets in its place. */
function clock(): Date {
  const epoch = process.env.SOURCE_DATE_EPOCH;
  return epoch !== undefined && /^\d+$/.test(epoch) ? new Date(Number(epoch) * 1000) : new Date();
}

function clientStatus({ stats, pausedMs }: ApiClient): string {
  const parts = [`${stats.requests} requests`];
  if (stats.retries > 0) parts.push(`${stats.retries} repeated`);
  if (pausedMs > 0) parts.push(`waited ${Math.round(pausedMs / 1000)} s for the origin`);
  return parts.join(", ");
}

/**
 * A signal that aborts on SIGINT or SIGTERM; a second SIGINT ends the process at once.
 * What has been finished by then is in the store.
 */
export function abortOnSignals(): AbortSignal {
  const controller = new AbortController();
  for (const name of ["SIGINT", "SIGTERM"] as const) {
    process.on(name, () => {
      const reason = new Interrupted(name);
      if (controller.signal.aborted) process.exit(reason.exitCode);
      controller.abort(reason);
    });
  }
  return controller.signal;
}
