import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { findNodeAtLocation, getNodeValue } from "jsonc-parser";
import { type Config, ConfigSchema } from "../config.ts";
import { ConfigError, type ErrorDetails } from "../errors.ts";
import { isErrno } from "../lib/files.ts";
import { createTokenFinder } from "../lib/token.ts";
import { applyEnvironment, type Settings, setPath } from "./environment.ts";
import { mistakesOf, type SourceOf } from "./issues.ts";
import { parseJsonc } from "./jsonc.ts";

/** A configuration, and the absolute paths of its output folder and templates. */
export type LoadedConfig = ReturnType<typeof loadConfig>;

export interface LoadOptions {
  file: string;
  /** Instead of the file's content. */
  text?: string;
  flags?: Partial<Record<(typeof flags)[number][0], string | undefined>>;
  env?: NodeJS.ProcessEnv;
}

/** The flags that set a setting, and its path. */
const flags = [
  ["out", ["out"]],
  ["refresh", ["crawl", "refresh"]],
  ["origin", ["origin", "baseUrl"]],
] as const;

/**
 * Reads a configuration: flags win over `STILLPRESS_*` variables, these over the file, the file over defaults.
 *
 * @throws ConfigError naming file, line, key path, what was expected and the nearest known key
 */
export function loadConfig(options: LoadOptions) {
  const { settings, sourceOf } = readSettings(options);
  // So that what is missing is the address, not "an object".
  if (!Object.hasOwn(settings, "origin")) settings.origin = {};
  const parsed = ConfigSchema.safeParse(settings, { reportInput: true });
  if (!parsed.success) {
    const { message, hint } = mistakesOf(parsed.error, sourceOf);
    // A message repeats what stands in the file, which may be the token in the wrong place.
    const [token = ""] = knownTokens(Object(settings.origin), options.env);
    throw new ConfigError(createTokenFinder(token).without(message), { hint });
  }
  const config = parsed.data;
  return { config, out: resolve(config.out), templates: resolve(config.site.templates) };
}

/** The output folder, even if the rest of the configuration is wrong; `out` where nothing names one. */
export function outputFolderIn(options: LoadOptions): string {
  let out: unknown = options.flags?.out;
  try {
    out = readSettings(options).settings.out;
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
  }
  return resolve(String(out ?? "out"));
}

/** What file, variables and flags say together, unchecked. @throws ConfigError where the file is no JSON */
function readSettings({ file, env = process.env, ...given }: LoadOptions) {
  const hint = 'name a configuration with --config FILE, or write one with "stillpress init"';
  const text = (given.text ?? readNamed(file, "", { hint })).replace(/^\uFEFF/, "");
  const tree = parseJsonc(file, text);
  const settings = getNodeValue(tree) as Settings;
  const sources = applyEnvironment(settings, env);
  for (const [flag, path] of flags) {
    const value = given.flags?.[flag];
    if (value === undefined) continue;
    setPath(settings, path, value);
    sources.set(path.join("."), `--${flag}`);
  }
  /** The flag, the variable or the line of the file that has set a setting. */
  const sourceOf: SourceOf = (path) => {
    for (let length = path.length; length > 0; length--) {
      const name = sources.get(path.slice(0, length).join("."));
      if (name !== undefined) return { name, line: "" };
    }
    const node = findNodeAtLocation(tree, [...path] as (string | number)[]);
    if (node === undefined || path.length === 0) return { name: file, line: "" };
    const start = node.parent?.type === "property" ? node.parent : node;
    const line = text.slice(0, start.offset).split(/\r\n|\r|\n/).length;
    return { name: file, line: ` (line ${line})` };
  };
  return { settings, sourceOf };
}

/** The bearer token, from the configured file or environment variable. @throws ConfigError where there is none */
export function readToken(
  { tokenEnv, tokenFile }: Pick<Config["origin"], "tokenEnv" | "tokenFile">,
  env: NodeJS.ProcessEnv = process.env,
): string {
  const text = tokenFile === null ? env[tokenEnv] : readNamed(tokenFile, "origin.tokenFile: ");
  const token = text?.trim() ?? "";
  const [source, lack] =
    tokenFile === null ? [`the variable ${tokenEnv}`, "is not set"] : [tokenFile, "is empty"];
  if (token === "") {
    throw new ConfigError(`no token: ${source} ${lack}`, {
      hint: "set it to an access token, or name a file with the origin's token in origin.tokenFile",
    });
  }
  if (!/^[\x21-\x7e]+$/.test(token)) {
    throw new ConfigError(`${source}: the token has characters that no HTTP header may carry`, {
      hint: 'expected the token alone, without quotes, spaces and the word "Bearer"',
    });
  }
  return token;
}

/** The token, for commands that can do without; none if it cannot be read. */
export function knownTokens(
  { tokenEnv = "", tokenFile = null }: Partial<Config["origin"]>,
  env?: NodeJS.ProcessEnv,
): string[] {
  try {
    // An unchecked number would be an open file.
    return [readToken({ tokenEnv, tokenFile: tokenFile && String(tokenFile) }, env)];
  } catch {
    return [];
  }
}

/** `name` stands before the path in a message. */
function readNamed(path: string, name: string, details: ErrorDetails = {}): string {
  try {
    return readFileSync(path, "utf8");
  } catch (cause) {
    const reason = isErrno(cause, "ENOENT") ? "no such file" : "cannot be read";
    throw new ConfigError(`${name}${path}: ${reason}`, { ...details, cause });
  }
}
