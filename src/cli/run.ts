import { existsSync } from "node:fs";
import { join } from "node:path";
import { limitTime } from "../api/limits.ts";
import { type LoadedConfig, loadConfig, outputFolderIn, readToken } from "../config/load.ts";
import { type ExitCode, exitCodes, StillpressError } from "../errors.ts";
import type { Reporter } from "../lib/reporter.ts";
import { writeMetrics } from "../publish/metrics.ts";
import { emptyReport, type Report, setFailure, writeReport } from "../publish/report.ts";
import { outputPaths, tryPublishing } from "../publish/swap.ts";
import { type HeldLock, takeLock } from "../store/lock.ts";
import type { Place } from "../targets/place.ts";
import { joinEngine } from "./engine.ts";
import { expected, reportOf, tellNext } from "./failures.ts";
import { tellGitHub } from "./github.ts";
import { tellHook } from "./hooks.ts";
import { keptSecret } from "./masked.ts";
import { type CommonOptions, clock, reporterOf, type StageName } from "./options.ts";
import { printJson } from "./print.ts";
import { abortOnSignals } from "./signals.ts";
import type { Press, PressOptions } from "./stages.ts";
import { printSummary } from "./summary.ts";
import { targetOf } from "./target.ts";

export interface RunOptions extends Omit<PressOptions, "token" | "lock" | "reporter" | "report"> {
  common: CommonOptions;
  /** Instead of the configured one. */
  token?: string | undefined;
  /** Where a run without gaps is published to in the end. */
  to?: Place | undefined;
}

interface StageOptions {
  allowIncomplete?: boolean;
  moved?: boolean;
  refresh?: string;
  /** True where it is to be the target of the setting. */
  publish?: string | true;
  /** Of `build` alone. */
  snapshot?: string;
  to?: string;
}

/** `stillpress snapshot`, `crawl`, `media` and `build`. */
export async function runStageCommand(
  stages: readonly StageName[],
  options: CommonOptions & StageOptions,
): Promise<ExitCode> {
  if (options.snapshot !== undefined || options.to !== undefined) {
    return (await import("./older.ts")).runOlder(options);
  }
  const { allowIncomplete, moved, publish } = options;
  const loaded = await loadOrReport(options);
  const { config, out } = loaded;
  const to =
    publish === undefined
      ? undefined
      : targetOf(publish === true ? undefined : publish, config, out);
  const signal = abortOnSignals();
  return runStages({ loaded, stages, common: options, allowIncomplete, moved, to, signal });
}

/** Reports a wrong configuration where an earlier run left its report, which would pass for the last run's. */
async function loadOrReport(options: CommonOptions & { refresh?: string }): Promise<LoadedConfig> {
  const { config, out, refresh } = options;
  const source = { file: config, flags: { out, refresh } };
  try {
    return loadConfig(source);
  } catch (error) {
    const folder = outputFolderIn(source);
    if (existsSync(join(folder, "report.json"))) {
      const report = reportOf(error);
      await attempt(report, () => writeReport(folder, report));
      tellGitHub(report, options);
    }
    throw error;
  }
}

/** Runs stages under the lock of the output folder, writes the report and prints the summary. */
export async function runStages(options: RunOptions): Promise<ExitCode> {
  const { loaded, stages, common } = options;
  const lost = new AbortController();
  const { maxDuration } = loaded.config.crawl;
  const signal = AbortSignal.any([limitTime(maxDuration, options.signal), lost.signal]);
  const report = emptyReport(loaded.config.origin.baseUrl);
  let lock: HeldLock | undefined;
  let press: Press | undefined;
  let pressed: ExitCode | undefined;
  const reporter = reporterOf(common, () => press?.pace);
  try {
    const online = stages.includes("crawl") || stages.includes("media");
    const token = online ? (options.token ?? keptSecret(readToken(loaded.config.origin))) : "";
    lock = takeLock(outputPaths(loaded.out).lock, { onLost: (error) => lost.abort(error) });
    if (stages.includes("build")) tryPublishing(loaded.out, loaded.config.publish.swap);
    // Loading the stages takes a while, and a second run must fail immediately.
    const { Press } = await import("./stages.ts");
    // Before the store is opened, which then knows its shared place.
    if (stages.includes("media")) await joinEngine(loaded);
    press = new Press({ ...options, token, signal, lock, reporter, report });
    await press.start();
    for (const stage of stages) await press.run(stage);
    if (stages.includes("build")) await showBuild(loaded, { signal, reporter });
    press.settle();
    pressed = report.exitCode;
    if (options.to !== undefined && pressed === exitCodes.complete)
      report.upload = await uploadTo(options.to, { ...options, signal, reporter });
  } catch (error) {
    const failure = expected(error);
    setFailure(report, failure);
    if (!(failure instanceof StillpressError)) throw error;
  } finally {
    report.warnings = reporter.warnings;
    await attempt(report, () => press?.close());
    tellNext(report);
    await attempt(report, () => {
      // A run that lost the lock leaves the report to the run that has it. One that never had it says so, until the
      // other one ends.
      lock?.ensure();
      writeReport(loaded.out, report);
      if (existsSync(loaded.out)) writeMetrics(loaded.out, report);
      press?.ended(pressed ?? report.exitCode);
    });
    lock?.();
    if (report.error !== undefined) reporter.error(report.error);
    reporter.close();
    tellGitHub(report, common);
    if (common.json) printJson(report);
    await tellHook(loaded.config, loaded.out, report.exitCode);
  }
  if (!common.json && !common.quiet && report.error === undefined)
    printSummary(report, loaded, stages);
  return report.exitCode;
}

/** Copies what `out/public` is to show, where no link does that. */
async function showBuild(
  { out, config }: LoadedConfig,
  shared: { signal: AbortSignal; reporter: Reporter },
): Promise<void> {
  const { showFiles } = await import("../upload/show.ts");
  const { keepDeleted } = config.publish;
  await showFiles({ ...shared, out, keepDeleted, check: false, now: clock });
}

async function uploadTo(
  place: Place,
  { loaded, reporter, signal }: Pick<RunOptions, "loaded" | "signal"> & { reporter: Reporter },
) {
  const { publishArchive } = await import("./publish.ts");
  const guarded = { dryRun: false, check: false, allowDeletions: false, force: false };
  const { first: _, ...summary } = await publishArchive({
    ...{ ...loaded, ...guarded, place, reporter, signal },
  });
  return summary;
}

/** Does a part of the clean-up, and notes its failure unless the run failed before. */
async function attempt(report: Report, work: () => unknown): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (report.error === undefined) setFailure(report, expected(error));
  }
}
