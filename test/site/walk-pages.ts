import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import type { Browser } from "playwright-core";
import { eachLimited } from "../../src/lib/concurrency.ts";
import { walkSorted } from "../../src/lib/files.ts";
import { stillpress } from "../support/archive.ts";
import { startChromium } from "../support/browser.ts";
import { type Combination, faultsIn, type Places } from "./combination.ts";
import { hardCases, pagesOfHardCases } from "./gallery-of-hard-cases/content.ts";
import { openServedSite, serveFolder } from "./in-browser.ts";
import { brokenLinks } from "./links.ts";

/*
 * npm run test:pages [-- --content FOLDER]
 *
 * Opens pages in Chromium at four widths, light and dark, with and without scripts, from a folder and over HTTP: the
 * demo's, and the hard cases in an English and an Arabic frame; or those of a demo with the articles of a folder. Fails
 * where a page has a fault or a link leads nowhere.
 */

const combinations: Combination[] = [true, false].flatMap((javaScriptEnabled) =>
  (["a folder", "HTTP"] as const).flatMap((base) =>
    (["light", "dark"] as const).flatMap((colorScheme) =>
      [360, 390, 768, 1440].map((width) => ({ width, colorScheme, base, javaScriptEnabled })),
    ),
  ),
);

/** Combinations that are tried at a time. */
const windows = 2;
let faultsFound = 0;

function print(title: string, faults: readonly string[]): void {
  faultsFound += faults.length;
  const lines = [`${title}: ${faults.length} faults`, ...faults.map((fault) => `  ${fault}`)];
  process.stdout.write(`${lines.join("\n")}\n`);
}

async function walk(
  name: string,
  browser: Browser,
  places: Places,
  paths: readonly string[],
): Promise<void> {
  await eachLimited(combinations, windows, async (combination) => {
    const { width, colorScheme, base, javaScriptEnabled } = combination;
    const faults = await faultsIn(browser, places, paths, combination);
    const scripts = javaScriptEnabled ? "with scripts" : "without scripts";
    const how = `${width} pixels, ${colorScheme}, from ${base}, ${scripts}`;
    print(`${name}, ${paths.length} pages, ${how}`, faults);
  });
}

/** The largest and the smallest page of each kind. Below the first folder, most names are those of items. */
function samplesIn(folder: string, paths: readonly string[]): string[] {
  const kinds = new Map<string, string[]>();
  for (const path of paths) {
    if (!path.endsWith(".html") || path === "404.html") continue;
    const names = path.split("/");
    const isKind = (name: string, at: number): boolean =>
      at === 0 || name === "page" || name === "index.html";
    const kind = names.map((name, at) => (isKind(name, at) ? name : "*")).join("/");
    const pages = kinds.get(kind) ?? [];
    pages.push(path);
    kinds.set(kind, pages);
  }
  const bytes = (path: string): number => statSync(join(folder, path)).size;
  return [...kinds.values()].flatMap((pages) => {
    const sorted = pages.sort((a, b) => bytes(a) - bytes(b));
    return [...new Set([sorted[0] as string, sorted.at(-1) as string])];
  });
}

async function walkDemo(given: readonly string[] = []): Promise<void> {
  const out = mkdtempSync(join(tmpdir(), "stillpress-pages-"));
  const { code, stderr } = await stillpress(["demo", "--port", "0", "--out", out, ...given]);
  if (code !== 0) throw new Error(`demo: exit ${code}\n${stderr}`);
  const folder = join(out, "public");
  const paths = [...walkSorted(folder)];
  print("demo, links of all pages", brokenLinks(folder, paths));
  const browser = await startChromium();
  const { url: root, close } = await serveFolder(folder);
  await walk("demo", browser, { folder, root }, samplesIn(folder, paths));
  close();
  await browser.close();
  rmSync(out, { recursive: true });
}

async function walkHardCases(language: string): Promise<void> {
  const site = await openServedSite(hardCases, language);
  print(`hard cases (${language}), links of all pages`, brokenLinks(site.folder, site.paths));
  await walk(`hard cases (${language})`, site.browser, site, pagesOfHardCases(site.paths));
  await site.close();
}

const { content } = parseArgs({ options: { content: { type: "string" } } }).values;
if (content !== undefined) await walkDemo(["--content", content]);
else {
  await walkDemo();
  for (const language of ["en", "ar"]) await walkHardCases(language);
}
process.exitCode = faultsFound > 0 ? 1 : 0;
