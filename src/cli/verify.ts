import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Command } from "commander";
import { replayUrls } from "../compare/replay.ts";
import { loadConfig } from "../config/load.ts";
import { ConfigError, type ExitCode, exitCodes } from "../errors.ts";
import { plural } from "../lib/words.ts";
import { deployFolder, publishedArchive } from "../publish/deploy.ts";
import { addressOf, readTokenVariable } from "./compare.ts";
import { addCommonOptions, type CommonOptions, outputStyle, wholeNumber } from "./options.ts";
import { createReporter } from "./progress.ts";
import { abortOnSignals } from "./run.ts";

interface VerifyCommand extends CommonOptions {
  baseUrl?: string;
  tokenEnv?: string;
  sample?: number;
  seed: number;
}

/** Lines that are printed; `--json` has more. */
const printed = 100;

/** `stillpress verify --base-url URL`: asks a live host for every URL of the published archive. */
export function addVerify(program: Command): void {
  addCommonOptions(
    program
      .command("verify")
      .description(
        "check that a live host answers every URL of the published archive (--base-url)",
      ),
  )
    .option("--base-url <url>", "address of the host, where index.html lies; needed")
    .option("--sample <n>", "number of URLs that are drawn, instead of all", wholeNumber(1))
    .option("--seed <n>", "the same seed draws the same URLs", wholeNumber(0), 1)
    .option("--token-env <name>", "environment variable with a token for a host that wants one")
    .action(async (options: VerifyCommand) => {
      process.exitCode = await runVerify(options);
    });
}

async function runVerify(options: VerifyCommand): Promise<ExitCode> {
  const started = Date.now();
  const { json, quiet, sample, seed } = options;
  if (options.baseUrl === undefined) {
    throw new ConfigError("verify needs the address of a host that serves the archive", {
      hint: "name it with --base-url, such as --base-url https://archive.example.org",
    });
  }
  const baseUrl = addressOf("--base-url", options.baseUrl);
  const token = readTokenVariable("--token-env", options.tokenEnv);
  const loaded = existsSync(options.config) ? loadConfig({ file: options.config }) : undefined;
  const out = resolve(options.out ?? loaded?.out ?? "out");
  const { build, description } = publishedArchive(out);
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
