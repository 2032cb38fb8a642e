import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import {
  findNodeAtLocation,
  getNodeValue,
  type Node,
  type ParseError,
  parseTree,
  printParseErrorCode,
} from "jsonc-parser";
import { z } from "zod";
import { type Config, ConfigSchema } from "./config.ts";
import { ConfigError } from "./errors.ts";
import { isErrno } from "./lib/files.ts";

/** A configuration with what is needed to use it. */
export interface LoadedConfig {
  config: Config;
  /** Absolute path of the output folder: relative to the working directory. */
  out: string;
  /** Absolute path of the folder with the user's templates: relative to the working directory. */
  templates: string;
}

export interface LoadOptions {
  /** Path of a JSON or JSONC file. */
  file: string;
  /** Values of flags, which win over the environment and the file. */
  flags?: { out?: string | undefined };
  env?: NodeJS.ProcessEnv;
}

type Settings = Record<string, unknown>;

/**
 * Reads a configuration: flags win over `STILLPRESS_*` variables, these over the file, the file over defaults.
 *
 * @throws ConfigError naming file, line, key path, what was expected and the nearest known key
 */
export function loadConfig({ file, flags = {}, env = process.env }: LoadOptions): LoadedConfig {
  const text = readConfigFile(file);
  const errors: ParseError[] = [];
  const tree = parseTree(text, errors, { allowTrailingComma: true });
  const [error] = errors;
  if (error !== undefined) {
    throw new ConfigError(
      `${file}:${place(text, error.offset)}: ${printParseErrorCode(error.error)}`,
      {
        hint: "expected JSON; comments and trailing commas are allowed",
      },
    );
  }
  if (tree?.type !== "object") throw new ConfigError(`${file}: expected a JSON object`);
  const settings = getNodeValue(tree) as Settings;
  const fromEnv = applyEnvironment(settings, env);
  if (flags.out !== undefined) settings.out = flags.out;
  const parsed = ConfigSchema.safeParse(settings, { reportInput: true });
  if (!parsed.success) {
    throw configError(parsed.error, (path) => sourceOf(path, file, text, tree, fromEnv));
  }
  return {
    config: parsed.data,
    out: resolve(parsed.data.out),
    templates: resolve(parsed.data.site.templates),
  };
}

/**
 * The bearer token, from the file or the environment variable that the configuration names.
 *
 * @throws ConfigError where there is none
 */
export function readToken(origin: Config["origin"], env: NodeJS.ProcessEnv = process.env): string {
  const { tokenEnv, tokenFile } = origin;
  const token = tokenFile === null ? env[tokenEnv] : readSecret(tokenFile);
  const trimmed = token?.trim() ?? "";
  if (trimmed === "") {
    throw new ConfigError(
      tokenFile === null
        ? `no token: the variable ${tokenEnv} is not set`
        : `no token: ${tokenFile} is empty`,
      { hint: "set it to an access token of the service, or name a file in origin.tokenFile" },
    );
  }
  if (!/^[\x21-\x7e]+$/.test(trimmed)) {
    throw new ConfigError("the token has characters that no HTTP header may carry");
  }
  return trimmed;
}

function readSecret(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (cause) {
    throw new ConfigError(`origin.tokenFile: ${path} cannot be read`, { cause });
  }
}

function readConfigFile(file: string): string {
  try {
    return readFileSync(file, "utf8").replace(/^\uFEFF/, "");
  } catch (cause) {
    const missing = isErrno(cause, "ENOENT");
    throw new ConfigError(`${file}: ${missing ? "no such file" : "cannot be read"}`, {
      cause,
      hint: 'name a configuration with --config FILE, or try "stillpress demo"',
    });
  }
}

/** Sets what `STILLPRESS_ORIGIN_BASE_URL` and its like say; returns the key paths that came from there. */
function applyEnvironment(settings: Settings, env: NodeJS.ProcessEnv): Map<string, string> {
  const variables = new Map(leafPaths(ConfigSchema).map((path) => [variableOf(path), path]));
  const applied = new Map<string, string>();
  for (const [name, value] of Object.entries(env)) {
    const isSetting = name.startsWith("STILLPRESS_") && !name.startsWith("STILLPRESS_TOKEN");
    if (!isSetting || value === undefined) continue;
    const path = variables.get(name);
    if (path === undefined) {
      throw new ConfigError(`${name}: no such setting`, nearestHint(name, [...variables.keys()]));
    }
    setPath(settings, path, parseValue(value));
    applied.set(path.join("."), name);
  }
  return applied;
}

/** `origin.baseUrl` → `STILLPRESS_ORIGIN_BASE_URL`. */
function variableOf(path: readonly string[]): string {
  const words = path.map((part) => part.replace(/([a-z])([A-Z])/g, "$1_$2").toUpperCase());
  return `STILLPRESS_${words.join("_")}`;
}

