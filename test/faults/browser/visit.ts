import { readFileSync } from "node:fs";
import type { Browser, BrowserContext } from "playwright-core";
import { z } from "zod";
import { eachLimited } from "../../../src/lib/concurrency.ts";
import { startChromium } from "../../support/browser.ts";

/** What pages did that they must not do, and how many were opened. */
export interface Visited {
  pages: number;
  elements: number;
  faults: string[];
}

const scriptOf = (name: string): string =>
  readFileSync(new URL(`./in-page/${name}`, import.meta.url), "utf8");
const inspect = scriptOf("inspect.js");
const inspectXml = scriptOf("inspect-xml.js");
const Inspected = z.object({
  hit: z.unknown(),
  found: z.array(z.string()),
  elements: z.number(),
});

/** Tabs that are open at a time; this machine shares its cores. */
const tabs = 3;
/** For what runs only after the page is there: animations, toggles, refreshes. */
const settleMs = 15;

/** Chromium that finds no host but this machine. */
export async function startBrowser(): Promise<Browser> {
  return await startChromium("--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1");
}

/**
 * Opens pages with scripts on and the content security policy off, so that only what the pages hold protects
 * them, and tells what ran, what was asked of other hosts, and what could run if somebody clicked.
 *
 * @param own what every request of a page must begin with
 */
export async function visitPages(
  browser: Browser,
  urls: readonly string[],
  own: string,
): Promise<Visited> {
  const visited: Visited = { pages: 0, elements: 0, faults: [] };
  const context = await browser.newContext({ bypassCSP: true });
  try {
    const shares = Array.from({ length: tabs }, (_, tab) =>
      urls.filter((_url, at) => at % tabs === tab),
    );
    await eachLimited(shares, tabs, (share) => visitInOneTab(context, share, own, visited));
  } finally {
    await context.close();
  }
  return visited;
}

async function visitInOneTab(
  context: BrowserContext,
  urls: readonly string[],
  own: string,
  visited: Visited,
): Promise<void> {
  const page = await context.newPage();
  let url = "";
  const fault = (text: string): void =>
    void visited.faults.push(`${url.slice(own.length)}: ${text}`);
  page.on("dialog", (dialog) => {
    fault(`a dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on("request", (request) => {
    const asked = request.url();
    const picture = asked.startsWith("data:image/") && request.resourceType() === "image";
    if (!asked.startsWith(own) && !picture) fault(`a request: ${asked.slice(0, 120)}`);
  });
  page.on("popup", (popup) => {
    fault("another window");
    void popup.close();
  });
  for (url of urls) {
    try {
      await page.goto(url, { waitUntil: "load" });
      await page.waitForTimeout(settleMs);
      const seen = Inspected.parse(await page.evaluate<unknown>(inspect));
      visited.pages++;
      visited.elements += seen.elements;
      if (seen.hit !== null) fault(`payload ${String(seen.hit)} ran`);
      for (const text of seen.found) fault(text);
      if (page.url().split("#")[0] !== url) fault(`it went to ${page.url().slice(0, 120)}`);
    } catch (error) {
      fault(`it could not be looked at: ${String(error).split("\n")[0]}`);
    }
  }
  await page.close();
}

/**
 * Types into the search box of a page, where there is one, and looks at what comes up.
 *
 * @returns how many words were searched for
 */
export async function search(
  browser: Browser,
  url: string,
  own: string,
  words: readonly string[],
  faults: string[],
): Promise<number> {
  const context = await browser.newContext({ bypassCSP: true });
  let searched = 0;
  try {
    const page = await context.newPage();
    page.on("dialog", (dialog) => {
      faults.push(`search: a dialog: ${dialog.message()}`);
      void dialog.dismiss();
    });
    page.on("request", (request) => {
      if (!request.url().startsWith(own)) faults.push(`search: a request: ${request.url()}`);
    });
    await page.goto(url, { waitUntil: "load" });
    const box = page.locator("input[type=search]").first();
    if ((await box.count()) === 0) return 0;
    for (const word of words) {
      await box.fill(word);
      await page.waitForTimeout(20 * settleMs);
      const seen = Inspected.parse(await page.evaluate<unknown>(inspect));
      searched++;
      if (seen.hit !== null) faults.push(`search for ${word}: payload ${String(seen.hit)} ran`);
      for (const text of seen.found) faults.push(`search for ${word}: ${text}`);
    }
  } finally {
    await context.close();
  }
  return searched;
}

/** Why an XML text is not what the site writes, by the browser's own parser; undefined where it is. */
export async function faultOfXml(browser: Browser, text: string): Promise<string | undefined> {
  const page = await browser.newPage();
  try {
    const fault = await page.evaluate<string>(`${inspectXml} faultIn(${JSON.stringify(text)})`);
    return fault === "" ? undefined : fault;
  } finally {
    await page.close();
  }
}
