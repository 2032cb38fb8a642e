import { accentOf, type FlatPalette, mixColour, softened } from "./palettes.ts";
import { createNoise, cycle, layeredNoise, type Random } from "./random.ts";
import {
  circle,
  d,
  fill,
  line,
  n,
  type Point,
  polygon,
  polyline,
  rect,
  type Sheet,
  shape,
  turned,
} from "./sheet.ts";

/** Grid of quarter circles, discs, stripes and triangles. */
export function paintBauhaus(sheet: Sheet, random: Random, palette: FlatPalette): void {
  const columns = random.int(4, 6);
  const cell = sheet.width / columns;
  const rows = Math.ceil(sheet.height / cell);
  const colours = [
    ...palette.accents,
    palette.ink,
    palette.paper,
    softened(palette, 1),
    palette.paper,
  ];
  sheet.add(rect(0, 0, sheet.width, sheet.height, fill(palette.paper)));
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) {
      const [ground, figure, third] = random.shuffle(colours);
      if (!ground || !figure || !third) continue;
      const [x, y] = [column * cell, row * cell];
      sheet.add(rect(x, y, cell + 0.6, cell + 0.6, fill(ground)));
      sheet.add(tile(random, x, y, cell, figure === ground ? palette.ink : figure, third));
    }
  }
}

/** Large translucent discs and bars that darken where they overlap. */
export function paintOverlap(sheet: Sheet, random: Random, palette: FlatPalette): void {
  const { width, height } = sheet;
  const unit = Math.min(width, height);
  sheet.add(rect(0, 0, width, height, fill(palette.paper)));
  const count = random.int(6, 9);
  for (let index = 0; index < count; index++) {
    const [x, y] = [width * random.range(0.12, 0.88), height * random.range(0.15, 0.85)];
    const r = unit * random.range(0.1, 0.34);
    const colour = accentOf(palette, index);
    const form = random.int(0, 4);
    if (form <= 1) sheet.add(circle(x, y, r, fill(colour, 0.72)));
    else if (form === 2) sheet.add(circle(x, y, r * 0.85, line(colour, r * 0.34, 0.75)));
    else if (form === 3)
      sheet.add(
        shape(
          d`M${x - r} ${y}a${r} ${r} 0 0 1 ${r * 2} 0Z`,
          `${fill(colour, 0.8)} ${turned(random.pick([0, 90, 180, 270, 45]), x, y)}`,
        ),
      );
    else
      sheet.add(
        rect(
          x - r * 1.4,
          y - r * 0.22,
          r * 2.8,
          r * 0.44,
          `${fill(colour, 0.78)} ${turned(random.pick([-45, 30, 0, 90]), x, y)}`,
        ),
      );
  }
  for (let index = random.int(3, 6); index > 0; index--) {
    const [x, y] = [width * random.next(), height * random.next()];
    const angle = random.range(0, Math.PI);
    const reach = unit * random.range(0.2, 0.6);
    const dx = Math.cos(angle) * reach;
    const dy = Math.sin(angle) * reach;
    sheet.add(
      shape(
        polyline([
          [x - dx, y - dy],
          [x + dx, y + dy],
        ]),
        line(palette.ink, unit * random.range(0.002, 0.009)),
      ),
    );
  }
  sheet.add(
    circle(
      width * random.range(0.2, 0.8),
      height * random.range(0.2, 0.8),
      unit * 0.045,
      fill(palette.ink),
    ),
  );
}

/** Lines that follow a field of directions. */
export function paintFlow(sheet: Sheet, random: Random, palette: FlatPalette): void {
  const { width, height } = sheet;
  const unit = Math.min(width, height);
  const noise = createNoise(random);
  const turn = random.range(1.4, 2.6);
  const lean = random.range(0, Math.PI * 2);
  const scale = unit * random.range(0.5, 0.95);
  const step = unit * 0.03;
  sheet.add(rect(0, 0, width, height, fill(palette.paper)));
  const colours = [
    ...palette.accents,
    palette.ink,
    softened(palette, 0, 0.3),
    softened(palette, 2, 0.5),
  ];
  for (let stroke = 0; stroke < 300; stroke++) {
    const point = { x: width * random.range(-0.1, 1.1), y: height * random.range(-0.1, 1.1) };
    const points: Point[] = [[point.x, point.y]];
    for (let piece = random.int(9, 22); piece > 0; piece--) {
      const angle =
        lean + layeredNoise(noise, 2, point.x / scale, point.y / scale) * Math.PI * turn;
      point.x += Math.cos(angle) * step;
      point.y += Math.sin(angle) * step;
      points.push([point.x, point.y]);
    }
    const thick = unit * (0.002 + 0.016 * random.next() ** 3);
    sheet.add(
      shape(smoothLine(points), `${line(random.pick(colours), thick, 0.9)} stroke-linecap="round"`),
    );
  }
}

