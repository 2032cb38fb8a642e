import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { AxeResults } from "axe-core";
import type { Browser, Page } from "playwright-core";
import { watched } from "./in-browser.ts";

/** How somebody reads a website. */
export interface Combination {
  /** Of the window, in pixels. */
  width: number;
  colorScheme: "light" | "dark";
  base: "a folder" | "HTTP";
  javaScriptEnabled: boolean;
}

/** Where a website lies, and where it is served. */
export interface Places {
  folder: string;
  root: string;
}

const inPage = (name: string): string =>
  readFileSync(new URL(`./in-page/${name}.js`, import.meta.url), "utf8");
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const layout = inPage("layout");

/** Opens pages one after the other: what they complain of, load from elsewhere, cut off, or make hard to use. */
export async function faultsIn(
  browser: Browser,
  { folder, root }: Places,
  paths: readonly string[],
  { width, base, ...settings }: Combination,
): Promise<string[]> {
  const context = await browser.newContext({ ...settings, viewport: { width, height: 900 } });
  const page = await context.newPage();
  const faults: string[] = [];
  const open = async (path: string): Promise<void> => {
    const url = base === "HTTP" ? `${root}/${encodeURI(path)}` : pathToFileURL(join(folder, path));
    await page.goto(String(url));
    const { scroll, broken } = await page.evaluate<{ scroll: number; broken: number }>(layout);
    if (scroll > width) faults.push(`${path}: is ${scroll} pixels wide`);
    if (broken > 0) faults.push(`${path}: ${broken} pictures are not shown`);
    // Without scripts it is the same document, but axe waits for timers that do not come.
    if (!settings.javaScriptEnabled) return;
    for (const violation of await violationsIn(page)) faults.push(`${path}: ${violation}`);
  };
  const openAll = async (): Promise<void> => {
    for (const path of paths) await open(path);
  };
  const complaints = await watched(page, openAll, base === "HTTP" ? root : "file:");
  await context.close();
  return [...faults, ...complaints];
}

/** Rules of axe that a page breaks, and where. */
async function violationsIn(page: Page): Promise<string[]> {
  await page.evaluate(axe);
  const found = await page.evaluate<AxeResults>(
    "axe.run(document, { resultTypes: ['violations'], preload: false, rules: { 'target-size': { enabled: true } } })",
  );
  return found.violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 200)} ${failureSummary}`),
  );
}
