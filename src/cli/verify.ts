import { join } from "node:path";
import { replayUrls } from "../compare/replay.ts";
import { ConfigError, type ExitCode, exitCodes } from "../errors.ts";
import { plural } from "../lib/words.ts";
import type { Finding } from "../publish/check.ts";
import { deployFolder, publishedArchive } from "../publish/deploy.ts";
import type { Blobs } from "../store/blobs.ts";
import { type Verified, verifyArchive } from "../verify/verify.ts";
import { addressOf, tokenIn } from "./compare.ts";
import { engineFor } from "./engine.ts";
import { pasteable } from "./failures.ts";
import { outputFolder } from "./folder.ts";
import { type CommonOptions, reporterOf } from "./options.ts";
import { print, printError, printJson } from "./print.ts";
import { abortOnSignals } from "./signals.ts";

interface VerifyCommand extends CommonOptions {
  quick: boolean;
  full: boolean;
  baseUrl?: string;
  tokenEnv?: string;
  files: boolean;
  sample?: number;
  seed: number;
}

/** `stillpress verify`: checks the output folder, or, with `--base-url`, what a live host answers. */
export async function runVerify(options: VerifyCommand): Promise<ExitCode> {
  if (options.quick && options.full) throw new ConfigError("--quick and --full exclude each other");
  if (options.baseUrl !== undefined) return verifyHost(options);
  if (options.sample !== undefined) {
    throw new ConfigError("--sample is a number of URLs, and needs --base-url");
  }
  if (options.files) throw new ConfigError("--files is about a live host, and needs --base-url");
  const { full } = options;
  const { out, loaded } = outputFolder(options);
  const reporter = reporterOf(options);
  const engine = async (blobs: Blobs) =>
    loaded && (await engineFor(loaded, blobs, { reporter, signal: abortOnSignals() }));
  const verified = await verifyArchive({ out, full, engine, reporter }).finally(() =>
    reporter.close(),
  );
  return printVerified(verified, options);
}

/** Prints the findings and returns the exit code. `mended` is what a repair has done before. */
export function printVerified(
  { checked, findings, remarks }: Verified,
  { json, quiet }: Pick<CommonOptions, "json" | "quiet">,
  mended?: readonly Finding[],
): ExitCode {
  const exitCode = findings.length === 0 ? exitCodes.complete : exitCodes.damaged;
  if (json) {
    printJson({ exitCode, mended, checked, findings, remarks });
    return exitCode;
  }
  printFirst(findings, findings.length, ({ path, reason }) => [`${path}: ${reason}`]);
  if (findings.length > 0 && mended === undefined)
    printError([`hint: ${pasteable('run "stillpress repair"')}`]);
  if (quiet) return exitCode;
  printFirst(remarks, remarks.length, ({ path, reason }) => [`remark: ${path}: ${reason}`]);
  const { refs, media, blobs, builds, files, references } = checked;
  const counts = [
    `${plural(refs, "ref")} of the snapshot`,
    plural(media, "media file"),
    ...(blobs > 0 ? [plural(blobs, "blob")] : []),
    `${plural(files, "file")} of ${plural(builds, "build")}`,
    ...(references > 0 ? [plural(references, "reference")] : []),
  ];
  print([`${counts.join(", ")}: ${plural(findings.length, "finding")}`]);
  return exitCode;
}

/** Findings that are printed; `--json` has more. */
const printed = 100;

function printFirst<T>(findings: readonly T[], count: number, linesOf: (finding: T) => string[]) {
  print(findings.slice(0, printed).flatMap(linesOf));
  if (count > printed) print([`… and ${count - printed} more, see --json`]);
}

async function verifyHost(options: VerifyCommand): Promise<ExitCode> {
  const started = Date.now();
  const { json, quiet, sample, seed, files } = options;
  const baseUrl = addressOf("--base-url", options.baseUrl ?? "");
  const token = tokenIn("--token-env", options.tokenEnv);
  const { build, description } = publishedArchive(outputFolder(options).out);
  const reporter = reporterOf(options);
  const [urlMap, root] = [join(deployFolder(build), "urlmap.json"), join(build, "public")];
  const signal = abortOnSignals();
  const host = { urlMap, root, description, baseUrl, files, sample, seed, token, reporter, signal };
  const result = await replayUrls(host).finally(() => reporter.close());
  const { asked, count, differences, notRedirected } = result;
  const exitCode = count === 0 ? exitCodes.complete : exitCodes.damaged;
  if (json) {
    printJson({ exitCode, ...result, seconds: (Date.now() - started) / 1000 });
    return exitCode;
  }
  printFirst(differences, count, ({ url, kind, text }) => [url, `  ${kind}: ${text}`]);
  if (quiet) return exitCode;
  if (notRedirected > 0) {
    print([`remark: ${notRedirected} former addresses of pages are not redirected`]);
  }
  print([`${plural(asked, "URL")}: ${plural(count, "difference")}`]);
  return exitCode;
}
