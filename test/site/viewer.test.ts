import { readFileSync, statSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, join } from "node:path";
import type { BrowserContextOptions, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { chromiumPath } from "../support/browser.ts";
import { found, requireProgram } from "../support/programs.ts";
import { type OpenSite, openSite, watched } from "./in-browser.ts";

const inPage = (name: string): string =>
  readFileSync(new URL(`./in-page/${name}.js`, import.meta.url), "utf8");

const types: Record<string, string> = {
  ".html": "text/html",
  ".css": "text/css",
  ".js": "text/javascript",
  ".webp": "image/webp",
  ".jpg": "image/jpeg",
};

/** A host that knows nothing but files. */
function serve(folder: string): Promise<Server> {
  const server = createServer((request, response) => {
    const file = join(folder, new URL(request.url ?? "/", "http://host").pathname);
    const here = statSync(file, { throwIfNoEntry: false })?.isFile() ?? false;
    response.writeHead(here ? 200 : 404, { "content-type": types[extname(file)] ?? "text/plain" });
    response.end(here ? readFileSync(file) : "");
  });
  return new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(server)));
}

/** Waits until an expression has a value. */
const becomes = (page: Page, expression: string, value: unknown) =>
  expect.poll(() => page.evaluate(expression), { timeout: 5_000 }).toBe(value);

/** Waits until the viewer is closed (empty) or shows a position, such as "3 of 7". */
const shows = (page: Page, position: string) =>
  becomes(
    page,
    "document.querySelector('dialog[open] .viewer-count')?.textContent ?? ''",
    position,
  );
const focused = (page: Page) => page.evaluate<string>("document.activeElement.id");
const gallery = "galleries/gallery-g.html";

requireProgram(chromiumPath);

