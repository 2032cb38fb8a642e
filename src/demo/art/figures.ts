import { type FlatPalette, readableOn } from "./palettes.ts";
import { cycle, type Random } from "./random.ts";
import { circle, d, fill, n, polygon, rect, type Sheet, shape, turned } from "./sheet.ts";

/** Square in pixels that a figure fills, and the colour around it. */
interface FigureBox {
  x: number;
  y: number;
  size: number;
  ground: string;
}

type Figure = (sheet: Sheet, random: Random, palette: FlatPalette, box: FigureBox) => void;

/** Geometric figure of a poster, one of four, turned by a random number of quarters. */
export const paintFigure: Figure = (sheet, random, palette, box) => {
  const centre = `${n(box.x + box.size / 2)} ${n(box.y + box.size / 2)}`;
  const figure = random.pick([paintPinwheel, paintColumns, paintHorizon, paintBlocks]);
  const turn = figure === paintHorizon ? 0 : random.int(0, 3) * 90;
  sheet.add(`<g transform="rotate(${turn} ${centre})">`);
  figure(sheet, random, palette, box);
  sheet.add("</g>");
};

/** Two fields, a ring and half discs that turn around it. */
const paintPinwheel: Figure = (sheet, random, palette, { x, y, size, ground }) => {
  const half = size / 2;
  const [a, b, c, d] = shuffled(random, palette);
  const ink = readableOn(palette, ground);
  const [cx, cy] = [x + half, y + half];
  sheet.add(rect(x, y, half, half, fill(a)), rect(cx, cy, half, half, fill(b)));
  sheet.add(circle(cx, cy, half * 0.72, fill(ink)));
  sheet.add(bow(cx, cy, half * 0.72, random.pick([0, 90, 45]), c));
  sheet.add(circle(cx, cy, half * 0.3, fill(ground)));
  sheet.add(
    bow(x + half * 1.5, cy, half * 0.48, 0, d),
    bow(x + half * 0.5, cy, half * 0.48, 180, d),
  );
  const corner = [
    [x + half * 1.55, y],
    [x + size, y],
    [x + size, y + half * 0.45],
  ] as const;
  sheet.add(polygon(corner, fill(ink)));
  for (let bar = 0; bar < 5; bar++) {
    sheet.add(rect(x, y + half * (1.62 + bar * 0.08), half * 0.62, half * 0.03, fill(ink)));
  }
};

/** Columns of different height, each ending in a half disc. */
const paintColumns: Figure = (sheet, random, palette, { x, y, size, ground }) => {
  const count = random.int(4, 6);
  const wide = size / count;
  const colours = [...shuffled(random, palette), readableOn(palette, ground)];
  for (let column = 0; column < count; column++) {
    const tall = size * random.range(0.32, 0.86);
    const left = x + column * wide;
    const top = y + size - tall;
    const colour = cycle(colours, column);
    sheet.add(rect(left, top, wide + 0.5, tall, fill(colour)));
    sheet.add(bow(left + wide / 2, top + 0.5, wide / 2, 0, colour));
    sheet.add(circle(left + wide / 2, top, wide * 0.2, fill(cycle(colours, column + 2))));
  }
};

/** A sun over water made of ever thicker bars. */
const paintHorizon: Figure = (sheet, random, palette, { x, y, size, ground }) => {
  const [sun, near, far] = shuffled(random, palette);
  const cx = x + size * random.range(0.4, 0.6);
  const level = y + size * 0.56;
  sheet.add(circle(x + size / 2, y + size / 2, size * 0.5, fill(far, 0.35)));
  sheet.add(circle(cx, level - size * 0.1, size * 0.27, fill(sun)));
  for (let bar = 0; bar < 7; bar++) {
    const top = level + (size * 0.44 * bar ** 1.2) / 7 ** 1.2;
    const inset = size * (0.02 + 0.035 * ((bar * 5) % 7));
    const thick = size * (0.012 + 0.0045 * bar);
    sheet.add(
      rect(
        x + inset,
        top,
        size - inset * 1.6,
        thick,
        fill(bar % 3 === 1 ? near : readableOn(palette, ground)),
      ),
    );
  }
};

/** Three by three fields with discs, half discs and quarters. */
const paintBlocks: Figure = (sheet, random, palette, { x, y, size, ground }) => {
  const cell = size / 3;
  const colours = [...shuffled(random, palette), readableOn(palette, ground)];
  for (let index = 0; index < 9; index++) {
    const [left, top] = [x + (index % 3) * cell, y + Math.floor(index / 3) * cell];
    const colour = cycle(colours, index * 2 + random.int(0, 1));
    const [cx, cy] = [left + cell / 2, top + cell / 2];
    const form = random.int(0, 3);
    if (form === 0) sheet.add(circle(cx, cy, cell * 0.46, fill(colour)));
    else if (form === 1)
      sheet.add(
        rect(left, top, cell, cell, fill(colour)),
        circle(cx, cy, cell * 0.25, fill(ground)),
      );
    else if (form === 2)
      sheet.add(
        bow(cx, cy, cell / 2, 0, colour),
        bow(cx, top + cell, cell / 2, 0, cycle(colours, index)),
      );
    else
      sheet.add(
        shape(d`M${left} ${top}h${cell}a${cell} ${cell} 0 0 1 ${-cell} ${cell}Z`, fill(colour)),
      );
  }
};

/** Upper half of a disc, turned by `turn` degrees around its centre. */
function bow(x: number, y: number, radius: number, turn: number, colour: string): string {
  const path = d`M${x - radius} ${y}a${radius} ${radius} 0 0 1 ${radius * 2} 0Z`;
  return shape(path, `${fill(colour)} ${turned(turn, x, y)}`);
}

function shuffled(random: Random, palette: FlatPalette): [string, string, string, string] {
  const [a, b, c, d] = random.shuffle(palette.accents);
  const { ink } = palette;
  return [a ?? ink, b ?? ink, c ?? ink, d ?? ink];
}
