import { type Browser, chromium } from "playwright-core";

/** Debian's Chromium, or the one that `CHROMIUM` names. */
export const chromiumPath = process.env.CHROMIUM ?? "/usr/bin/chromium";

/** For a machine without a display, where everything may run as root. Chromium looks for nothing of its maker. */
export const chromiumFlags = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"];

/** Starts Chromium without a window. */
export async function startChromium(...more: string[]): Promise<Browser> {
  return await chromium.launch({
    executablePath: chromiumPath,
    args: [...chromiumFlags, ...more],
  });
}
