import { join } from "node:path";
import type { Command } from "commander";
import { replayUrls } from "../compare/replay.ts";
import { ConfigError, type ExitCode, exitCodes } from "../errors.ts";
import { plural } from "../lib/words.ts";
import type { Finding } from "../publish/check.ts";
import { deployFolder, publishedArchive } from "../publish/deploy.ts";
import { type Verified, verifyArchive } from "../verify/verify.ts";
import { addressOf, readTokenVariable } from "./compare.ts";
import { outputFolder } from "./folder.ts";
import { addCommonOptions, type CommonOptions, outputStyle, wholeNumber } from "./options.ts";
import { createReporter } from "./progress.ts";
import { abortOnSignals } from "./signals.ts";

interface VerifyCommand extends CommonOptions {
  quick: boolean;
  full: boolean;
  baseUrl?: string;
  tokenEnv?: string;
  sample?: number;
  seed: number;
}

/** Lines that are printed; `--json` has more. */
const printed = 100;

/** `stillpress verify`: checks the output folder, or, with `--base-url`, what a live host answers. */
export function addVerify(program: Command): void {
  addCommonOptions(
    program
      .command("verify")
      .description(
        "check that store and published archive are whole, or that a live host answers all of it (--base-url)",
      ),
  )
    .option("--quick", "look whether everything is there, without reading it; the default", false)
    .option("--full", "read everything: each byte must be what it was", false)
    .option("--base-url <url>", "ask a live host instead; its address, where index.html lies")
    .option("--sample <n>", "number of URLs that are asked, instead of all", wholeNumber(1))
    .option("--seed <n>", "the same seed draws the same URLs", wholeNumber(0), 1)
    .option("--token-env <name>", "environment variable with a token for a host that wants one")
    .action(async (options: VerifyCommand) => {
      if (options.quick && options.full)
        throw new ConfigError("--quick and --full exclude each other");
      const run = options.baseUrl === undefined ? verifyFolder : verifyHost;
      process.exitCode = await run(options);
    });
}

async function verifyFolder(options: VerifyCommand): Promise<ExitCode> {
  const { full, quiet } = options;
  const { out } = outputFolder(options);
  const reporter = createReporter({ ...outputStyle(options), quiet, stream: process.stderr });
  const verified = await verifyArchive({ out, full, reporter }).finally(() => reporter.close());
  return printVerified(verified, options);
}

/**
 * Prints what was found, a line each, and returns the exit code that says it.
 *
 * @param mended what a repair has done before
 */
export function printVerified(
  { checked, findings, remarks }: Verified,
  { json, quiet }: Pick<CommonOptions, "json" | "quiet">,
  mended?: readonly Finding[],
): ExitCode {
  const exitCode = findings.length === 0 ? exitCodes.complete : exitCodes.damaged;
  if (json) {
    const report = { exitCode, ...(mended && { mended }), checked, findings, remarks };
    process.stdout.write(`${JSON.stringify(report)}\n`);
    return exitCode;
  }
  for (const { path, reason } of findings.slice(0, printed)) {
    process.stdout.write(`${path}: ${reason}\n`);
  }
  if (findings.length > printed) {
    process.stdout.write(`… and ${findings.length - printed} more, see --json\n`);
  }
  if (findings.length > 0 && mended === undefined)
    process.stderr.write('hint: run "stillpress repair"\n');
  if (quiet) return exitCode;
  for (const { path, reason } of remarks.slice(0, printed)) {
    process.stdout.write(`remark: ${path}: ${reason}\n`);
  }
  const { refs, media, blobs, builds, files, references } = checked;
  const counts = [
    `${plural(refs, "ref")} of the snapshot`,
    plural(media, "media file"),
    ...(blobs > 0 ? [plural(blobs, "blob")] : []),
    `${plural(files, "file")} of ${plural(builds, "build")}`,
    ...(references > 0 ? [plural(references, "reference")] : []),
  ];
  process.stdout.write(`${counts.join(", ")}: ${plural(findings.length, "finding")}\n`);
  return exitCode;
}

async function verifyHost(options: VerifyCommand): Promise<ExitCode> {
  const started = Date.now();
  const { json, quiet, sample, seed } = options;
  const baseUrl = addressOf("--base-url", options.baseUrl ?? "");
  const token = readTokenVariable("--token-env", options.tokenEnv);
  const { build, description } = publishedArchive(outputFolder(options).out);
  const reporter = createReporter({ ...outputStyle(options), quiet, stream: process.stderr });
  const { asked, count, differences } = await replayUrls({
    urlMap: join(deployFolder(build), "urlmap.json"),
    root: join(build, "public"),
    description,
    baseUrl,
    sample,
    seed,
    token,
    reporter,
    signal: abortOnSignals(),
  }).finally(() => reporter.close());
  const exitCode = count === 0 ? exitCodes.complete : exitCodes.damaged;
  if (json) {
    const seconds = (Date.now() - started) / 1000;
    process.stdout.write(`${JSON.stringify({ exitCode, asked, count, differences, seconds })}\n`);
    return exitCode;
  }
  for (const { url, kind, text } of differences.slice(0, printed)) {
    process.stdout.write(`${url}\n  ${kind}: ${text}\n`);
  }
  if (count > printed) process.stdout.write(`… and ${count - printed} more, see --json\n`);
  if (!quiet) process.stdout.write(`${plural(asked, "URL")}: ${plural(count, "difference")}\n`);
  return exitCode;
}