describe.runIf(found(chromiumPath))("the viewer over a contact sheet", () => {
  let site: OpenSite;
  let server: Server;
  beforeAll(async () => {
    site = await openSite();
    server = await serve(site.folder);
  });
  afterAll(async () => {
    server?.close();
    await site?.close();
  });

  /** Opens a page, and expects that it complains of nothing. */
  async function on(
    path: string,
    use: (page: Page) => Promise<void>,
    settings: BrowserContextOptions = {},
    base = site.urlOf(""),
  ): Promise<void> {
    const context = await site.browser.newContext(settings);
    const page = await context.newPage();
    const complaints = await watched(page, async () => {
      await page.goto(new URL(path, base.endsWith("/") ? base : `${base}/`).href);
      await use(page);
    });
    expect(complaints.filter((one) => !one.startsWith("request: "))).toEqual([]);
    await context.close();
  }

  const bases: [string, () => string][] = [
    ["a folder", () => site.urlOf("")],
    ["a host", () => `http://127.0.0.1:${(server.address() as AddressInfo).port}/`],
  ];
  it.each(bases)("opens by click, turns by keys and closes by Escape, from %s", (_, base) =>
    on(
      gallery,
      async (page) => {
        const before = page.url();
        await page.click("#tile-i2");
        await shows(page, "3 of 7");
        expect(page.url()).toMatch(/gallery-g\.html#image-i2$/);
        await page.keyboard.press("ArrowRight");
        await shows(page, "4 of 7");
        expect(page.url()).toMatch(/#image-i3$/);
        await page.keyboard.press("End");
        await shows(page, "7 of 7");
        await page.keyboard.press("ArrowRight");
        await page.keyboard.press("ArrowLeft");
        await shows(page, "6 of 7");
        await page.keyboard.press("Home");
        await shows(page, "1 of 7");
        await page.click("[data-do=next]");
        await shows(page, "2 of 7");
        await page.keyboard.press("Escape");
        await shows(page, "");
        // The focus is on the image that was shown last, and the address is the page's again.
        await page.waitForURL(before);
        expect(await focused(page)).toBe("tile-i1");
        await page.keyboard.press("Enter");
        await shows(page, "2 of 7");
        await page.goBack();
        await shows(page, "");
        expect(page.url()).toBe(before);
        expect(await focused(page)).toBe("tile-i1");
      },
      {},
      base(),
    ),
  );

  it("opens by its address, and then closes without leaving the page", () =>
    on(`${gallery}#image-i4`, async (page) => {
      await shows(page, "5 of 7");
      await page.click("[data-do=close]");
      await shows(page, "");
      await page.waitForURL(/gallery-g\.html$/);
      expect(await focused(page)).toBe("tile-i4");
    }));

  it("is open again when the reader comes back from an image's page", () =>
    on(gallery, async (page) => {
      await page.click("#tile-i2");
      await page.keyboard.press("ArrowRight");
      await shows(page, "4 of 7");
      await page.click("text=About this image");
      await page.waitForURL(/images\/i3\.html#in-g$/);
      await page.goBack();
      await shows(page, "4 of 7");
      await page.keyboard.press("Escape");
      await shows(page, "");
    }));

  it("leaves tiles to the browser where a reader wants another tab, or scripts are off", async () => {
    await on(gallery, async (page) => {
      const [tab] = await Promise.all([
        page.context().waitForEvent("page"),
        page.click("#tile-i2", { modifiers: ["Control"] }),
      ]);
      expect(tab.url()).toMatch(/images\/i2\.html#in-g$/);
      await shows(page, "");
    });
    const withoutScripts = async (page: Page) => {
      await page.click("#tile-i2");
      expect(page.url()).toMatch(/images\/i2\.html#in-g$/);
      expect(await page.locator(".positions p:visible").innerText()).toMatch(/3 of 7 in Gallery g/);
      await page.click(".positions [rel=next]");
      expect(page.url()).toMatch(/images\/i3\.html#in-g$/);
      await page.click(".positions p a:not(.turn)");
      expect(page.url()).toMatch(/galleries\/gallery-g\.html#tile-i3$/);
    };
    await on(gallery, withoutScripts, { javaScriptEnabled: false });
  });

  it("keeps the focus, and the arrow keys from turning the page below it", () =>
    on("articles/article-rich.html", async (page) => {
      await page.click("#tile-i2");
      await shows(page, "2 of 3");
      for (let press = 0; press < 9; press++) {
        await page.keyboard.press("Tab");
        const outside = "document.activeElement.closest('dialog, body') === document.body";
        const onPage = await page.evaluate(
          `${outside} && document.activeElement !== document.body`,
        );
        expect(onPage).toBe(false);
      }
      await page.evaluate("document.activeElement.blur()");
      await page.keyboard.press("ArrowLeft");
      await shows(page, "1 of 3");
      await page.keyboard.press("ArrowLeft");
      await shows(page, "1 of 3");
      expect(page.url()).toContain("articles/article-rich.html");
      // The last image has no file here: what its tile says is shown instead.
      await page.keyboard.press("End");
      await shows(page, "3 of 3");
      expect(await page.locator(".viewer-stage").innerText()).toBe("Picture not kept");
      expect(await page.locator(".viewer-original").isVisible()).toBe(false);
    }));

  it("turns the other way where the site is written from right to left", () =>
    on(gallery, async (page) => {
      await page.evaluate("document.documentElement.dir = 'rtl'");
      await page.evaluate("location.hash = 'image-i2'");
      await shows(page, "3 of 7");
      await page.keyboard.press("ArrowLeft");
      await shows(page, "4 of 7");
      await page.keyboard.press("ArrowRight");
      await shows(page, "3 of 7");
    }));

  it("turns by a swipe", () =>
    on(
      gallery,
      async (page) => {
        await page.tap("#tile-i2");
        await shows(page, "3 of 7");
        const devtools = await page.context().newCDPSession(page);
        const touch = (type: "touchStart" | "touchMove" | "touchEnd", x: number) =>
          devtools.send("Input.dispatchTouchEvent", {
            type,
            touchPoints: type === "touchEnd" ? [] : [{ x, y: 400 }],
          });
        for (const [from, to, position] of [
          [300, 100, "4 of 7"],
          [100, 300, "3 of 7"],
        ] as const) {
          await touch("touchStart", from);
          for (let step = 1; step <= 4; step++) {
            await touch("touchMove", from + ((to - from) * step) / 4);
          }
          await touch("touchEnd", to);
          await shows(page, position);
        }
      },
      { viewport: { width: 390, height: 800 }, hasTouch: true },
    ));

  it("shows the rendition that fits the screen, and loads the neighbours'", () =>
    on(
      gallery,
      async (page) => {
        const loaded = new Set<string>();
        page.on("request", (request) => loaded.add(request.url().replace(/.*\/images\//, "")));
        await page.click("#tile-i4");
        await becomes(page, "document.querySelector('.viewer-stage img')?.complete", true);
        const source = await page.evaluate<string>(
          "document.querySelector('.viewer-stage img').currentSrc",
        );
        expect(source).toMatch(/images\/by\/width\/1280\/i4\.webp$|images\/i4\.webp$/);
        await expect
          .poll(() => [...loaded])
          .toEqual(
            expect.arrayContaining([
              expect.stringMatching(/i3\.webp$/),
              expect.stringMatching(/i5\.webp$/),
            ]),
          );
      },
      { viewport: { width: 1440, height: 900 } },
    ));

  const pixels = "document.querySelector('.viewer-stage img').getBoundingClientRect().width";
  const largest =
    "Math.max(...[...document.querySelector('.viewer-stage img').srcset.matchAll(/ (\\d+)w/g)].map((m) => Number(m[1])))";

  it("shows a picture in its own pixels, moves it, and goes back", () =>
    on(
      gallery,
      async (page) => {
        await page.locator(".tiles a").first().click();
        await shows(page, "1 of 7");
        const fitting = await page.evaluate<number>(pixels);
        const own = await page.evaluate<number>(largest);
        expect(own).toBeGreaterThan(fitting);
        await page.locator(".viewer-stage").click();
        await becomes(page, pixels, own);
        const place = "document.querySelector('.viewer-stage').scrollLeft";
        const before = await page.evaluate<number>(place);
        await page.keyboard.press("ArrowRight");
        await expect.poll(() => page.evaluate(place)).toBeGreaterThan(before);
        await page.keyboard.press("-");
        await becomes(page, pixels, fitting);
        await page.keyboard.press("+");
        await becomes(page, pixels, own);
        await page.locator("[data-do=next]").click();
        await shows(page, "2 of 7");
        await becomes(page, "document.querySelector('.viewer-stage.zoomed') === null", true);
        await page.locator(".viewer-count").click();
        await shows(page, "");
        const tile = await page.locator(".tiles a").nth(1).getAttribute("id");
        expect(await focused(page)).toBe(tile);
      },
      { viewport: { width: 500, height: 400 } },
    ));

  it("fits its window, with targets for fingers and enough contrast, light and dark", async () => {
    for (const colorScheme of ["light", "dark"] as const) {
      await on(
        `articles/article-rich.html#image-lost`,
        async (page) => {
          await shows(page, "3 of 3");
          for (const width of [320, 360, 390, 768, 1440]) {
            await page.setViewportSize({ width, height: 740 });
            const wide =
              "Math.max(...[document.documentElement, ...document.querySelectorAll('.viewer, .viewer *')].map((one) => one.scrollWidth))";
            expect(await page.evaluate<number>(wide), `${width}`).toBeLessThanOrEqual(width);
            for (const target of await page.locator(".viewer :is(button, a):visible").all()) {
              const box = await target.boundingBox();
              expect(box?.height, `${width}`).toBeGreaterThanOrEqual(44);
              expect(box?.width, `${width}`).toBeGreaterThanOrEqual(44);
            }
          }
          expect(await page.evaluate<string[]>(inPage("low-contrast"))).toEqual([]);
        },
        { colorScheme },
      );
    }
  });

  it("leads to pages that the arrow keys turn within its gallery", () =>
    on("images/i2.html#in-h", async (page) => {
      expect(await page.locator(".positions p:visible").innerText()).toMatch(/2 of 2 in Gallery h/);
      await page.keyboard.press("ArrowLeft");
      await page.waitForURL(/images\/i6\.html#in-h$/);
      // Without a hint it is the first gallery, and this is its last image.
      await page.goto(site.urlOf("images/i6.html"));
      expect(await page.locator(".positions p:visible").innerText()).toMatch(/7 of 7 in Gallery g/);
      await page.keyboard.press("ArrowRight");
      await page.waitForTimeout(200);
      expect(page.url()).toMatch(/images\/i6\.html$/);
      await page.keyboard.press("ArrowLeft");
      await page.waitForURL(/images\/i5\.html$/);
    }));

  it("leads to pages that fit the window", () =>
    on(gallery, async (page) => {
      for (const path of [gallery, "images/i2.html#in-g", "images/index.html"]) {
        await page.goto(`${site.urlOf("")}/${path}`);
        for (const width of [320, 360, 390, 768, 1440]) {
          await page.setViewportSize({ width, height: 740 });
          const { scroll } = await page.evaluate<{ scroll: number }>(inPage("layout"));
          expect(scroll, `${path}, ${width}`).toBeLessThanOrEqual(width);
        }
      }
    }));

  it("is named, as are its buttons", () =>
    on(`${gallery}#image-i0`, async (page) => {
      await shows(page, "1 of 7");
      await page.getByRole("dialog", { name: "Image viewer" }).waitFor();
      for (const name of ["Close", "Full screen", "Previous image", "Next image"]) {
        await page.getByRole("button", { name }).waitFor();
      }
      const previous = page.getByRole("button", { name: "Previous image" });
      expect(await previous.getAttribute("aria-disabled")).toBe("true");
      await page.getByRole("button", { name: "Full screen" }).click();
      await becomes(page, "document.fullscreenElement === null", false);
      await page.getByRole("button", { name: "Close" }).click();
      await becomes(page, "document.fullscreenElement === null", true);
      await shows(page, "");
    }));

  it("has tiles below it whose captions take two lines, whatever their length", () =>
    on(
      "articles/article-rich.html",
      async (page) => {
        const lines = await page.evaluate<number[]>(
          "[...document.querySelectorAll('.tiles .caption')].map((one) => one.clientHeight / Number.parseFloat(getComputedStyle(one).lineHeight))",
        );
        expect(lines).toHaveLength(3);
        for (const line of lines) expect(line).toBeCloseTo(2, 0);
      },
      { viewport: { width: 320, height: 800 } },
    ));
});
