import type { BrowserContextOptions, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { walk } from "./by-keyboard.ts";
import type { ArticleInput } from "./fixture.ts";
import { openServedSite, type ServedSite } from "./in-browser.ts";
import { content } from "./keyboard-content.ts";

const languages = ["en", "ar"] as const;
const sites = new Map<string, ServedSite>();

beforeAll(async () => {
  for (const language of languages) sites.set(language, await openServedSite(content, language));
});
afterAll(async () => {
  for (const site of sites.values()) await site.close();
});

/** Opens a page, and expects that it complains of nothing. */
async function on(
  path: string,
  use: (page: Page) => Promise<void>,
  { site: name = "en", ...settings }: BrowserContextOptions & { site?: string } = {},
): Promise<void> {
  const site = sites.get(name) as ServedSite;
  const context = await site.browser.newContext(settings);
  const page = await context.newPage();
  const errors: string[] = [];
  page.on("pageerror", (error) => errors.push(error.message));
  await page.goto(`${site.root}/${path}`);
  await use(page);
  expect(errors, path).toEqual([]);
  await context.close();
}

const openDetails = (page: Page) =>
  page.evaluate("for (const one of document.querySelectorAll('details')) one.open = true");
const isSearched = (page: Page) => page.locator("#results li").first().waitFor();
/** The first Tab leads to the first hit, and no later one does. */
const isLed = async (page: Page) => {
  await isSearched(page);
  await page.keyboard.press("Tab");
  expect(await page.locator("#results li:first-child a:focus").count()).toBe(1);
};

/** One page of each kind, and how to bring it to the state that is walked through. */
const kinds: [path: string, prepare?: (page: Page) => Promise<unknown>][] = [
  ["index.html"],
  ["articles/index.html"],
  ["articles/article-rich.html"],
  ["articles/article-rich.html", openDetails],
  ["articles/page/2.html"],
  ["categories/index.html"],
  ["categories/nature/index.html"],
  ["categories/nature/2023/index.html"],
  ["tags/index.html"],
  ["tags/sea/index.html"],
  ["archive/index.html"],
  ["archive/2024/index.html"],
  ["archive/a-z/b/index.html"],
  ["galleries/index.html"],
  ["galleries/gallery-g.html"],
  ["images/index.html"],
  ["images/i2.html#in-h", openDetails],
  ["images/lost.html"],
  ["images/bare.html"],
  ["search.html"],
  ["search.html?q=report", isLed],
  ["snapshot.html", openDetails],
  ["404.html"],
];

describe.each([
  ["en", 1280, "light"],
  ["en", 390, "dark"],
  ["ar", 1280, "dark"],
  ["ar", 390, "light"],
] as const)("by Tab alone, in %s at %i pixels, %s", (language, width, colorScheme) => {
  const seen = new Set<string>();
  it.each(kinds)("%s lets a reader reach and see everything", (path, prepare) =>
    on(
      path,
      async (page) => {
        await prepare?.(page);
        const { usable, forward, back, unseen } = await walk(page, seen);
        expect(forward).toEqual(usable);
        expect(back).toEqual(usable.toReversed());
        expect(unseen).toEqual([]);
      },
      { site: language, colorScheme, viewport: { width, height: 800 } },
    ),
  );
});

describe("the link to the content", () => {
  it.each(languages)("comes first, can be seen, and leads there, in %s", (language) =>
    on(
      "articles/article-rich.html",
      async (page) => {
        await page.keyboard.press("Tab");
        expect(await focused(page)).toBe("a.skip");
        const box = await page.locator(".skip").boundingBox();
        expect(box?.y).toBeGreaterThanOrEqual(0);
        await page.keyboard.press("Enter");
        expect(await focused(page)).toBe("main");
        await page.keyboard.press("Tab");
        expect(await page.evaluate("document.activeElement.closest('main') !== null")).toBe(true);
      },
      { site: language },
    ),
  );

  it("leads there without scripts too", () =>
    on(
      "articles/article-rich.html",
      async (page) => {
        await page.keyboard.press("Tab");
        await page.keyboard.press("Enter");
        expect(await focused(page)).toBe("main");
      },
      { javaScriptEnabled: false },
    ));

  it("does not take a reader out of a gallery", () =>
    on("images/i2.html#in-h", async (page) => {
      await page.locator(".skip").focus();
      await page.keyboard.press("Enter");
      expect(await focused(page)).toBe("main");
      expect(await page.locator(".positions p:visible").innerText()).toMatch(/2 of 2 in Gallery h/);
    }));
});

/** What has the focus, by its tag and class. */
const focused = (page: Page) =>
  page.evaluate<string>(
    "document.activeElement.localName + (document.activeElement.className && '.' + document.activeElement.className)",
  );

describe("the arrow keys", () => {
  /** Presses keys, and gives the paths that the page asks for then. */
  async function turned(page: Page, keys: string[]): Promise<string[]> {
    const asked: string[] = [];
    // An answer without content lets the page stay.
    await page.route("**/*.html", (route) => {
      asked.push(new URL(route.request().url()).pathname.slice(1));
      return route.fulfill({ status: 204 });
    });
    for (const key of keys) {
      await page.keyboard.press(key);
      await page.waitForTimeout(50);
    }
    await page.unroute("**/*.html");
    return asked;
  }

  it.each([
    ["articles/article-n1.html", undefined, undefined],
    ["articles/page/2.html", undefined, undefined],
    ["images/i1.html", "images/i0.html", "images/i2.html"],
  ])("turn %s, from right to left the other way round", async (path, before, after) => {
    const both = [before, after].filter((one) => one !== undefined);
    const turn = async (page: Page) =>
      expect(await turned(page, ["ArrowLeft", "ArrowRight"])).toEqual(both);
    const turnBack = async (page: Page) =>
      expect(await turned(page, ["ArrowRight", "ArrowLeft"])).toEqual(both);
    await on(path, turn);
    await on(path, turnBack, { site: "ar" });
  });

  it("are left to the browser with Shift, Alt, Ctrl and Meta", () =>
    on("images/i1.html", async (page) => {
      const keys = ["Shift", "Control", "Meta", "Control+Shift"].map((key) => `${key}+ArrowRight`);
      expect(await turned(page, keys)).toEqual([]);
      // Alt goes back and forward, of which this page has none.
      expect(await turned(page, ["Alt+ArrowRight"])).toEqual([]);
      expect(await turned(page, ["ArrowRight"])).toEqual(["images/i2.html"]);
    }));

  it.each([
    ["a player", "articles/article-rich.html", "video"],
    ["a wide table", "articles/article-rich.html", ".prose .scroll"],
    ["a link in a wide table", "articles/article-rich.html", ".prose .scroll a"],
    ["long code", "articles/article-rich.html", "pre"],
    ["open details", "articles/article-rich.html", "details[open] a"],
    ["a summary", "articles/article-rich.html", ".cite summary"],
    ["a field", "search.html", "input"],
    ["a filter", "search.html", "select"],
  ])("stay with %s", (_, path, selector) =>
    on(path, async (page) => {
      await openDetails(page);
      await page.evaluate("document.querySelector('main > *').classList.add('image-page')");
      await page.evaluate(
        "document.head.insertAdjacentHTML('beforeend', '<link rel=prev href=/before.html><link rel=next href=/after.html>')",
      );
      await page.locator(selector).first().focus();
      const before = await focused(page);
      expect(await turned(page, ["ArrowRight", "ArrowRight", "ArrowLeft"])).toEqual([]);
      expect(await focused(page)).toBe(before);
    }),
  );

  it("scroll a wide table and long code", () =>
    on("articles/article-rich.html", async (page) => {
      for (const selector of [".prose .scroll", "pre"]) {
        await page.locator(selector).focus();
        await page.keyboard.press("ArrowRight");
        const left = () => page.locator(selector).evaluate(({ scrollLeft }) => scrollLeft);
        await expect.poll(left).toBeGreaterThan(0);
      }
    }));
});

describe("the viewer", () => {
  /** The position that the viewer shows, or nothing where it is closed. */
  const shows = (page: Page, position: string) =>
    expect
      .poll(() => page.locator("dialog[open] .viewer-count").allInnerTexts())
      .toEqual(position === "" ? [] : [position]);

  it.each([
    ["en", "light", "ArrowRight", "2 of 6"],
    ["ar", "dark", "ArrowLeft", "2 من 6"],
  ] as const)("takes the focus and gives it back, in %s", (language, colorScheme, key, second) =>
    on(
      "galleries/gallery-g.html",
      async (page) => {
        await page.locator("#tile-i0").focus();
        await page.keyboard.press("Enter");
        const first = await page.locator("dialog[open] .viewer-count").innerText();
        expect(await focused(page)).toBe("button");
        const { usable, forward, back, unseen } = await walk(page, new Set());
        // The button of the first picture that leads to the one before is among them, and only faint.
        expect(usable.length).toBeGreaterThanOrEqual(6);
        expect({ forward, back, unseen }).toEqual({
          forward: usable,
          back: usable.toReversed(),
          unseen: [],
        });
        await page.keyboard.press(key);
        await shows(page, second);
        await page.keyboard.press("Home");
        await shows(page, first);
        await page.keyboard.press(key);
        await page.keyboard.press("Escape");
        await shows(page, "");
        await expect.poll(() => page.evaluate("document.activeElement.id")).toBe("tile-i1");
        // The walk goes on from there.
        await page.keyboard.press("Tab");
        expect(await page.evaluate("document.activeElement.id")).toBe("tile-i2");
      },
      { site: language, colorScheme },
    ),
  );
});

describe("the search", () => {
  const status = (page: Page) => page.getByRole("status").innerText();

  it.each(languages)("is used from the field to the hit without a mouse, in %s", (language) =>
    on(
      "search.html",
      async (page) => {
        const has = async (selector: string) =>
          expect(await page.locator(`${selector}:focus`).count(), selector).toBe(1);
        await has("input[type=search]");
        expect(await status(page)).toBe("");
        await page.keyboard.type("report/");
        await isSearched(page);
        expect(await page.locator("#q").inputValue()).toBe("report/");
        await expect.poll(() => status(page)).toMatch(/^24 \p{L}+\.$/u);
        await page.keyboard.press("ArrowLeft");
        await has("input[type=search]");
        await page.keyboard.press("Tab");
        await has(".search-field button");
        for (const name of ["kind", "year", "category"]) {
          await page.keyboard.press("Tab");
          await has(`select[name=${name}]`);
        }
        await page.keyboard.press("ArrowDown");
        await has("select[name=category]");
        expect(await page.locator("select[name=category]").inputValue()).toBe("Coast and harbours");
        await expect.poll(() => status(page)).toMatch(/^12 \p{L}+\.$/u);
        await page.keyboard.press("Tab");
        await has("#results li:first-child h2 a");
        await page.keyboard.press("/");
        await has("input[type=search]");
        await page.locator("#results li:first-child h2 a").focus();
        await page.keyboard.press("Enter");
        await page.waitForURL(/articles\/article-n/);
      },
      { site: language },
    ),
  );

  describe("in a large archive", () => {
    let site: ServedSite;
    beforeAll(async () => {
      site = await openServedSite({
        articles: [
          { id: "harbour", title: "Harbour" },
          ...Array.from({ length: 120 }, (_, at): ArticleInput => {
            return { id: `n${at}`, published_at: `${2020 - (at % 30)}-01-02T10:00:00Z` };
          }),
        ],
      });
      sites.set("large", site);
    });

    it("goes on at the first new hit where a reader asks for more", () =>
      on(
        "search.html?q=article",
        async (page) => {
          await page.getByRole("button", { name: "Show more results" }).focus();
          let shown = 10;
          while (await page.locator(".search-more button").isVisible()) {
            await page.keyboard.press("Enter");
            const next = page.locator(`#results > :nth-child(${shown + 1}) a:focus`);
            await next.waitFor();
            await page.getByRole("status").filter({ hasText: /\.$/ }).waitFor();
            shown = await page.locator("#results > li").count();
            if (shown < 120) await page.locator(".search-more button").focus();
          }
          expect(shown).toBe(120);
        },
        { site: "large" },
      ));
  });
});

describe("a citation", () => {
  it("is opened and copied with Enter, and the button keeps the focus", () =>
    on(
      "articles/article-n0.html",
      async (page) => {
        await page.locator(".cite summary").focus();
        await page.keyboard.press("Enter");
        await page.keyboard.press("Tab");
        await page.keyboard.press("Enter");
        await page.getByRole("button", { name: "Copied" }).waitFor();
        expect(await focused(page)).toBe("button.button");
        expect(await page.evaluate("navigator.clipboard.readText()")).toMatch(/^“A report 0”/);
      },
      { permissions: ["clipboard-read", "clipboard-write"] },
    ));
});
