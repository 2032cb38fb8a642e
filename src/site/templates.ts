import { readFileSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { Eta } from "eta";
import { ConfigError } from "../errors.ts";
import { keyOf } from "../lib/digest.ts";
import { walkSorted } from "../lib/files.ts";
import { orUndefined } from "../lib/or-undefined.ts";
import { assetsOf, type Brand } from "./assets.ts";
import { syntaxMistake } from "./template-syntax.ts";
import { builtInWords } from "./wording.ts";

export type Templates = ReturnType<typeof compileTemplates>;

/** Templates of the package, at the same distance from `src/site` and `dist/site`. */
export const builtInTemplates = fileURLToPath(new URL("../../templates", import.meta.url));

const { resolve } = createRequire(import.meta.url);

/** The stemmer of a language as a classic script, because modules do not run from file://; undefined where none is known. */
function stemmerOf(language: string): Uint8Array | undefined {
  const [tongue = ""] =
    new Intl.DisplayNames(["en"], { type: "language" })
      .of(new Intl.Locale(language).language)
      ?.split(" ") ?? [];
  const file = orUndefined(() => resolve(`@orama/stemmers/${tongue.toLowerCase()}`));
  if (file === undefined) return undefined;
  const module = readFileSync(file, "utf8").replace(/^\/\/# sourceMappingURL=.*/gm, "");
  return Buffer.from(
    `(() => {\nconst exports = {};\n${module}\nglobalThis.stillpressStemmer = exports.stemmer;\n})();\n`,
  );
}

/** What draws a picture of a ThumbHash, as a classic script. */
function thumbHashScript(): Uint8Array {
  const module = readFileSync(resolve("thumbhash"), "utf8").replace(/^\s*\/\/.*\n|^export /gm, "");
  return Buffer.from(
    `(() => {\n${module}\nObject.assign(globalThis, { thumbHashToDataURL });\n})();\n`,
  );
}

/**
 * Compiles the templates in `folder`, if it exists, and the built-in ones that it lacks.
 *
 * @throws ConfigError when a template cannot be compiled
 */
export function loadTemplates(folder?: string, language?: string) {
  return compileTemplates(readTemplates(folder, language));
}

/** Templates by name, such as `partials/card`, assets by name, such as `style.css`, and words by the path of their file. */
export function readTemplates(folder?: string, language = "en") {
  const files = templateFiles(folder);
  const texts = new Map<string, string>();
  const stemmer = stemmerOf(language);
  const assets = new Map<string, Uint8Array>(stemmer && [["stemmer.js", stemmer]]);
  assets.set("thumbhash.js", thumbHashScript());
  const words = new Map<string, string>();
  for (const [path, file] of files) {
    const bytes = readFileSync(file);
    if (path.startsWith("assets/")) assets.set(path.slice("assets/".length), bytes);
    else if (path.startsWith("words/")) words.set(file, bytes.toString("utf8"));
    else texts.set(path.slice(0, -".eta".length), bytes.toString("utf8"));
  }
  return { files, texts, assets, words };
}

/** @throws ConfigError when a template cannot be compiled */
export function compileTemplates(
  { files, texts, assets: raw, words }: ReturnType<typeof readTemplates>,
  brand: Brand = {},
) {
  const { logo = null } = brand;
  const { assets, papers } = assetsOf(raw, brand);
  const sorted = [...texts].sort(([a], [b]) => (a < b ? -1 : 1)).flat();
  const digests = Array.from(assets, ([name, { digest }]) => [name, digest]).flat();
  const ownWords = Array.from(words, ([file, text]) => [basename(file), text]).flat();
  const size = JSON.stringify([logo?.name, logo?.width, logo?.height]);
  return {
    /** Changes with every template and asset. */
    digest: keyOf(sorted, digests, size, ownWords, [...builtInWords().values()]),
    /** By name, such as `style.css`. */
    assets,
    papers,
    logo,
    /** The site's own words: contents of files by their paths. */
    words,
    /** HTML of one template. @throws ConfigError when the template fails */
    render: createRenderer(texts, (name) => files.get(`${name}.eta`) ?? `${name}.eta`),
  };
}

/** Files by their path in the folder: a site's own before the built-in ones. */
export function templateFiles(folder: string | undefined): Map<string, string> {
  const files = new Map<string, string>();
  for (const root of folder === undefined ? [builtInTemplates] : [builtInTemplates, folder]) {
    if (!statSync(root, { throwIfNoEntry: false })?.isDirectory()) continue;
    for (const path of walkSorted(root)) {
      if (isPart(path)) files.set(path, join(root, path));
    }
  }
  return files;
}

const isPart = (path: string): boolean =>
  path.endsWith(".eta") || path.startsWith("assets/") || /^words\/[\w-]+\.json$/.test(path);

function createRenderer(
  templates: ReadonlyMap<string, string>,
  fileOf: (name: string) => string,
): (name: string, data: object) => string {
  const settings = { useWith: false, autoFilter: true, filterFunction: defined };
  const engine = (debug: boolean): Eta => {
    const eta = new Eta({ ...settings, autoEscape: true, autoTrim: false, cache: true, debug });
    for (const [name, text] of templates) {
      named(fileOf(name), () => {
        try {
          eta.loadTemplate(`@${name}`, text);
        } catch (error) {
          throw syntaxMistake(text) ?? error;
        }
      });
    }
    return eta;
  };
  const eta = engine(false);
  return (name, data) => {
    try {
      return eta.render(`@${name}`, data);
    } catch {
      // Again, slowly: the error then tells the line, and the files on the way to it. Partials come through it, too.
      const slow = engine(true);
      const render = slow.render.bind(slow);
      slow.render = (of, ...rest) => named(fileOf(String(of).slice(1)), () => render(of, ...rest));
      return slow.render(`@${name}`, data);
    }
  };
}

/** A misspelt member would be read as "undefined" by everybody. */
function defined(value: unknown): string {
  if (value === undefined) throw new TypeError("a value is undefined");
  return value as string;
}

function named<T>(file: string, action: () => T): T {
  try {
    return action();
  } catch (cause) {
    const message = cause instanceof Error ? cause.message.trim() : String(cause);
    throw new ConfigError(`${file}: ${message}`, { cause });
  }
}
