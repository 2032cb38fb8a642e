import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { createClient } from "../api/client.ts";
import { compareMirror, type Difference, learnOrigin } from "../compare/compare.ts";
import { pathsOf, readDescription } from "../compare/description.ts";
import { createServerClient } from "../compare/fetch.ts";
import { applyEnvironment } from "../config/environment.ts";
import { loadConfig, readToken } from "../config/load.ts";
import { type Config, ConfigSchema } from "../config.ts";
import { ConfigError, type ExitCode, exitCodes } from "../errors.ts";
import type { Reporter } from "../lib/reporter.ts";
import { plural } from "../lib/words.ts";
import { keptSecret } from "./masked.ts";
import { type CommonOptions, defaultConfigFile, printJson, reporterOf } from "./options.ts";
import { abortOnSignals } from "./signals.ts";

interface CompareCommand extends CommonOptions {
  origin?: string;
  mirror?: string;
  mirrorTokenEnv?: string;
  sample: number;
  seed: number;
  maxDifferences: number;
}

/** Share of requests that the origin may fail to answer. */
const maxUncompared = 0.01;

/** `stillpress compare`: asks origin and mirror the same questions. */
export async function runCompare(options: CompareCommand): Promise<ExitCode> {
  const started = Date.now();
  const { sample, seed, maxDifferences, json } = options;
  if (options.mirror === undefined) {
    throw new ConfigError("compare needs the address of the mirror", {
      hint: "name it with --mirror, such as --mirror http://127.0.0.1:8080/api/v1",
    });
  }
  const mirrorUrl = addressOf("--mirror", options.mirror);
  const mirrorToken = readTokenVariable("--mirror-token-env", options.mirrorTokenEnv);
  const signal = abortOnSignals();
  const reporter = reporterOf(options);
  try {
    const { config, out } = await settingsOf(options, mirrorUrl, mirrorToken, reporter);
    const token = keptSecret(readToken(config.origin));
    const store = join(out, "store");
    const client = createClient({
      config,
      token,
      reporter,
      signal,
      rateFile: existsSync(store) ? join(store, "rate.json") : undefined,
    });
    try {
      const origin = await learnOrigin(config, client, { seed, reporter });
      const { asked, differences, uncompared } = await compareMirror(origin, {
        baseUrl: mirrorUrl,
        token: mirrorToken,
        sample,
        seed,
        maxDifferences,
        secrets: [token],
        reporter,
        signal,
      }).finally(() => origin.reader.close());
      const exitCode =
        differences.length > 0
          ? exitCodes.damaged
          : uncompared.length > maxUncompared * asked
            ? exitCodes.origin
            : exitCodes.complete;
      reporter.close();
      const seconds = (Date.now() - started) / 1000;
      if (json) {
        const result = { exitCode, asked, differences, uncompared, seconds };
        printJson(result);
      } else {
        process.stdout.write(differences.map(differenceText).join(""));
        for (const { request, reason } of uncompared.slice(0, 20)) {
          process.stderr.write(`not compared: GET ${request}: ${reason}\n`);
        }
        if (!options.quiet) {
          const requests = `${plural(asked, "request")}, seed ${seed}`;
          const gaps = uncompared.length === 0 ? "" : `, ${uncompared.length} not comparable`;
          const stopped = asked < sample ? "; stopped early, see --max-differences" : "";
          process.stdout.write(
            `${requests}: ${plural(differences.length, "difference")}${gaps}${stopped}\n`,
          );
        }
      }
      return exitCode;
    } finally {
      await client.close();
    }
  } finally {
    reporter.close();
  }
}

function differenceText({ request, kind, text, changes = [] }: Difference): string {
  if (changes.length < 2) return `GET ${request}\n  ${kind}: ${text}\n`;
  const places = changes.map(
    ({ path, origin, mirror }) => `    ${path}\n      - ${origin}\n      + ${mirror}\n`,
  );
  return `GET ${request}\n  ${kind}: (- origin, + mirror)\n${places.join("")}`;
}

/**
 * The configuration; without a file, what the command line and the environment say, and the paths that the mirror
 * knows of its origin.
 */
async function settingsOf(
  options: CompareCommand,
  mirrorUrl: string,
  mirrorToken: string | undefined,
  reporter: Reporter,
): Promise<{ config: Config; out: string }> {
  const origin = options.origin === undefined ? undefined : addressOf("--origin", options.origin);
  if (options.config !== defaultConfigFile || existsSync(options.config)) {
    const { config, out } = loadConfig({ file: options.config, flags: { out: options.out } });
    if (origin === undefined || origin === config.origin.baseUrl) return { config, out };
    return { config: { ...config, origin: { ...config.origin, baseUrl: origin } }, out };
  }
  const server = createServerClient(mirrorUrl, { token: mirrorToken });
  const described = await readDescription(server, mirrorUrl).finally(() => server.close());
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

/** The token in an environment variable that an option names. @throws ConfigError where it is empty */
export function readTokenVariable(option: string, name: string | undefined): string | undefined {
  if (name === undefined) return undefined;
  const token = process.env[name]?.trim() ?? "";
  if (token !== "") return keptSecret(token);
  throw new ConfigError(`${option}: the variable ${name} is not set`);
}
