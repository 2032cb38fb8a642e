import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { AxeResults } from "axe-core";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hardCases } from "./gallery-of-hard-cases/content.ts";
import { type OpenSite, openSite, serveFolder, watched } from "./in-browser.ts";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

const languages = ["en", "ar"] as const;
type Language = (typeof languages)[number];
const sites = new Map<Language, OpenSite & { root: string; stop: () => void }>();
const siteIn = (language: Language) => sites.get(language) as OpenSite & { root: string };
beforeAll(async () => {
  for (const language of languages) {
    const site = await openSite(hardCases, language);
    const { url: root, close: stop } = await serveFolder(site.folder);
    sites.set(language, { ...site, root, stop });
  }
});
afterAll(async () => {
  for (const site of sites.values()) {
    site.stop();
    await site.close();
  }
});

/** All pages but most of the forty pictures, which are alike; the 404 page's links start at a host's root. */
const pagesOf = ({ paths }: OpenSite): string[] =>
  paths.filter((path) => path.endsWith(".html") && !/^404|^images\/f(?!1\.|5\.)/.test(path));

describe.each([
  [360, "light", "a folder", true, "en"],
  [390, "dark", "HTTP", true, "ar"],
  [768, "light", "HTTP", false, "en"],
  [1440, "dark", "a folder", false, "ar"],
  [390, "light", "a folder", false, "en"],
  [1440, "light", "HTTP", true, "en"],
] as const)(
  "at %i pixels, %s, from %s, with scripts: %s, in %s",
  (width, colorScheme, base, javaScriptEnabled, language) => {
    it("every page fits, complains of nothing, and is accessible", async () => {
      const site = siteIn(language);
      const viewport = { width, height: 900 };
      const context = await site.browser.newContext({ viewport, colorScheme, javaScriptEnabled });
      const page = await context.newPage();
      const own = base === "HTTP" ? site.root : "file:";
      const complaints: string[] = [];
      const others = await watched(
        page,
        async () => {
          for (const path of pagesOf(site)) {
            await page.goto(base === "HTTP" ? `${site.root}/${path}` : site.urlOf(path));
            const wide = await page.evaluate<number>("document.documentElement.scrollWidth");
            expect(wide, path).toBeLessThanOrEqual(width);
            // Without scripts it is the same document, but axe waits for timers that do not come.
            if (!javaScriptEnabled) continue;
            for (const each of await violations(page)) complaints.push(`${path}: ${each}`);
          }
        },
        own,
      );
      expect([...complaints, ...others]).toEqual([]);
      await context.close();
    });
  },
);

/** Rules of axe that a page breaks, and where; with scripts off the page runs none, but the debugger does. */
async function violations(page: Page): Promise<string[]> {
  await page.evaluate(axe);
  const found = await page.evaluate<AxeResults>(
    "axe.run(document, { resultTypes: ['violations'], preload: false, rules: { 'target-size': { enabled: true } } })",
  );
  return found.violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 200)} ${failureSummary}`),
  );
}
