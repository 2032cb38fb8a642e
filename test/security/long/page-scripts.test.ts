// An author, with ids, titles and texts of his items; and whoever gets a reader to follow a link to the archive, with
// the query and the fragment of that link. What the pages' scripts make of them in a browser, also without the CSP.
import type { BrowserContext, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { type OpenSite, openSite, watched } from "../../site/in-browser.ts";
import { payloads } from "../../site/payloads.ts";
import { chromiumPath } from "../../support/browser.ts";
import { found, requireProgram } from "../../support/programs.ts";

const mark = "globalThis.pwned = 1";
const names = ["__proto__", "constructor", "toString", "hasOwnProperty", "javascript:alert(1)"];
const breakers = [
  `</script><script>${mark}</script>`,
  `<img src=x onerror="${mark}">`,
  `"><svg onload="${mark}">`,
  `'-alert(1)-'`,
  `\${${mark}}`,
  "\u2028\u2029",
  "\u202e\u2066\u200f gnp.exe",
  "<!--<script>",
  "]]>",
  "{at} {all} $& $1 $` $'",
  "\ud800 lone",
];
const hostile = [...names, ...breakers];

const content = {
  categories: hostile.map((title, at) => ({
    id: `c${at}`,
    title: `needle ${title}`,
    slug: `c${at}`,
  })),
  tags: hostile.map((title, at) => ({ slug: `${names[at] ?? `t${at}`}`, title })),
  images: hostile.map((title, at) => ({
    id: names[at] ?? `i${at}`,
    title: `needle ${title}`,
    caption: title,
  })),
  articles: [
    ...hostile.map((title, at) => ({
      id: names[at] ?? `a${at}`,
      slug: names[at] ?? `a${at}`,
      title: `needle ${title}`,
      synopsis: `needle ${title}`,
      category: { id: `c${at}`, title: `needle ${title}` },
      tags: [title],
      body: `<p>needle haystack ${title.replaceAll("<", "&lt;")}</p>`,
    })),
    ...payloads.map((body, at) => ({ id: `p${at}`, title: `haystack ${body}`, body })),
    { id: "long", title: "needle ".repeat(3_000), body: "needle ".repeat(3_000) },
    { id: "word", title: `needle ${"x".repeat(20_000)}`, body: null },
  ],
  galleries: [
    {
      id: "g",
      title: `needle ${breakers[0]}`,
      images: hostile.map((_, at) => names[at] ?? `i${at}`),
    },
  ],
};

requireProgram(chromiumPath);

describe.runIf(found(chromiumPath)).each([
  ["with the pages' CSP", false],
  ["without the CSP", true],
])("%s", (_, bypassCSP) => {
  let site: OpenSite;
  let context: BrowserContext;
  beforeAll(async () => {
    site = await openSite(content, "en", { search: "bodies" });
  });
  afterAll(async () => {
    await site?.close();
  });
  afterEach(() => context?.close());

  /** Waits until an expression is true. Playwright's own way is what the CSP forbids. */
  const becomes = (page: Page, expression: string) =>
    expect.poll(() => page.evaluate(expression), { timeout: 30_000 }).toBe(true);

  /** Uses a page, and expects that no script of the content ran, and that the browser complains of nothing. */
  async function onPage(use: (page: Page) => Promise<void>): Promise<void> {
    context = await site.browser.newContext({ bypassCSP });
    const page = await context.newPage();
    const dialogs: string[] = [];
    page.on("dialog", async (dialog) => {
      dialogs.push(dialog.message());
      await dialog.dismiss();
    });
    const complaints = await watched(page, () => use(page));
    expect(complaints).toEqual([]);
    expect(dialogs).toEqual([]);
    expect(await page.evaluate("'pwned' in globalThis")).toBe(false);
  }
  const isDone = "/result|Nothing|^$/.test(document.querySelector('[role=status]').textContent)";

  const areNeedles = `(() => {
    const titles = Array.from(document.querySelectorAll('#results h2'), (one) => one.textContent);
    return titles.length === 10 && titles.every((title) => title.includes('needle'));
  })()`;

  /** Finds the hostile items by a word, as a reader does. */
  async function search(page: Page): Promise<void> {
    await page.fill("#q", "");
    await becomes(page, "document.querySelectorAll('#results a').length === 0");
    await page.fill("#q", "needle");
    await becomes(page, areNeedles);
    for (let shown = 10; shown < 30; shown += 10) {
      await page.click(".search-more button");
      await becomes(page, `document.querySelectorAll('#results a').length > ${shown}`);
    }
    const links = await page.evaluate<string[]>(
      "Array.from(document.querySelectorAll('#results a'), ({ href }) => href)",
    );
    for (const link of links) expect(link).toMatch(/^file:\/\/\/[\w/.-]+\.html$/);
  }

  it("the search shows titles as text", async () => {
    await onPage(async (page) => {
      await page.goto(`${site.urlOf("search.html")}`);
      await search(page);
      const titles = await page.$$eval("#results h2", (all) => all.map((one) => one.textContent));
      expect(titles).toContain(`needle ${breakers[1]}`);
      await page.fill("#q", "haystack");
      await becomes(page, "document.querySelectorAll('#results a').length === 10");
      await page.click(".search-more button");
      await becomes(page, "document.querySelectorAll('#results a').length === 20");
    });
  });

  it("the search bears a link with any query", async () => {
    await onPage(async (page) => {
      const odd = ["(((((.*+?^{}|[]\\", "%", "\0", "x".repeat(70_000), "老".repeat(20_000)];
      for (const query of [...hostile, ...odd]) {
        const asked = new URLSearchParams({
          q: query,
          kind: query.slice(0, 99),
          year: "__proto__",
        });
        asked.set("category", breakers[1] ?? "");
        asked.append("q", "second");
        await page.goto(`${site.urlOf("search.html")}?${asked}`);
        await becomes(page, isDone);
      }
      await search(page);
    });
  });

  it("the search bears a link with a query of 24,000 words", async () => {
    await onPage(async (page) => {
      // Each is looked for by its letters, and by letters that are nearly the same.
      const words = Array.from({ length: 24_000 }, (_, at) => `needles${at.toString(36)}`);
      await page.goto(`${site.urlOf("search.html")}?q=${words.join("+")}`);
      await becomes(page, isDone);
      await search(page);
    });
  });

  it("the search bears what is no query", async () => {
    await onPage(async (page) => {
      for (const query of [
        "?q",
        "?q=%",
        "?q=%ED%A0%80",
        "?%00",
        `?${"&".repeat(9_000)}`,
        "?q=a#<img>",
      ]) {
        await page.goto(`${site.urlOf("search.html")}${query}`);
      }
      await search(page);
    });
  });

  it("the viewer bears any fragment", async () => {
    await onPage(async (page) => {
      const url = site.urlOf("galleries/gallery-g.html");
      const fragments = [...hostile, "", "%", "%zz", "[", ":has(", "*", "#", "x".repeat(100_000)];
      for (const fragment of fragments) {
        await page.goto(`${url}#${fragment}`);
        await page.evaluate(`location.hash = ${JSON.stringify(fragment)}`);
        await page.reload();
      }
      await page.goto(url);
      await page.click(".tiles > li:nth-child(6) a");
      await page.waitForSelector("dialog[open] .viewer-stage > *");
      expect(await page.textContent("dialog .viewer-count")).toBe(`6 of ${hostile.length}`);
      for (const _ of hostile) await page.keyboard.press("ArrowRight");
      await page.keyboard.press("Home");
      expect(await page.textContent("dialog .viewer-count")).toBe(`1 of ${hostile.length}`);
      await page.keyboard.press("Escape");
      expect(await page.$("dialog[open]")).toBeNull();
    });
  });
});
