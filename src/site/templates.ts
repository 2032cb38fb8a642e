import { readFileSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { join, parse } from "node:path";
import { fileURLToPath } from "node:url";
import { Eta } from "eta";
import { ConfigError } from "../errors.ts";
import { keyOf, sha256 } from "../lib/digest.ts";
import { walkSorted } from "../lib/files.ts";
import { sitePaths } from "../routes/site.ts";

export type Templates = ReturnType<typeof loadTemplates>;

/** Templates of the package, at the same distance from `src/site` and `dist/site`. */
export const builtInTemplates = fileURLToPath(new URL("../../templates", import.meta.url));

/** The search library as a classic script. The package exports only its modules, which do not run from file://. */
const searchLibrary = join(
  createRequire(import.meta.url).resolve("minisearch"),
  "../../umd/index.js",
);

/**
 * Compiles the templates in `folder`, if it exists, and the built-in ones that it lacks.
 *
 * @throws ConfigError when a template cannot be compiled
 */
export function loadTemplates(folder?: string) {
  const files = new Map([["assets/minisearch.js", searchLibrary]]);
  for (const root of folder === undefined ? [builtInTemplates] : [builtInTemplates, folder]) {
    if (!statSync(root, { throwIfNoEntry: false })?.isDirectory()) continue;
    for (const path of walkSorted(root)) {
      if (path.endsWith(".eta") || path.startsWith("assets/")) files.set(path, join(root, path));
    }
  }
  const eta = new Eta({ autoEscape: true, useWith: false, autoTrim: false, cache: true });
  const assets = new Map<string, { path: string; digest: string; bytes: Uint8Array }>();
  const digests: string[] = [];
  for (const [path, file] of [...files].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const bytes = readFileSync(file);
    const digest = sha256(bytes);
    digests.push(path, digest);
    if (path.startsWith("assets/")) {
      const name = path.slice("assets/".length);
      assets.set(name, { path: sitePaths.asset(assetName(name, digest)), digest, bytes });
    } else {
      const name = `@${path.slice(0, -".eta".length)}`;
      named(file, () => eta.loadTemplate(name, bytes.toString("utf8")));
    }
  }
  return {
    /** Changes with every template and asset. */
    digest: keyOf(...digests),
    /** Files of `assets/` by name, such as `style.css`. Their published names change with their content. */
    assets,
    /** HTML of one template. @throws ConfigError when the template fails */
    render: (name: string, data: object): string =>
      named(files.get(`${name}.eta`) ?? `${name}.eta`, () => eta.render(`@${name}`, data)),
  };
}

function named<T>(file: string, action: () => T): T {
  try {
    return action();
  } catch (cause) {
    const message = cause instanceof Error ? cause.message.trim() : String(cause);
    throw new ConfigError(`${file}: ${message}`, { cause });
  }
}

/** style.css → style.1a2b3c4d.css */
function assetName(name: string, digest: string): string {
  const file = parse(name.replaceAll("/", "-"));
  return `${file.name}.${digest.slice(0, 8)}${file.ext}`;
}
