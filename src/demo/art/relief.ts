import { accentOf, type FlatPalette, mixColour } from "./palettes.ts";
import { createNoise, layeredNoise, type Random } from "./random.ts";
import { circle, discPath, fill, line, n, rect, type Sheet, shape } from "./sheet.ts";

/** Values on a grid, row by row; the outermost ones are low, so that every contour closes. */
interface Field {
  columns: number;
  rows: number;
  values: Float64Array;
}

/** Topographic map: tinted heights with contour lines and a few trig points. */
export function paintContours(sheet: Sheet, random: Random, palette: FlatPalette): void {
  const unit = Math.min(sheet.width, sheet.height);
  const field = heightField(sheet, random, 3);
  const levels = random.int(9, 13);
  const high = accentOf(palette, random.int(0, 3));
  const low = mixColour(palette.paper, accentOf(palette, random.int(0, 3)), 0.3);
  sheet.add(rect(0, 0, sheet.width, sheet.height, fill(low)));
  for (let level = 0; level < levels; level++) {
    const t = level / (levels - 1);
    const path = contourPath(field, -0.42 + t * 0.86, sheet);
    const edge = line(palette.ink, unit * (level % 4 === 0 ? 0.0028 : 0.0013), 0.7);
    const tint = mixColour(low, high, t ** 0.9);
    sheet.add(shape(path, `${edge.replace('fill="none"', `fill="${tint}"`)} fill-rule="evenodd"`));
  }
  for (let mark = random.int(3, 6); mark > 0; mark--) {
    const [x, y] = [sheet.width * random.range(0.1, 0.9), sheet.height * random.range(0.1, 0.9)];
    sheet.add(
      circle(x, y, unit * 0.011, line(palette.ink, unit * 0.002)),
      circle(x, y, unit * 0.003, fill(palette.ink)),
    );
  }
}

/** Sheets of coloured paper cut along contours, each with a shadow below. */
export function paintPapercut(sheet: Sheet, random: Random, palette: FlatPalette): void {
  const unit = Math.min(sheet.width, sheet.height);
  const field = heightField(sheet, random, 2);
  const levels = random.int(6, 8);
  const [from, via, to] = random.shuffle([...palette.accents]);
  if (!from || !via || !to) return;
  sheet.add(rect(0, 0, sheet.width, sheet.height, fill(mixColour(from, palette.ink, 0.35))));
  for (let level = 0; level < levels; level++) {
    const t = level / (levels - 1);
    const path = contourPath(field, -0.45 + t * 0.8, sheet);
    const tint =
      t < 0.5
        ? mixColour(from, via, t * 2)
        : mixColour(via, mixColour(to, palette.paper, 0.45), t * 2 - 1);
    for (const [shift, opacity] of [
      [0.013, 0.1],
      [0.008, 0.12],
      [0.004, 0.16],
    ] as const) {
      const moved = `transform="translate(${n(unit * shift * 0.6)} ${n(unit * shift)})"`;
      sheet.add(shape(path, `${fill("#000000", opacity)} fill-rule="evenodd" ${moved}`));
    }
    sheet.add(shape(path, `${fill(tint)} fill-rule="evenodd"`));
  }
}

/** Dots on a turned grid whose size follows a soft shape, in two inks. */
export function paintHalftone(sheet: Sheet, random: Random, palette: FlatPalette): void {
  const { width, height } = sheet;
  const unit = Math.min(width, height);
  const noise = createNoise(random);
  const [first, second] = random.shuffle([...palette.accents]);
  if (!first || !second) return;
  sheet.add(rect(0, 0, width, height, fill(palette.paper)));
  const sun = {
    x: width * random.range(0.3, 0.7),
    y: height * random.range(0.3, 0.6),
    r: unit * 0.36,
  };
  sheet.add(circle(sun.x, sun.y, sun.r, fill(first)));
  const cell = unit / random.int(38, 50);
  for (const [angle, ink, phase] of [
    [0.26, second, 0],
    [0.78, palette.ink, 5],
  ] as const) {
    const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
    const reach = Math.ceil((width + height) / cell / 1.9);
    let dots = "";
    for (let row = -reach; row <= reach; row++) {
      for (let column = -reach; column <= reach; column++) {
        const x = width / 2 + (column * cos - row * sin) * cell;
        const y = height / 2 + (column * sin + row * cos) * cell;
        if (x < -cell || y < -cell || x > width + cell || y > height + cell) continue;
        const wave = layeredNoise(noise, 2, x / (unit * 0.5) + phase, y / (unit * 0.32));
        const slope = phase === 0 ? y / height - 0.35 : (y / height - 0.52) * 1.5;
        const r = cell * Math.min(0.62, Math.max(0, 0.3 * slope + wave * 0.55));
        if (r > cell * 0.07) dots += discPath(x, y, r);
      }
    }
    sheet.add(shape(dots, fill(ink, 0.92)));
  }
}