function parseValue(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function setPath(settings: Settings, path: readonly string[], value: unknown): void {
  let target = settings;
  for (const part of path.slice(0, -1)) {
    const inner = target[part];
    const next: Settings = typeof inner === "object" && inner !== null ? (inner as Settings) : {};
    target[part] = next;
    target = next;
  }
  target[path.at(-1) as string] = value;
}

/** Key paths of all settings, objects opened. */
function leafPaths(schema: z.ZodType, path: string[] = []): string[][] {
  const shape = shapeOf(schema);
  if (shape === undefined) return [path];
  return Object.entries(shape)
    .filter(([name]) => name !== "$schema")
    .flatMap(([name, inner]) => leafPaths(inner, [...path, name]));
}

function shapeOf(schema: z.ZodType): Record<string, z.ZodType> | undefined {
  if (schema instanceof z.ZodObject) return schema.shape as Record<string, z.ZodType>;
  if (schema instanceof z.ZodPrefault || schema instanceof z.ZodDefault) {
    return shapeOf(schema.def.innerType as z.ZodType);
  }
  return undefined;
}

function configError(
  error: z.ZodError,
  source: (path: PropertyKey[]) => { name: string; line?: string },
): ConfigError {
  const lines: string[] = [];
  let hint: string | undefined;
  const add = (path: PropertyKey[], message: string): void => {
    const { name, line = "" } = source(path);
    lines.push(`${name}: ${message}${line}`);
  };
  for (const issue of error.issues) {
    if (issue.code === "unrecognized_keys") {
      for (const key of issue.keys) {
        const known = knownKeys(issue.path);
        add([...issue.path, key], "unknown key");
        hint ??= nearestHint(key, known).hint;
      }
      continue;
    }
    add(issue.path, messageOf(issue));
  }
  return new ConfigError(lines.join("\n       "), hint === undefined ? {} : { hint });
}

function messageOf(issue: z.core.$ZodIssue): string {
  if (issue.code === "invalid_value")
    return `expected ${issue.values.map((v) => JSON.stringify(v)).join(" or ")}`;
  if (issue.message.startsWith("expected")) return withInput(issue.message, issue.input);
  return withInput(
    issue.message.replace(/^Invalid input: /, "").replace(/, received .*/, ""),
    issue.input,
  );
}

function withInput(message: string, input: unknown): string {
  if (input === undefined || typeof input === "object") return message;
  return `${message}, got ${JSON.stringify(input)}`;
}

function knownKeys(path: readonly PropertyKey[]): string[] {
  let schema: z.ZodType | undefined = ConfigSchema;
  for (const part of path) schema = schema && shapeOf(schema)?.[String(part)];
  return Object.keys((schema && shapeOf(schema)) ?? {});
}

function nearestHint(name: string, known: readonly string[]): { hint?: string } {
  const ranked = known
    .map((candidate) => ({
      candidate,
      distance: editDistance(name.toLowerCase(), candidate.toLowerCase()),
    }))
    .sort((a, b) => a.distance - b.distance);
  const best = ranked[0];
  if (best === undefined) return {};
  if (best.distance > Math.max(2, name.length / 2))
    return { hint: `known keys: ${known.join(", ")}` };
  return { hint: `did you mean "${best.candidate}"?` };
}

/** Number of single-character edits between two words (Levenshtein). */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const change = (row[j - 1] as number) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(change, (row[j] as number) + 1, (next[j - 1] as number) + 1));
    }
    row = next;
  }
  return row[b.length] as number;
}

/** Where a setting stands: `config/ci.json: media.variants[2].width`, and its line where that is known. */
function sourceOf(
  path: PropertyKey[],
  file: string,
  text: string,
  tree: Node,
  fromEnv: ReadonlyMap<string, string>,
): { name: string; line?: string } {
  const shown = path
    .map((part) => (typeof part === "number" ? `[${part}]` : `.${String(part)}`))
    .join("")
    .replace(/^\./, "");
  const variable = fromEnv.get(path.join("."));
  if (variable !== undefined) return { name: `${variable}: ${shown}` };
  const name = `${file}: ${shown === "" ? "(whole file)" : shown}`;
  const node = findNodeAtLocation(tree, path as (string | number)[]);
  if (node === undefined || path.length === 0) return { name };
  return { name, line: ` (line ${place(text, (node.parent ?? node).offset).split(":")[0]})` };
}

/** `line:column`, counted from 1. */
function place(text: string, offset: number): string {
  const before = text.slice(0, offset).split("\n");
  return `${before.length}:${(before.at(-1) as string).length + 1}`;
}
