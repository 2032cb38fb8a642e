import { n, type Sheet, shape } from "./sheet.ts";

/** Centre line of a letter: SVG path data in a box `width` wide and 100 high. */
interface Glyph {
  width: number;
  path: string;
}

const round = "M0 30A30 30 0 0 1 60 30L60 70A30 30 0 0 1 0 70Z";

/** Own stroke alphabet, since a fresh machine has no fonts; drawn by stroking the centre lines. */
const glyphs: Readonly<Record<string, Glyph>> = {
  A: { width: 60, path: "M0 100L0 30A30 30 0 0 1 60 30L60 100M0 62L60 62" },
  B: { width: 58, path: "M0 50L33 50A25 25 0 0 0 33 0L0 0L0 100L33 100A25 25 0 0 0 33 50" },
  C: { width: 58, path: "M54 15A29 30 0 0 0 0 30L0 70A29 30 0 0 0 54 85" },
  D: { width: 60, path: "M0 0L25 0A35 35 0 0 1 60 35L60 65A35 35 0 0 1 25 100L0 100Z" },
  E: { width: 50, path: "M50 0L0 0L0 100L50 100M0 50L44 50" },
  F: { width: 50, path: "M50 0L0 0L0 100M0 50L44 50" },
  G: { width: 60, path: "M56 15A30 30 0 0 0 0 30L0 70A30 30 0 0 0 60 70L60 58L38 58" },
  H: { width: 58, path: "M0 0L0 100M58 0L58 100M0 50L58 50" },
  I: { width: 8, path: "M4 0L4 100" },
  J: { width: 50, path: "M50 0L50 75A25 25 0 0 1 0 75" },
  K: { width: 58, path: "M0 0L0 100M54 4L4 54M24 36L55 94" },
  L: { width: 48, path: "M0 0L0 100L48 100" },
  M: { width: 80, path: "M0 100L0 0L40 62L80 0L80 100" },
  N: { width: 60, path: "M0 100L0 0L60 100L60 0" },
  O: { width: 60, path: round },
  P: { width: 58, path: "M0 100L0 0L30 0A28 28 0 0 1 30 56L0 56" },
  Q: { width: 60, path: `${round}M36 70L62 104` },
  R: { width: 58, path: "M0 100L0 0L30 0A28 28 0 0 1 30 56L0 56M28 56L53 94" },
  S: { width: 58, path: "M54 13A29 26 0 0 0 0 26C0 54 58 46 58 74A29 26 0 0 1 4 87" },
  T: { width: 60, path: "M0 0L60 0M30 0L30 100" },
  U: { width: 60, path: "M0 0L0 70A30 30 0 0 0 60 70L60 0" },
  V: { width: 60, path: "M0 0L30 100L60 0" },
  W: { width: 84, path: "M0 0L21 100L42 30L63 100L84 0" },
  X: { width: 60, path: "M0 0L60 100M60 0L0 100" },
  Y: { width: 60, path: "M0 0L30 48L60 0M30 48L30 100" },
  Z: { width: 56, path: "M0 0L56 0L0 100L56 100" },
  "0": { width: 60, path: round },
  "1": { width: 22, path: "M0 18L22 0L22 100" },
  "2": { width: 60, path: "M4 15A30 30 0 0 1 60 30C60 56 0 66 0 100L60 100" },
  "3": { width: 58, path: "M0 0L56 0L27 41A30 30 0 1 1 0 74" },
  "4": { width: 60, path: "M46 100L46 0L0 72L60 72" },
  "5": { width: 58, path: "M54 0L6 0L6 42L29 42A29 29 0 0 1 29 100L0 100" },
  "6": { width: 60, path: "M46 0L5 54M0 70A30 30 0 1 1 60 70A30 30 0 1 1 0 70" },
  "7": { width: 58, path: "M0 0L58 0L18 100" },
  "8": {
    width: 52,
    path: "M3 24A23 24 0 1 1 49 24A23 24 0 1 1 3 24M0 74A26 26 0 1 1 52 74A26 26 0 1 1 0 74",
  },
  "9": { width: 60, path: "M14 100L55 46M0 30A30 30 0 1 1 60 30A30 30 0 1 1 0 30" },
  "-": { width: 34, path: "M0 52L34 52" },
  " ": { width: 26, path: "" },
};

/** How a word is drawn: its letters' height in pixels, and their stroke in hundredths of it. */
export interface Lettering {
  height: number;
  weight: number;
  /** Gap between letters in hundredths of the height; half the weight and 7 when left out. */
  gap?: number;
}

/** One ring of colour of a stroke: its share of the whole weight, drawn in list order. */
export type StrokeLayer = readonly [colour: string, share: number];

/** Width of the word in pixels, strokes included; letters outside A-Z, 0-9, "-" count as spaces. */
export function wordWidth(word: string, lettering: Lettering): number {
  let units = 0;
  for (const letter of word.toUpperCase()) units += advance(letter, lettering);
  return ((units - gapOf(lettering)) * lettering.height) / (100 + lettering.weight);
}

/** Draws the word with its upper left corner at (x, y). */
export function addWord(
  sheet: Sheet,
  word: string,
  at: { x: number; y: number },
  lettering: Lettering,
  layers: readonly StrokeLayer[],
): void {
  const scale = lettering.height / (100 + lettering.weight);
  const caps = 'fill="none" stroke-linejoin="round" stroke-linecap="square"';
  let left = lettering.weight / 2;
  for (const letter of word.toUpperCase()) {
    const glyph = glyphOf(letter);
    const [x, y] = [at.x + left * scale, at.y + (lettering.weight / 2) * scale];
    const place = `translate(${n(x)} ${n(y)})`;
    for (const [colour, share] of layers) {
      if (!glyph.path) break;
      const stroke = `stroke="${colour}" stroke-width="${n(lettering.weight * share)}"`;
      const size = Math.round(scale * 10_000) / 10_000;
      sheet.add(shape(glyph.path, `${caps} ${stroke} transform="${place} scale(${size})"`));
    }
    left += advance(letter, lettering);
  }
}

function advance(letter: string, lettering: Lettering): number {
  return glyphOf(letter).width + lettering.weight + gapOf(lettering);
}

function gapOf(lettering: Lettering): number {
  return lettering.gap ?? 7 + lettering.weight / 4;
}

function glyphOf(letter: string): Glyph {
  return glyphs[letter] ?? { width: 26, path: "" };
}
