import { ConfigError, type ExitCode, exitCodes, StillpressError, StoreError } from "../errors.ts";
import { isErrno } from "../lib/files.ts";
import { emptyReport, type Report, setFailure, setNext } from "../publish/report.ts";
import { masked } from "./masked.ts";
import { reporterOf } from "./options.ts";
import { commandLine, pasteable } from "./pasteable.ts";

/** Failures of the local disk as expected errors; any other error as it is. */
export function expected(error: unknown): unknown {
  const ofDisk = { cause: error, exitCode: exitCodes.disk };
  if (isErrno(error, "ENOSPC", "EDQUOT", "EFBIG")) {
    const hint = "free some space and run again; everything finished so far is kept";
    return new StoreError("the local disk is full", { ...ofDisk, hint });
  }
  if (isErrno(error, "EACCES", "EPERM", "EROFS")) {
    const hint = "give this user access to the output folder, or name another one with --out";
    return new StoreError(`no access to ${error.path ?? "a file"} (${error.code})`, {
      ...ofDisk,
      hint,
    });
  }
  if (isErrno(error, "EMFILE", "ENFILE", "EIO")) {
    return new StoreError(`${error.path ?? "a file"}: ${error.message}`, ofDisk);
  }
  if (isErrno(error, "ENOTDIR") || (isErrno(error, "EEXIST") && error.syscall === "mkdir")) {
    return new ConfigError(`${error.path ?? "a path"}: ${error.message}`, {
      cause: error,
      hint: 'the output folder, --out or "out", must not be a file, nor lie below one',
    });
  }
  return error;
}

/** The report of a command that failed before it had one. */
export function reportOf(error: unknown): Report {
  const report = emptyReport();
  setFailure(report, error);
  tellNext(report);
  return report;
}

/** Says how to run the same again, and what to do next. */
export function tellNext(report: Report): void {
  report.command = commandLine();
  setNext(report, pasteable);
}

/** Prints what ended a command, without secrets, and returns its exit code. */
export function reportThrown(thrown: unknown, args: readonly string[]): ExitCode {
  const error = expected(thrown);
  if (!(error instanceof StillpressError)) {
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
    process.stderr.write(`${masked(text)}\n`);
    return exitCodes.bug;
  }
  const report = reportOf(error);
  if (args.includes("--json")) process.stdout.write(`${masked(JSON.stringify(report))}\n`);
  const isNdjson = /(?:^| )--log-format[ =]ndjson(?: |$)/.test(args.join(" "));
  const options = { quiet: false, color: false, ...(isNdjson && { logFormat: "ndjson" as const }) };
  reporterOf(options).error(report.error ?? error);
  return error.exitCode;
}
