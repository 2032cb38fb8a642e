import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { AxeResults } from "axe-core";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hardCases } from "./gallery-of-hard-cases/content.ts";
import { type OpenSite, openSite, serveFolder, watched } from "./in-browser.ts";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

let site: OpenSite;
let server: Awaited<ReturnType<typeof serveFolder>>;
beforeAll(async () => {
  site = await openSite(hardCases);
  server = await serveFolder(site.folder);
});
afterAll(async () => {
  server?.close();
  await site?.close();
});

/** All pages but most of the forty pictures, which are alike; the 404 page's links start at a host's root. */
const pages = (): string[] =>
  site.paths.filter((path) => path.endsWith(".html") && !/^404|^images\/f(?!1\.|5\.)/.test(path));

const bases = {
  "a folder": (path: string) => site.urlOf(path),
  HTTP: (path: string) => `${server.url}/${path}`,
};

describe.each([
  [360, "light", "a folder", true],
  [390, "dark", "HTTP", true],
  [768, "light", "HTTP", false],
  [1440, "dark", "a folder", false],
  [390, "light", "a folder", false],
  [1440, "light", "HTTP", true],
] as const)(
  "at %i pixels, %s, from %s, with scripts: %s",
  (width, colorScheme, base, javaScriptEnabled) => {
    it("every page fits, complains of nothing, and is accessible", async () => {
      const viewport = { width, height: 900 };
      const context = await site.browser.newContext({ viewport, colorScheme, javaScriptEnabled });
      const page = await context.newPage();
      const own = base === "HTTP" ? server.url : "file:";
      const complaints: string[] = [];
      const others = await watched(
        page,
        async () => {
          for (const path of pages()) {
            await page.goto(bases[base](path));
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
    "axe.run(document, { resultTypes: ['violations'], preload: false })",
  );
  return found.violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 200)} ${failureSummary}`),
  );
}
