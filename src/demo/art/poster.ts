import { paintFigure } from "./figures.ts";
import { addWord, type Lettering, type StrokeLayer, wordWidth } from "./letters.ts";
import { accentOf, type FlatPalette, mixColour, readableOn, softened } from "./palettes.ts";
import { cycle, type Random } from "./random.ts";
import { circle, d, fill, line, n, rect, type Sheet, shape } from "./sheet.ts";

/** Type poster of a short word or two, in one of five layouts. */
export function paintPoster(
  sheet: Sheet,
  random: Random,
  palette: FlatPalette,
  words: string,
): void {
  random.pick([paintEcho, paintInitial, paintExhibition, paintRepeat, paintTiles])(
    sheet,
    random,
    palette,
    words,
  );
}

/** Words one below the other, each stroke made of parallel lines. */
function paintEcho(sheet: Sheet, random: Random, palette: FlatPalette, words: string): void {
  const dark = random.chance(0.5);
  const ground = dark ? mixColour(palette.ink, palette.accents[2], 0.12) : palette.paper;
  const drawn = dark ? palette.paper : palette.ink;
  sheet.add(rect(0, 0, sheet.width, sheet.height, fill(ground)));
  const rings = random.int(3, 5);
  const tints = random.shuffle([...palette.accents]);
  const layers: StrokeLayer[] = [];
  for (let ring = 0; ring < rings; ring++) {
    const share = 1 - ring / rings;
    layers.push([cycle([drawn, ...tints], ring), share], [ground, share - 0.5 / rings]);
  }
  addLines(sheet, lettersIn(sheet, words, random), 38, () => layers);
}

/** One letter larger than the sheet, the words small beside it. */
function paintInitial(sheet: Sheet, random: Random, palette: FlatPalette, words: string): void {
  const { width, height } = sheet;
  const unit = Math.min(width, height);
  const ground = random.chance(0.5) ? palette.paper : accentOf(palette, random.int(0, 3));
  const figure = ground === palette.paper ? accentOf(palette, random.int(0, 3)) : palette.paper;
  sheet.add(rect(0, 0, width, height, fill(ground)));
  const disc = cycle(
    palette.accents.filter((colour) => colour !== ground && colour !== figure),
    random.int(0, 1),
  );
  sheet.add(
    circle(
      width * random.range(0.25, 0.75),
      height * random.range(0.25, 0.55),
      unit * 0.31,
      fill(disc),
    ),
  );
  const initial = words.charAt(0);
  const big = { height: height * 0.78, weight: 30 };
  const fitted = Math.min(big.height, (big.height * width * 0.82) / wordWidth(initial, big));
  const lettering = { ...big, height: fitted };
  const x = (width - wordWidth(initial, lettering)) * random.range(0.2, 0.8);
  addWord(sheet, initial, { x, y: (height - fitted) * 0.38 }, lettering, [
    [figure, 1],
    [palette.ink, 0.3],
  ]);
  addSmallWords(sheet, words, palette, ground);
}

/** A geometric figure over the words, as for an exhibition. */
function paintExhibition(sheet: Sheet, random: Random, palette: FlatPalette, words: string): void {
  const { width, height } = sheet;
  const ground = random.chance(0.6) ? palette.paper : softened(palette, 1, 0.35);
  sheet.add(rect(0, 0, width, height, fill(ground)));
  const field = Math.min(width * 0.86, height * 0.62);
  const [left, top] = [(width - field) / 2, height * 0.07];
  paintFigure(sheet, random, palette, { x: left, y: top, size: field, ground });
  const room = { top: top + field + height * 0.04, bottom: height * 0.94 };
  const lettering = { height: room.bottom - room.top, weight: 17 };
  const share = Math.min(1, (field / wordWidth(words, lettering)) * 1);
  const fitted = { ...lettering, height: Math.min(lettering.height * share, height * 0.2) };
  const x = (width - wordWidth(words, fitted)) / 2;
  const y = room.top + (room.bottom - room.top - fitted.height) * 0.5;
  addWord(sheet, words, { x, y }, fitted, [[readableOn(palette, ground), 1]]);
}

