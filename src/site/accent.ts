import type { Papers } from "./views.ts";

/** WCAG 2.2 asks for 4.5; the rest is for tinted ground. */
const enoughContrast = 5;
/** Shares of the accent in the four tints of the calendar, faintest first. */
const tints = [0.08, 0.16, 0.24, 0.32];

/**
 * Rules that put another accent into the style sheet: darker on light paper and lighter on dark paper where it could not
 * be read otherwise.
 *
 * @param accent such as "#1f5a52"
 */
export function accentStyles(accent: string, { light, dark }: Papers): string {
  const rules = (paper: string): string => {
    const readable = readableOn(paper, accent);
    const heats = tints.map((share, at) => `--heat${at + 1}:${mix(paper, readable, share)};`);
    return `:root{--accent:${readable};${heats.join("")}--heat-ink:var(--ink)}`;
  };
  const onScreen = "@media screen and (prefers-color-scheme:";
  return `\n${onScreen} light){${rules(light)}}\n${onScreen} dark){${rules(dark)}}\n`;
}

/** readableOn("#ffffff", "#ffee00") → a yellow so dark that it can be read on white */
function readableOn(paper: string, accent: string): string {
  const end = luminance(paper) > 0.2 ? "#000000" : "#ffffff";
  let colour = accent;
  for (let step = 1; contrast(paper, colour) < enoughContrast && step <= 20; step++) {
    colour = mix(accent, end, step / 20);
  }
  return colour;
}

/** @param share of the second colour, 0 to 1 */
function mix(first: string, second: string, share: number): string {
  const to = channels(second);
  const mixed = channels(first).map((value, at) => {
    return Math.round(value + ((to[at] as number) - value) * share);
  });
  return `#${mixed.map((value) => value.toString(16).padStart(2, "0")).join("")}`;
}

/** Contrast of two colours, from 1 to 21. WCAG 2.2. */
function contrast(first: string, second: string): number {
  const [dark, light] = [luminance(first), luminance(second)].sort((a, b) => a - b);
  return ((light as number) + 0.05) / ((dark as number) + 0.05);
}

function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = channels(colour).map((value) => {
    const share = value / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** channels("#1f5a52") → [31, 90, 82] */
function channels(colour: string): number[] {
  return [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16));
}
