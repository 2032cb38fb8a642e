import { ConfigError } from "../errors.ts";
import { isObject, memberAt } from "../lib/objects.ts";
import { nearestWord } from "./nearest.ts";
import { leafSettings } from "./shape.ts";

export type Settings = Record<string, unknown>;

const prefix = "STILLPRESS_";
const defaultTokenEnv = "STILLPRESS_TOKEN";
/** What commands of hooks are told: they may run stillpress themselves. */
const told = new Set(["STILLPRESS_CHANGES", "STILLPRESS_REPORT", "STILLPRESS_EXIT_CODE"]);

/**
 * Applies variables such as `STILLPRESS_ORIGIN_BASE_URL`: text as it is, other values as JSON. Empty variables count as
 * not set, because pipelines pass them on.
 *
 * @returns the variable that set each key path
 * @throws ConfigError where a variable names no setting
 */
export function applyEnvironment(settings: Settings, env: NodeJS.ProcessEnv): Map<string, string> {
  const variables = new Map([...leafSettings()].map((leaf) => [variableOf(leaf.path), leaf]));
  const applied = new Map<string, string>();
  for (const [name, value] of Object.entries(env)) {
    if (!name.startsWith(prefix) || told.has(name) || !value) continue;
    const leaf = variables.get(name);
    if (leaf === undefined) {
      if (name === tokenVariable(settings, env) || name === defaultTokenEnv) continue;
      const meant = nearestWord(name, [...variables.keys()]);
      throw new ConfigError(`${name}: no such setting`, {
        hint: meant
          ? `did you mean "${meant}"?`
          : `settings are written ${prefix}SITE_TITLE for site.title`,
      });
    }
    const isText = leaf.shape.type === "string";
    if (setPath(settings, leaf.path, isText ? value : parsed(value))) {
      applied.set(leaf.path.join("."), name);
    }
  }
  return applied;
}

/** `origin.baseUrl` → `STILLPRESS_ORIGIN_BASE_URL`. */
function variableOf(path: readonly string[]): string {
  const words = path.map((part) => part.replace(/([a-z])([A-Z])/g, "$1_$2").toUpperCase());
  return prefix + words.join("_");
}

/** The variable that holds the token is no setting. */
function tokenVariable(settings: Settings, env: NodeJS.ProcessEnv): unknown {
  const named = env[variableOf(["origin", "tokenEnv"])] ?? memberAt(settings, "origin.tokenEnv");
  return named ?? defaultTokenEnv;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Sets a nested value. Returns false if the file has a mistake on the way to it. */
export function setPath(settings: Settings, path: readonly string[], value: unknown): boolean {
  let target = settings;
  for (const part of path.slice(0, -1)) {
    target[part] ??= {};
    const inner = target[part];
    if (!isObject(inner)) return false;
    target = inner;
  }
  target[path.at(-1) as string] = value;
  return true;
}