/** The words again and again, a different colour in one line. */
function paintRepeat(sheet: Sheet, random: Random, palette: FlatPalette, words: string): void {
  const { width, height } = sheet;
  const ground = accentOf(palette, random.int(0, 3));
  sheet.add(rect(0, 0, width, height, fill(ground)));
  const probe = { height: 100, weight: 26 };
  const share = (width * 0.9) / wordWidth(words, probe);
  const rows = Math.max(3, Math.min(9, Math.floor((height * 0.94) / (share * 122))));
  const pitch = (height * 0.92) / rows;
  const chosen = random.int(0, rows - 1);
  const contrast = readableOn(palette, ground);
  const quiet = mixColour(ground, contrast, contrast === palette.paper ? 0.3 : 0.82);
  for (let row = 0; row < rows; row++) {
    const y = height * 0.04 + pitch * row + pitch * 0.06;
    const lettering = { height: Math.min(pitch * 0.86, share * 150), weight: 26 };
    const natural = wordWidth(words, lettering);
    const squeeze = (width * 0.9) / natural;
    const colour = row === chosen ? palette.paper : quiet;
    const wide = Math.round(squeeze * 10_000) / 10_000;
    sheet.add(`<g transform="translate(${n(width * 0.05)} ${n(y)}) scale(${wide} 1)">`);
    addWord(sheet, words, { x: 0, y: 0 }, lettering, [[colour, 1]]);
    sheet.add("</g>");
  }
}

/** One letter on each tile of a grid. */
function paintTiles(sheet: Sheet, random: Random, palette: FlatPalette, words: string): void {
  const { width, height } = sheet;
  const letters = [...words.replaceAll(" ", "")];
  const columns = Math.max(2, Math.round(Math.sqrt((letters.length * width) / height)));
  const rows = Math.ceil(letters.length / columns);
  const [cw, ch] = [width / columns, height / rows];
  const grounds = random.shuffle([...palette.accents, palette.paper, palette.ink]);
  for (let index = 0; index < columns * rows; index++) {
    const [x, y] = [(index % columns) * cw, Math.floor(index / columns) * ch];
    const ground = cycle(grounds, index + Math.floor(index / columns) * 2);
    const figure = readableOn(palette, ground);
    sheet.add(rect(x, y, cw + 0.6, ch + 0.6, fill(ground)));
    const letter = letters[index];
    if (!letter) {
      sheet.add(circle(x + cw / 2, y + ch / 2, Math.min(cw, ch) * 0.3, fill(figure)));
      continue;
    }
    const probe = { height: ch * 0.66, weight: 24 };
    const fitted = {
      ...probe,
      height: probe.height * Math.min(1, (cw * 0.72) / wordWidth(letter, probe)),
    };
    const at = { x: x + (cw - wordWidth(letter, fitted)) / 2, y: y + (ch - fitted.height) / 2 };
    addWord(sheet, letter, at, fitted, [[figure, 1]]);
  }
}

/** Words split into lines so that the letters become as large as possible. */
function lettersIn(sheet: Sheet, words: string, random: Random): string[] {
  const parts = words.split(" ");
  if (parts.length > 1) return parts;
  const upright = sheet.height > sheet.width;
  if (words.length < 5 && !upright) return [words];
  if (!upright && random.chance(0.5)) return [words];
  const half = Math.ceil(words.length / 2);
  return [words.slice(0, half), words.slice(half)];
}

function addLines(
  sheet: Sheet,
  lines: readonly string[],
  weight: number,
  layers: (row: number) => readonly StrokeLayer[],
): void {
  const margin = Math.min(sheet.width, sheet.height) * 0.08;
  const pitch = (sheet.height - margin * 2) / lines.length;
  for (const [row, word] of lines.entries()) {
    const probe: Lettering = { height: pitch * 0.93, weight };
    const share = (sheet.width - margin * 2) / wordWidth(word, probe);
    const fitted = { ...probe, height: probe.height * Math.min(1, share) };
    const x = (sheet.width - wordWidth(word, fitted)) / 2;
    addWord(
      sheet,
      word,
      { x, y: margin + pitch * row + (pitch - fitted.height) / 2 },
      fitted,
      layers(row),
    );
  }
}

function addSmallWords(sheet: Sheet, words: string, palette: FlatPalette, ground: string): void {
  const unit = Math.min(sheet.width, sheet.height);
  const lettering = { height: unit * 0.036, weight: 15, gap: 26 };
  const x = unit * 0.06;
  const y = sheet.height - unit * 0.06 - lettering.height;
  const colour = readableOn(palette, ground);
  addWord(sheet, words, { x, y }, lettering, [[colour, 1]]);
  const from = x + wordWidth(words, lettering) + unit * 0.03;
  const rule = d`M${from} ${y + lettering.height / 2}H${sheet.width - x}`;
  sheet.add(shape(rule, line(colour, unit * 0.003)));
}
