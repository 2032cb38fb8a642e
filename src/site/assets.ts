import { parse } from "node:path";
import { sha256 } from "../lib/digest.ts";
import { sitePaths } from "../routes/site.ts";
import { accentStyles } from "./accent.ts";
import { ratioStyles } from "./pictures.ts";
import type { Papers } from "./views.ts";

export interface Asset {
  /** In the publish root. Its name changes with its content. */
  path: string;
  digest: string;
  bytes: Uint8Array;
}

/** What a site shows of its owner, from the configuration. */
export interface Brand {
  /** Such as "#1f5a52"; null for that of the style sheet. */
  accent?: string | null;
  /** Icons by name, which are assets like others; null takes a built-in one away. */
  icons?: ReadonlyMap<string, Uint8Array | null>;
  /** The logo beside the title: the name of an icon, and its size in pixels. */
  logo?: { name: string; width: number; height: number } | null;
}

/**
 * The assets of a site by name, such as `style.css`. A style sheet that names another asset gets its published name.
 *
 * @param files those of the templates' folders
 */
export function assetsOf(files: ReadonlyMap<string, Uint8Array>, { accent, icons }: Brand) {
  const papers = papersOf(files);
  const all = new Map<string, Uint8Array | null>([...files, ...(icons ?? [])]);
  const assets = new Map<string, Asset>();
  const names = [...all.keys()].sort();
  const isSheet = (name: string): boolean => name.endsWith(".css");
  // Style sheets come last, because they need the names of the others.
  for (const name of [...names.filter((name) => !isSheet(name)), ...names.filter(isSheet)]) {
    const file = all.get(name);
    if (!file) continue;
    const bytes = isSheet(name) ? Buffer.from(sheetOf(name, textOf(file))) : file;
    const digest = sha256(bytes);
    assets.set(name, { path: publishedPath(name, digest), digest, bytes });
  }
  return { assets, papers };

  function sheetOf(name: string, css: string): string {
    const named = css.replace(/url\(\s*(["']?)([^"'()]+)\1\s*\)/g, (whole, _, target: string) => {
      const asset = assets.get(target.trim());
      return asset === undefined ? whole : `url("${parse(asset.path).base}")`;
    });
    if (name !== "style.css") return named;
    return named + ratioStyles() + (accent ? accentStyles(accent, papers) : "");
  }
}

/** The colours of the page: the first `--paper` and `--ink` of its style sheets, and the second `--paper`. */
export function papersOf(files: ReadonlyMap<string, Uint8Array>): Papers {
  const coloursIn = (name: string, of = "paper"): string[] => {
    const found = textOf(files.get(name)).matchAll(/--(\w+):\s*(#[0-9a-f]{6})\b/gi);
    return Array.from(found).flatMap(([, its, colour = ""]) => (its === of ? [colour] : []));
  };
  const [light = "#ffffff", dark = light] = coloursIn("style.css");
  const [ownLight = light, ownDark = dark] = coloursIn("custom.css");
  const [ink = "#000000"] = [...coloursIn("custom.css", "ink"), ...coloursIn("style.css", "ink")];
  return { light: ownLight, dark: ownDark, ink };
}

function textOf(bytes: Uint8Array = new Uint8Array()): string {
  return Buffer.from(bytes).toString("utf8");
}

/** style.css → assets/style.1a2b3c4d.css; the one that browsers ask for by its name keeps it. */
function publishedPath(name: string, digest: string): string {
  if (name === "favicon.ico") return sitePaths.favicon;
  const file = parse(name.replaceAll("/", "-"));
  return sitePaths.asset(`${file.name}.${digest.slice(0, 8)}${file.ext}`);
}