function heightField(sheet: Sheet, random: Random, octaves: number): Field {
  const noise = createNoise(random);
  const longEdge = 96;
  const cell = Math.max(sheet.width, sheet.height) / longEdge;
  const columns = Math.ceil(sheet.width / cell) + 5;
  const rows = Math.ceil(sheet.height / cell) + 5;
  const scale = 26 * random.range(0.8, 1.25);
  const values = new Float64Array(columns * rows);
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) {
      const border = row === 0 || column === 0 || row === rows - 1 || column === columns - 1;
      const value = layeredNoise(noise, octaves, column / scale, row / scale);
      values[row * columns + column] = border ? -9 : value;
    }
  }
  return { columns, rows, values };
}

/** Closed outlines of everything above `level`, by marching squares with joined segments. */
function contourPath(field: Field, level: number, sheet: Sheet): string {
  const { columns, rows, values } = field;
  const cell = Math.max(sheet.width, sheet.height) / 96;
  const at = (index: number) => values[index] ?? -9;
  // A crossing is named after its grid edge: twice the index of the start, plus 1 when vertical.
  const next = new Map<number, number>();
  for (let row = 0; row < rows - 1; row++) {
    for (let column = 0; column < columns - 1; column++) {
      const corner = row * columns + column;
      const edges = [
        corner * 2,
        (corner + 1) * 2 + 1,
        (corner + columns) * 2,
        corner * 2 + 1,
      ] as const;
      const code =
        (at(corner) > level ? 1 : 0) +
        (at(corner + 1) > level ? 2 : 0) +
        (at(corner + columns + 1) > level ? 4 : 0) +
        (at(corner + columns) > level ? 8 : 0);
      for (const [from, to] of segments[code] ?? []) next.set(edges[from], edges[to]);
    }
  }
  const place = (name: number): string => {
    const start = name >> 1;
    const end = name & 1 ? start + columns : start + 1;
    const share = Math.min(1, Math.max(0, (level - at(start)) / (at(end) - at(start))));
    const x = (start % columns) + (name & 1 ? 0 : share) - 2;
    const y = Math.floor(start / columns) + (name & 1 ? share : 0) - 2;
    return `${n(x * cell)} ${n(y * cell)}`;
  };
  let path = "";
  for (const first of next.keys()) {
    if (!next.has(first)) continue;
    let name = first;
    let mark = "M";
    for (let to = next.get(name); to !== undefined; to = next.get(name)) {
      path += mark + place(name);
      mark = "L";
      next.delete(name);
      name = to;
    }
    path += "Z";
  }
  return path;
}

type Edge = 0 | 1 | 2 | 3;

/** Edges (top, right, bottom, left) joined for each code of corners, high ground on the left. */
const segments: readonly (readonly (readonly [Edge, Edge])[])[] = [
  [],
  [[3, 0]],
  [[0, 1]],
  [[3, 1]],
  [[1, 2]],
  [
    [3, 0],
    [1, 2],
  ],
  [[0, 2]],
  [[3, 2]],
  [[2, 3]],
  [[2, 0]],
  [
    [0, 1],
    [2, 3],
  ],
  [[2, 1]],
  [[1, 3]],
  [[1, 0]],
  [[0, 3]],
  [],
];
