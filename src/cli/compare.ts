import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { createClient } from "../api/client.ts";
import {
  type CompareOptions,
  type Comparison,
  compareMirror,
  type Difference,
  learnOrigin,
} from "../compare/compare.ts";
import { pathsOf, readDescription } from "../compare/description.ts";
import { createServerClient } from "../compare/fetch.ts";
import { applyEnvironment } from "../config/environment.ts";
import { readToken } from "../config/load.ts";
import { ConfigSchema } from "../config.ts";
import { ConfigError, type ExitCode, exitCodes } from "../errors.ts";
import type { Reporter } from "../lib/reporter.ts";
import { plural } from "../lib/words.ts";
import { outputFolder } from "./folder.ts";
import { keptSecret } from "./masked.ts";
import { type CommonOptions, printJson, reporterOf } from "./options.ts";
import { abortOnSignals } from "./signals.ts";

interface CompareCommand extends CommonOptions {
  origin?: string;
  mirror?: string;
  mirrorTokenEnv?: string;
  sample: number;
  seed: number;
  maxDifferences: number;
}

type MirrorAddress = Pick<CompareOptions, "baseUrl" | "token">;

/** Share of requests that the origin may fail to answer. */
const maxUncompared = 0.01;

/** `stillpress compare`: asks origin and mirror the same questions. */
export async function runCompare(options: CompareCommand): Promise<ExitCode> {
  const started = Date.now();
  if (options.mirror === undefined) {
    throw new ConfigError("compare needs the address of the mirror", {
      hint: "name it with --mirror, such as --mirror http://127.0.0.1:8080/api/v1",
    });
  }
  const mirror = {
    baseUrl: addressOf("--mirror", options.mirror),
    token: readTokenVariable("--mirror-token-env", options.mirrorTokenEnv),
  };
  const reporter = reporterOf(options);
  const result = await compared(options, mirror, reporter).finally(() => reporter.close());
  const { asked, differences, uncompared } = result;
  const unanswered = uncompared.length > maxUncompared * asked;
  const whenSame = unanswered ? exitCodes.origin : exitCodes.complete;
  const exitCode = differences.length > 0 ? exitCodes.damaged : whenSame;
  if (options.json) {
    const seconds = (Date.now() - started) / 1000;
    printJson({ exitCode, asked, differences, uncompared, seconds });
  } else printComparison(result, options);
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
    return await compareMirror(origin, {
      ...mirror,
      sample,
      seed,
      maxDifferences,
      secrets: [token],
      reporter,
      signal,
    }).finally(() => origin.reader.close());
  } finally {
    await client.close();
  }
}

function printComparison(
  { asked, differences, uncompared }: Comparison,
  { sample, seed, quiet }: CompareCommand,
): void {
  process.stdout.write(differences.map(differenceText).join(""));
  for (const { request, reason } of uncompared.slice(0, 20)) {
    process.stderr.write(`not compared: GET ${request}: ${reason}\n`);
  }
  if (quiet) return;
  const requests = `${plural(asked, "request")}, seed ${seed}`;
  const gaps = uncompared.length === 0 ? "" : `, ${uncompared.length} not comparable`;
  const stopped = asked < sample ? "; stopped early, see --max-differences" : "";
  const found = plural(differences.length, "difference");
  process.stdout.write(`${requests}: ${found}${gaps}${stopped}\n`);
}

function differenceText({ request, kind, text, changes = [] }: Difference): string {
  if (changes.length < 2) return `GET ${request}\n  ${kind}: ${text}\n`;
  const places = changes.map(
    ({ path, origin, mirror }) => `    ${path}\n      - ${origin}\n      + ${mirror}\n`,
  );
  return `GET ${request}\n  ${kind}: (- origin, + mirror)\n${places.join("")}`;
}

/** The configuration. Without a file, what the command line and the environment say, and the paths that the mirror names. */
async function settingsOf(options: CompareCommand, mirror: MirrorAddress, reporter: Reporter) {
  const origin = options.origin === undefined ? undefined : addressOf("--origin", options.origin);
  const { loaded } = outputFolder(options);
  if (loaded !== undefined) {
    if (origin !== undefined) loaded.config.origin.baseUrl = origin;
    return loaded;
  }
  const server = createServerClient(mirror.baseUrl, mirror);
  const described = await readDescription(server, mirror.baseUrl).finally(() => server.close());
  const settings: Record<string, unknown> = { origin: {} };
  applyEnvironment(settings, process.env);
  const ofOrigin = settings.origin as Record<string, unknown>;
  if (origin !== undefined) ofOrigin.baseUrl = origin;
  if (ofOrigin.baseUrl === undefined) {
    throw new ConfigError("compare needs the address of the API", {
      hint: "name it with --origin, or a configuration with --config",
    });
  }
  if (described !== undefined) ofOrigin.paths ??= pathsOf(described.rules);
  else
    reporter.warn("the mirror does not describe itself; asking for everything that is documented");
  const parsed = ConfigSchema.safeParse(settings);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw new ConfigError(`${issue?.path.join(".")}: ${issue?.message}`);
  }
  return { config: parsed.data, out: resolve(options.out ?? parsed.data.out) };
}

/** An http(s) URL without a slash at the end. @throws ConfigError */
export function addressOf(option: string, text: string): string {
  const parsed = ConfigSchema.shape.origin.shape.baseUrl.safeParse(text);
  if (parsed.success) return parsed.data;
  throw new ConfigError(`${option}: ${parsed.error.issues[0]?.message}, got "${text}"`);
}

/** The token in the variable that an option names. @throws ConfigError where it is empty */
export function readTokenVariable(option: string, name: string | undefined): string | undefined {
  if (name === undefined) return undefined;
  const token = process.env[name]?.trim() ?? "";
  if (token !== "") return keptSecret(token);
  throw new ConfigError(`${option}: the variable ${name} is not set`);
}
