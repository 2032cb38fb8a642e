import { limitTime } from "../api/time-limit.ts";
import { loadConfig, readToken } from "../config/load.ts";
import { type ExitCode, exitCodes, StillpressError } from "../errors.ts";
import { emptyReport, type Report, setFailure, writeReport } from "../publish/report.ts";
import { outputPaths } from "../publish/swap.ts";
import { type HeldLock, takeLock } from "../store/lock.ts";
import { expected } from "./failures.ts";
import { keptSecret } from "./masked.ts";
import { type CommonOptions, printJson, reporterOf, type StageName } from "./options.ts";
import { abortOnSignals } from "./signals.ts";
import type { Press, PressOptions } from "./stages.ts";
import { printError, printSummary } from "./summary.ts";

export interface RunOptions extends Omit<PressOptions, "token" | "lock" | "reporter" | "report"> {
  common: CommonOptions;
  /** Instead of the configured one. */
  token?: string;
}

/** `stillpress snapshot`, `crawl`, `media` and `build`. */
export function runStageCommand(
  stages: readonly StageName[],
  options: CommonOptions & { allowIncomplete?: boolean; moved?: boolean },
): Promise<ExitCode> {
  const loaded = loadConfig({ file: options.config, flags: { out: options.out } });
  return runStages({
    loaded,
    stages,
    common: options,
    allowIncomplete: options.allowIncomplete ?? false,
    moved: options.moved ?? false,
    signal: abortOnSignals(),
  });
}

/** Runs stages under the lock of the output folder, writes the report and prints the summary. */
export async function runStages(options: RunOptions): Promise<ExitCode> {
  const { loaded, stages, common } = options;
  const lost = new AbortController();
  const { maxDuration } = loaded.config.crawl;
  const signal = AbortSignal.any([limitTime(maxDuration, options.signal), lost.signal]);
  const report = emptyReport();
  let lock: HeldLock | undefined;
  let press: Press | undefined;
  const reporter = reporterOf(common, () => press?.status() ?? "");
  try {
    const online = stages.includes("crawl") || stages.includes("media");
    const configured = () => keptSecret(readToken(loaded.config.origin));
    const token = online ? (options.token ?? configured()) : undefined;
    lock = takeLock(outputPaths(loaded.out).lock, { onLost: (error) => lost.abort(error) });
    // Loading the stages takes a while, and a second run must fail immediately.
    const { Press } = await import("./stages.ts");
    press = new Press({ ...options, token, signal, lock, reporter, report });
    for (const stage of stages) await press.run(stage);
    press.settle();
  } catch (error) {
    const failure = expected(error);
    setFailure(report, failure);
    if (!(failure instanceof StillpressError)) throw error;
  } finally {
    reporter.close();
    try {
      if (press?.client !== undefined) {
        const { stats, pausedMs } = press.client;
        Object.assign(report, stats, { pausedMs });
      }
      await press?.close();
    } catch (error) {
      failLate(report, error);
    }
    if (lock !== undefined) {
      try {
        // Without the lock, the folder and its report belong to another run.
        lock.ensure();
        // With a wrong setting, the folder may be that of another archive.
        if (report.exitCode !== exitCodes.usage) writeReport(loaded.out, report);
        press?.ended(report.exitCode);
      } catch (error) {
        failLate(report, error);
      } finally {
        lock();
      }
    }
    if (common.json) printJson(report);
    else if (report.error !== undefined) printError(report.error);
  }
  if (!common.json && !common.quiet && report.error === undefined)
    printSummary(report, loaded, stages);
  return report.exitCode;
}

/** Notes a failure of the clean-up, unless the run failed before. */
function failLate(report: Report, error: unknown): void {
  if (report.error === undefined) setFailure(report, expected(error));
}
