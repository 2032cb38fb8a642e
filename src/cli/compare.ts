import { existsSync } from "node:fs";
import { join } from "node:path";
import { createClient } from "../api/client.ts";
import {
  type Comparison,
  compareMirror,
  type Difference,
  learnOrigin,
} from "../compare/compare.ts";
import { pathsOf, readDescription } from "../compare/description.ts";
import { createServerClient } from "../compare/fetch.ts";
import { address } from "../config/fields.ts";
import { loadConfig, readToken } from "../config/load.ts";
import { ConfigError, type ExitCode, exitCodes } from "../errors.ts";
import type { Reporter } from "../lib/reporter.ts";
import { plural } from "../lib/words.ts";
import { isConfigured } from "./folder.ts";
import { keptSecret } from "./masked.ts";
import { type CommonOptions, reporterOf } from "./options.ts";
import { print, printError, printJson } from "./print.ts";
import { abortOnSignals } from "./signals.ts";

interface CompareCommand extends CommonOptions {
  origin?: string;
  mirror?: string;
  mirrorTokenEnv?: string;
  sample: number;
  seed: number;
  maxDifferences: number;
}

type MirrorAddress = { baseUrl: string; token: string | undefined };

/** Share of requests that the origin may fail to answer. */
const maxUncompared = 0.01;

/** `stillpress compare`: asks origin and mirror the same questions. */
export async function runCompare(options: CompareCommand): Promise<ExitCode> {
  const started = Date.now();
  if (options.mirror === undefined) {
    const hint = "name it with --mirror, such as --mirror http://127.0.0.1:8080/api/v1";
    throw new ConfigError("compare needs the address of the mirror", { hint });
  }
  const baseUrl = addressOf("--mirror", options.mirror);
  const mirror = { baseUrl, token: tokenIn("--mirror-token-env", options.mirrorTokenEnv) };
  const reporter = reporterOf(options);
  const result = await compared(options, mirror, reporter).finally(() => reporter.close());
  const { asked, differences, uncompared } = result;
  const unanswered = uncompared.length > maxUncompared * asked;
  const whenSame = unanswered ? exitCodes.origin : exitCodes.complete;
  const exitCode = differences.length > 0 ? exitCodes.damaged : whenSame;
  const seconds = (Date.now() - started) / 1000;
  if (options.json) printJson({ exitCode, ...result, seconds });
  else printComparison(result, options);
  return exitCode;
}

async function compared(options: CompareCommand, mirror: MirrorAddress, reporter: Reporter) {
  const { sample, seed, maxDifferences } = options;
  const signal = abortOnSignals();
  const { config, out } = await settingsOf(options, mirror, reporter);
  const token = keptSecret(readToken(config.origin));
  const store = join(out, "store");
  const rateFile = existsSync(store) ? join(store, "rate.json") : undefined;
  const client = createClient({ config, token, reporter, signal, rateFile });
  try {
    const origin = await learnOrigin(config, client, { seed, reporter });
    const asked = { ...mirror, sample, seed, maxDifferences, secrets: [token], reporter, signal };
    return await compareMirror(origin, asked).finally(() => origin.reader.close());
  } finally {
    await client.close();
  }
}

function printComparison(
  { asked, differences, uncompared }: Comparison,
  { sample, seed, quiet }: CompareCommand,
): void {
  print(differences.flatMap(differenceLines));
  const gone = uncompared.map(({ request, reason }) => `not compared: GET ${request}: ${reason}`);
  printError(gone.slice(0, 20));
  if (quiet) return;
  const requests = `${plural(asked, "request")}, seed ${seed}`;
  const gaps = uncompared.length === 0 ? "" : `, ${uncompared.length} not comparable`;
  const stopped = asked < sample ? "; stopped early, see --max-differences" : "";
  const found = plural(differences.length, "difference");
  print([`${requests}: ${found}${gaps}${stopped}`]);
}

function differenceLines({ request, kind, text, changes = [] }: Difference): string[] {
  if (changes.length < 2) return [`GET ${request}`, `  ${kind}: ${text}`];
  const places = changes.flatMap(({ path, origin, mirror }) => [
    ...[`    ${path}`, `      - ${origin}`, `      + ${mirror}`],
  ]);
  return [`GET ${request}`, `  ${kind}: (- origin, + mirror)`, ...places];
}

/** The configuration. Without a file, what the command line and the environment say, and the paths that the mirror names. */
async function settingsOf(options: CompareCommand, mirror: MirrorAddress, reporter: Reporter) {
  const { config, out } = options;
  const origin = options.origin && addressOf("--origin", options.origin);
  const flags = { out, origin };
  if (isConfigured(options)) return loadConfig({ file: config, flags });
  if (origin === undefined && !process.env.STILLPRESS_ORIGIN_BASE_URL) {
    const hint = "name it with --origin, or a configuration with --config";
    throw new ConfigError("compare needs the address of the API", { hint });
  }
  const server = createServerClient(mirror.baseUrl, mirror);
  const described = await readDescription(server, mirror.baseUrl).finally(() => server.close());
  if (described === undefined)
    reporter.warn("the mirror does not describe itself; asking for everything that is documented");
  const settings = { origin: { paths: described && pathsOf(described.rules) } };
  return loadConfig({ file: mirror.baseUrl, text: JSON.stringify(settings), flags });
}

/** An http(s) URL without a slash at the end. @throws ConfigError */
export function addressOf(option: string, text: string): string {
  const parsed = address.safeParse(text);
  if (parsed.success) return parsed.data;
  throw new ConfigError(`${option}: ${parsed.error.issues[0]?.message}, got "${text}"`);
}

/** The token in the variable that an option names. @throws ConfigError where it is empty */
export function tokenIn(option: string, variable: string | undefined): string | undefined {
  if (variable === undefined) return undefined;
  if (!process.env[variable]?.trim()) {
    throw new ConfigError(`${option}: the variable ${variable} is not set`);
  }
  return keptSecret(readToken({ tokenEnv: variable, tokenFile: null }));
}
