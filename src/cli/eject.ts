import { copyFileSync, existsSync, mkdirSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { loadConfig } from "../config/load.ts";
import { nearestWord } from "../config/nearest.ts";
import { ConfigError, exitCodes } from "../errors.ts";
import { walkSorted } from "../lib/files.ts";
import { builtInTemplates } from "../site/templates.ts";
import { isConfigured, shortPath } from "./folder.ts";
import type { CommonOptions } from "./options.ts";
import { print, printJson } from "./print.ts";

/**
 * `stillpress eject [templates…]`: copies built-in templates into the site's own folder; without a name, lists them.
 *
 * @throws ConfigError for a name that no template has, and for a file that is there already
 */
export async function runEject(names: string[], options: CommonOptions & { force: boolean }) {
  const all = [...walkSorted(builtInTemplates)];
  const files = names.map((name) => templateNamed(name, all));
  const folder = isConfigured(options)
    ? loadConfig({ file: options.config }).templates
    : resolve("templates");
  const targets = files.map((file) => join(folder, file));
  const taken = targets.find((target) => existsSync(target));
  if (taken !== undefined && !options.force) {
    throw new ConfigError(`${shortPath(taken)} is there already`, { hint: "--force replaces it" });
  }
  for (const file of files) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    copyFileSync(join(builtInTemplates, file), join(folder, file));
  }
  if (options.json) printJson({ folder, files, templates: all });
  else if (!options.quiet) {
    print(names.length === 0 ? all : targets.map((target) => `wrote ${shortPath(target)}`));
  }
  return exitCodes.complete;
}

/** templateNamed("article", …) → "article.eta" */
function templateNamed(name: string, all: readonly string[]): string {
  const found = all.find((file) => file === name || file === `${name}.eta`);
  if (found !== undefined) return found;
  const near = nearestWord(name, all) ?? nearestWord(`${name}.eta`, all);
  throw new ConfigError(`there is no template ${JSON.stringify(name)}`, {
    hint: near === undefined ? '"npx stillpress eject" lists them' : `did you mean ${near}?`,
  });
}
