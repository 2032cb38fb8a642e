import { ConfigError, type ExitCode, exitCodes, StillpressError, StoreError } from "../errors.ts";
import { isErrno } from "../lib/files.ts";
import { emptyReport, type Report, setFailure, setNext } from "../publish/report.ts";
import { masked } from "./masked.ts";
import { reporterOf } from "./options.ts";
import { printError, printJson } from "./print.ts";

/** Failures of the local disk as expected errors; any other error as it is. */
export function expected(error: unknown): unknown {
  const ofDisk = { cause: error, exitCode: exitCodes.disk };
  if (isErrno(error, "ENOSPC", "EDQUOT", "EFBIG")) {
    const hint = "free some space and run again; everything finished so far is kept";
    return new StoreError("the local disk is full", { ...ofDisk, hint });
  }
  if (isErrno(error, "EACCES", "EPERM", "EROFS")) {
    const message = `no access to ${error.path ?? "a file"} (${error.code})`;
    const hint = "give this user access to the output folder, or name another one with --out";
    return new StoreError(message, { ...ofDisk, hint });
  }
  if (isErrno(error, "ENOTSUP", "EOPNOTSUPP", "ENOSYS")) {
    const message = `the file system of ${error.path ?? "a file"} cannot do this: ${error.message}`;
    const hint = "name an output folder on another file system with --out";
    return new StoreError(message, { ...ofDisk, hint });
  }
  if (isErrno(error, "EMFILE", "ENFILE", "EIO")) {
    return new StoreError(`${error.path ?? "a file"}: ${error.message}`, ofDisk);
  }
  if (isErrno(error, "ENOTDIR") || (isErrno(error, "EEXIST") && error.syscall === "mkdir")) {
    const hint = 'the output folder, --out or "out", must not be a file, nor lie below one';
    return new ConfigError(`${error.path ?? "a path"}: ${error.message}`, { cause: error, hint });
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

/** The command line of this run, to be pasted into a shell. */
export function commandLine(args: readonly string[] = process.argv.slice(2)): string {
  return masked(["npx stillpress", ...args.map(quoted)].join(" "));
}

/** A hint whose commands can be pasted: with npx, and with the --config and --out of this run. */
export function pasteable(hint: string, args: readonly string[] = process.argv.slice(2)): string {
  const used = ["--config", "--out"].flatMap((name) => {
    const inline = args.find((arg) => arg.startsWith(`${name}=`))?.slice(name.length + 1);
    const value = inline ?? (args.includes(name) ? args[args.indexOf(name) + 1] : undefined);
    return value === undefined ? [] : [` ${name} ${quoted(value)}`];
  });
  return hint.replace(
    /(?:npx )?\bstillpress (snapshot|crawl|media|build|repair|rollback|doctor|init|hosts)\b/g,
    (_, command: string) => `npx stillpress ${command}${used.join("")}`,
  );
}

function quoted(text: string): string {
  return /^[\w./:@=,+-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

/** Prints what ended a command, without secrets, and returns its exit code. */
export function reportThrown(thrown: unknown): ExitCode {
  const error = expected(thrown);
  if (!(error instanceof StillpressError)) {
    const stack = error instanceof Error ? (error.stack ?? "") : "";
    // A message may quote what the origin sent, and only places stand on lines of their own.
    const places = stack.split("\n").filter((line) => /^ +at /.test(line));
    printError([String(error), ...places]);
    return exitCodes.bug;
  }
  const report = reportOf(error);
  const args = process.argv;
  if (args.includes("--json")) printJson(report, masked);
  const isNdjson = /(?:^| )--log-format[ =]ndjson(?: |$)/.test(args.join(" "));
  const logFormat = isNdjson ? "ndjson" : undefined;
  reporterOf({ quiet: false, color: false, logFormat }).error(report.error ?? error);
  return error.exitCode;
}
