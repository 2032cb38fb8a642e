import { accentOf, type FlatPalette, mixColour, softened } from "./palettes.ts";
import { cycle, type Random } from "./random.ts";
import { circle, d, fill, line, type Point, polyline, rect, type Sheet, shape } from "./sheet.ts";

/** Stems with paired leaves, berries and seed heads. */
export function paintBotanical(sheet: Sheet, random: Random, palette: FlatPalette): void {
  const { width, height } = sheet;
  const unit = Math.min(width, height);
  sheet.add(rect(0, 0, width, height, fill(palette.paper)));
  sheet.add(
    circle(
      width * random.range(0.35, 0.65),
      height * 0.4,
      unit * random.range(0.24, 0.34),
      fill(softened(palette, random.int(0, 3), 0.45)),
    ),
  );
  const stems = Math.round((width / unit) * random.int(5, 7));
  for (let stem = 0; stem < stems; stem++) {
    const x = width * (0.06 + (0.88 * (stem + random.range(0.2, 0.8))) / stems);
    const colour = cycle([...palette.accents, palette.ink], stem + random.int(0, 1));
    addStem(
      sheet,
      random,
      { x, tall: height * random.range(0.45, 0.88), leaf: unit * random.range(0.07, 0.13) },
      colour,
      palette,
    );
  }
  sheet.add(
    rect(
      0,
      height * 0.955,
      width,
      height * 0.05,
      fill(mixColour(palette.ink, accentOf(palette, 3), 0.2)),
    ),
  );
}

interface Stem {
  x: number;
  tall: number;
  leaf: number;
}

function addStem(
  sheet: Sheet,
  random: Random,
  stem: Stem,
  colour: string,
  palette: FlatPalette,
): void {
  const bend = stem.tall * random.range(-0.16, 0.16);
  const at = (t: number): Point => [stem.x + bend * t * t, sheet.height * 0.97 - stem.tall * t];
  const points = Array.from({ length: 15 }, (_, index) => at(index / 14));
  sheet.add(shape(polyline(points), `${line(colour, stem.leaf * 0.07)} stroke-linecap="round"`));
  const kind = random.int(0, 2);
  const pairs = random.int(5, 9);
  const open = random.range(0.6, 1);
  let leaves = "";
  for (let pair = 1; pair <= pairs; pair++) {
    const t = 0.18 + (0.8 * pair) / pairs;
    const [x, y] = at(t);
    const long = stem.leaf * (1.25 - t * 0.75);
    for (const side of [-1, 1]) {
      const [tx, ty] = [x + side * long * open, y - long * (kind === 1 ? 0.15 : 0.7)];
      if (kind === 2) {
        sheet.add(shape(d`M${x} ${y}L${tx} ${ty}`, line(colour, stem.leaf * 0.045)));
        sheet.add(circle(tx, ty, long * 0.24, fill(accentOf(palette, pair))));
      } else leaves += leaf(x, y, tx, ty, long * 0.36);
    }
  }
  const [x, y] = at(1);
  sheet.add(
    shape(leaves, fill(colour)),
    shape(leaf(x, y, x + bend * 0.1, y - stem.leaf * 0.8, stem.leaf * 0.26), fill(colour)),
  );
}

function leaf(x: number, y: number, tx: number, ty: number, wide: number): string {
  const length = Math.hypot(tx - x, ty - y) || 1;
  const [px, py] = [(-(ty - y) / length) * wide, ((tx - x) / length) * wide];
  const [mx, my] = [x + (tx - x) * 0.45, y + (ty - y) * 0.45];
  return d`M${x} ${y}Q${mx + px} ${my + py} ${tx} ${ty}Q${mx - px} ${my - py} ${x} ${y}Z`;
}
