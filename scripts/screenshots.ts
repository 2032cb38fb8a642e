import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { Page } from "playwright-core";
import sharp from "sharp";
import { startChromium } from "../test/support/browser.ts";

/** Writes the pictures of README and docs to `.github/`, from an archive of the demo. Needs Chromium and a build. */

const desk = { width: 1280, height: 840 };
const phone = { width: 390, height: 844 };

interface Shot {
  path: string;
  viewport: typeof desk;
  dark?: boolean;
  before?: (page: Page) => Promise<void>;
}

const article = "public/articles/why-the-light-at-fenharrow-blinks-twice.html";
const gallery = "public/galleries/the-year-in-pictures-saint-brannoc.html";

/** Each picture is one or more windows, side by side. */
const pictures: Record<string, Shot[]> = {
  home: [{ path: "public/index.html", viewport: desk }],
  phone: [
    { path: article, viewport: phone },
    { path: gallery, viewport: phone, dark: true },
    { path: "public/search.html?q=lighthouse", viewport: phone },
    { path: "public/archive/index.html", viewport: phone, dark: true },
  ],
  viewer: [
    {
      path: gallery,
      viewport: desk,
      dark: true,
      before: (page) => page.locator(".tiles a").nth(3).click(),
    },
  ],
  desk: [
    {
      path: "review/index.html",
      viewport: desk,
      before: (page) => page.evaluate("scrollTo(0, 715)"),
    },
  ],
};

const folder = mkdtempSync(join(tmpdir(), "stillpress-screenshots-"));
const browser = await startChromium();
try {
  const main = fileURLToPath(new URL("../dist/cli/main.js", import.meta.url));
  // The second run is for the desk: what changed since the first.
  for (const more of [[], ["--articles", "123"]]) {
    const args = [main, "demo", "--quiet", "--out", folder, ...more];
    const { status } = spawnSync(process.execPath, args, { stdio: "inherit" });
    if (status !== 0) throw new Error(`demo: exit ${status}`);
  }
  for (const [name, shots] of Object.entries(pictures)) await write(name, shots);
} finally {
  await browser.close();
  rmSync(folder, { recursive: true, force: true });
}

async function write(name: string, shots: readonly Shot[]): Promise<void> {
  const gap = 24;
  const windows: { input: Buffer; left: number; top: number }[] = [];
  let left = 0;
  for (const shot of shots) {
    windows.push({ input: await take(shot), left, top: 0 });
    left += shot.viewport.width + gap;
  }
  const height = shots[0]?.viewport.height ?? 0;
  const sheet = sharp({ create: { width: left - gap, height, channels: 3, background: "#fff" } });
  const file = fileURLToPath(new URL(`../.github/${name}.jpg`, import.meta.url));
  await sheet.composite(windows).jpeg({ quality: 80, mozjpeg: true }).toFile(file);
}

async function take({ path, viewport, dark, before }: Shot): Promise<Buffer> {
  const page = await browser.newPage({ viewport, colorScheme: dark ? "dark" : "light" });
  await page.goto(`${pathToFileURL(folder).href}/${path}`, { waitUntil: "load" });
  await before?.(page);
  await page.waitForTimeout(1000);
  const picture = await page.screenshot();
  await page.close();
  return picture;
}
