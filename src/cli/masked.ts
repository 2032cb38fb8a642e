import { readFileSync } from "node:fs";
import { parse } from "jsonc-parser";
import { z } from "zod";
import { spellingsOf } from "../lib/spellings.ts";
import { defaultConfigFile } from "./options.ts";

/** Names of environment variables whose values are nobody's business. */
const secretName = /token|secret|passw|credential|api_?key/i;
/** Shorter values are no secrets but words, and would be found by chance. */
const minLength = 8;

/** Where a configuration says that the token is. */
export interface TokenPlace {
  tokenEnv?: string | undefined;
  tokenFile?: string | undefined;
}

/**
 * A text that may be printed: the token that the configuration names, and values of environment variables that are
 * secrets by their names, stand there as the names. A message about the configuration repeats what stands in it,
 * which may be a secret in the wrong place.
 *
 * masked('got "s3cr3t-t0k3n"', { STILLPRESS_TOKEN: "s3cr3t-t0k3n" }) → 'got "[STILLPRESS_TOKEN]"'
 */
export function masked(
  text: string,
  environment: NodeJS.ProcessEnv = process.env,
  place: TokenPlace = tokenPlace(process.argv, environment),
): string {
  let clean = text;
  for (const [name, value] of secretsOf(environment, place)) {
    if (value.length < minLength) continue;
    for (const spelling of spellingsOf(value)) clean = clean.replaceAll(spelling, `[${name}]`);
  }
  return clean;
}

function* secretsOf(
  environment: NodeJS.ProcessEnv,
  { tokenEnv, tokenFile }: TokenPlace,
): Generator<[name: string, value: string]> {
  if (tokenFile !== undefined) yield ["origin.tokenFile", textOf(tokenFile)?.trim() ?? ""];
  for (const [name, value = ""] of Object.entries(environment)) {
    if (name === tokenEnv || secretName.test(name)) yield [name, value.trim()];
  }
}

const Settings = z.object({
  origin: z
    .object({
      tokenEnv: z.string().optional().catch(undefined),
      tokenFile: z.string().optional().catch(undefined),
    })
    .catch({}),
});

/**
 * Where the configuration of a command line says that the token is. Read without any check, because the message
 * may be about what is wrong with it.
 */
export function tokenPlace(
  args: readonly string[],
  environment: NodeJS.ProcessEnv = {},
): TokenPlace {
  const file = lastConfig(args) ?? defaultConfigFile;
  const found = Settings.safeParse(parse(textOf(file) ?? ""));
  const { tokenEnv, tokenFile } = found.success ? found.data.origin : {};
  return {
    tokenEnv: environment.STILLPRESS_ORIGIN_TOKEN_ENV || tokenEnv,
    tokenFile: environment.STILLPRESS_ORIGIN_TOKEN_FILE || tokenFile,
  };
}

/** Value of the option `--config`, in either form. */
function lastConfig(args: readonly string[]): string | undefined {
  const at = args.findLastIndex((arg) => arg === "--config" || arg.startsWith("--config="));
  const arg = args[at];
  return arg === "--config" ? args[at + 1] : arg?.slice("--config=".length);
}

function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8").replace(/^\uFEFF/, "");
  } catch {
    // What cannot be read gives nothing away.
    return undefined;
  }
}