/** Concentric bows in several places, as of a rising sun. */
export function paintArcs(sheet: Sheet, random: Random, palette: FlatPalette): void {
  const { width, height } = sheet;
  const unit = Math.min(width, height);
  sheet.add(rect(0, 0, width, height, fill(mixColour(palette.paper, accentOf(palette, 1), 0.14))));
  sheet.add(
    circle(
      width * random.range(0.2, 0.8),
      height * random.range(0.18, 0.34),
      unit * 0.1,
      fill(accentOf(palette, random.int(0, 3))),
    ),
  );
  const bows = random.int(3, 5);
  const places = random.shuffle(Array.from({ length: bows }, (_, index) => (index + 0.5) / bows));
  for (const [index, place] of places.entries()) {
    const depth = (index + 1) / bows;
    const x = width * (place + random.range(-0.06, 0.06));
    const y = height * (0.62 + depth * 0.42);
    const r = unit * random.range(0.34, 0.56);
    const rings = random.int(4, 7);
    for (let ring = 0; ring < rings; ring++) {
      const colour = cycle([...palette.accents, palette.paper, palette.ink], index + ring);
      sheet.add(circle(x, y, r * (1 - ring / rings), fill(colour)));
    }
  }
}

/** Stacked outlines of a signal, each hiding the ones behind it. */
export function paintStrata(sheet: Sheet, random: Random, palette: FlatPalette): void {
  const { width, height } = sheet;
  const noise = createNoise(random);
  const dark = random.chance(0.6);
  const ground = dark ? mixColour(palette.ink, accentOf(palette, 2), 0.15) : palette.paper;
  const stroke = dark ? palette.paper : palette.ink;
  sheet.add(rect(0, 0, width, height, fill(ground)));
  const rows = random.int(30, 44);
  const centre = random.range(0.38, 0.62);
  for (let row = 0; row < rows; row++) {
    const level = height * (0.2 + (0.68 * row) / rows);
    const points: Point[] = [];
    for (let t = 0; t <= 1.0001; t += 1 / 110) {
      const calm = Math.exp(-(((t - centre) / 0.19) ** 2));
      const wave = Math.abs(layeredNoise(noise, 4, t * 7, row * 0.23)) * calm;
      points.push([
        width * (0.1 + 0.8 * t),
        level - wave * height * 0.21 - noise(t * 60, row) * height * 0.002,
      ]);
    }
    const tint = mixColour(ground, accentOf(palette, Math.floor((row / rows) * 4)), 0.82);
    sheet.add(
      shape(
        polyline(points),
        `fill="${tint}" stroke="${stroke}" stroke-width="${n(height * 0.0024)}"`,
      ),
    );
  }
}

function tile(
  random: Random,
  x: number,
  y: number,
  cell: number,
  colour: string,
  other: string,
): string {
  const turn = turned(random.int(0, 3) * 90, x + cell / 2, y + cell / 2);
  const half = cell / 2;
  const quarter = (r: number, paint: string) =>
    shape(d`M${x} ${y}h${r}a${r} ${r} 0 0 1 ${-r} ${r}Z`, fill(paint));
  const forms: (() => string)[] = [
    () => quarter(cell, colour),
    () => quarter(cell, colour) + quarter(half, other),
    () => circle(x + half, y + half, cell * 0.36, fill(colour)),
    () =>
      circle(x + half, y + half, cell * 0.42, fill(colour)) +
      circle(x + half, y + half, cell * 0.18, fill(other)),
    () =>
      polygon(
        [
          [x, y],
          [x + cell, y],
          [x, y + cell],
        ],
        fill(colour),
      ),
    () =>
      [0, 2, 4].map((bar) => rect(x, y + (bar * cell) / 5, cell, cell / 5, fill(colour))).join(""),
    () =>
      shape(d`M${x} ${y}a${half} ${half} 0 0 0 ${cell} 0Z`, fill(colour)) +
      shape(d`M${x} ${y + half}a${half} ${half} 0 0 0 ${cell} 0Z`, fill(other)),
    () =>
      shape(
        d`M${x} ${y}h${half}a${half} ${half} 0 0 1 ${half} ${half}` +
          d`v${half}h${-half}a${half} ${half} 0 0 1 ${-half} ${-half}Z`,
        fill(colour),
      ),
    () => rect(x + cell * 0.25, y + cell * 0.25, half, half, fill(colour)),
  ];
  return `<g ${turn}>${random.pick(forms)()}</g>`;
}

function smoothLine(points: readonly Point[]): string {
  const [first, ...rest] = points;
  if (!first) return "";
  let path = d`M${first[0]} ${first[1]}`;
  for (const [index, [x, y]] of rest.entries()) {
    const [nx, ny] = rest[index + 1] ?? [x, y];
    path += d`Q${x} ${y} ${(x + nx) / 2} ${(y + ny) / 2}`;
  }
  return path;
}
