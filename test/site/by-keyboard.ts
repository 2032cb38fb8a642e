import { readFileSync } from "node:fs";
import type { Page } from "playwright-core";
import sharp from "sharp";

/*
 * Walks through a page with the Tab key, and looks at what has the focus.
 */

const focusOf = readFileSync(new URL("./in-page/focus.js", import.meta.url), "utf8");

interface Box {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

interface Focused {
  name: string;
  /** Elements of one kind look alike. */
  kind: string;
  /** Why a reader cannot see that it has the focus, as far as the layout tells. */
  faults: string[];
  /** What of it is in the window, in pixels. */
  box: Box;
}

export interface Walk {
  /** What a mouse can use, in the order of the document. */
  usable: string[];
  /** What had the focus, one Tab after the other. */
  forward: string[];
  /** The same by Shift and Tab from the end. */
  back: string[];
  /** Where the focus could not be seen, and why. */
  unseen: string[];
}

/** No page of the tests has more places for the focus than this; a focus that goes round without end is a trap. */
const most = 400;

/**
 * Goes round a page by Tab and back, from wherever the focus is.
 *
 * @param seen kinds of elements whose pixels were looked at before; the new ones are added
 */
export async function walk(page: Page, seen: Set<string>): Promise<Walk> {
  await page.evaluate(focusOf);
  const usable = await page.evaluate<string[]>("focusOf.usable()");
  const unseen: string[] = [];
  // A page or its address may set where the focus is, and the walk begins at its start.
  if (page.url().includes("#") || (await focused(page))) await round(page, "Tab", async () => {});
  const look = async (stop: Focused): Promise<void> => {
    for (const fault of stop.faults) unseen.push(`${stop.name} ${fault}`);
    if (seen.has(stop.kind)) return;
    seen.add(stop.kind);
    const pixels = await changedPixels(page, stop.box);
    const { left, top, right, bottom } = stop.box;
    // More than half of an outline that is two pixels wide; buttons may be round.
    const needed = 1.25 * 2 * (right - left + bottom - top);
    if (pixels < needed)
      unseen.push(`${stop.name} changes ${pixels} of ${Math.round(needed)} pixels`);
  };
  const forward = await round(page, "Tab", look);
  const back = await round(page, "Shift+Tab", look);
  return { usable, forward, back, unseen };
}

const focused = (page: Page) => page.evaluate<Focused | null>("focusOf.focused()");

/** Presses a key until the focus leaves the page. Players have several places for it, which count as one. */
async function round(
  page: Page,
  key: string,
  look: (stop: Focused) => Promise<void>,
): Promise<string[]> {
  const names: string[] = [];
  // At the end of a page, some browsers take one more press to turn round.
  let outside = 0;
  while (names.length < most) {
    await page.keyboard.press(key);
    const stop = await focused(page);
    const isRound = stop === null ? names.length > 0 || ++outside > 1 : stop.name === names[0];
    if (isRound) return names;
    if (stop === null) continue;
    if (/^(?:audio|video)/.test(stop.name) && stop.name === names.at(-1)) continue;
    names.push(stop.name);
    await look(stop);
  }
  throw new Error(`the focus does not leave ${page.url()}: ${names.slice(-5).join(", ")}`);
}

/** Pixels in and around a box that the focus changes with a contrast of 3 or more, as WCAG 2.2 counts (2.4.13). */
async function changedPixels(page: Page, { left, top, right, bottom }: Box): Promise<number> {
  const margin = 8;
  const x = Math.max(0, Math.floor(left) - margin);
  const y = Math.max(0, Math.floor(top) - margin);
  const clip = {
    x,
    y,
    width: Math.ceil(right) + margin - x,
    height: Math.ceil(bottom) + margin - y,
  };
  const picture = async () =>
    sharp(await page.screenshot({ clip }))
      .removeAlpha()
      .raw()
      .toBuffer();
  const withFocus = await picture();
  await page.evaluate("focusOf.leave()");
  const without = await picture();
  await page.evaluate("focusOf.comeBack()");
  let changed = 0;
  for (let at = 0; at < without.length; at += 3) {
    if (withFocus.compare(without, at, at + 3, at, at + 3) === 0) continue;
    const pair = [luminance(withFocus, at), luminance(without, at)];
    if ((Math.max(...pair) + 0.05) / (Math.min(...pair) + 0.05) >= 3) changed++;
  }
  return changed;
}

function luminance(pixels: Buffer, at: number): number {
  const [r = 0, g = 0, b = 0] = [0, 1, 2].map((channel) => {
    const part = (pixels[at + channel] ?? 0) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}
