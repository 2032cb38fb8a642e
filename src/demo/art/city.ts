import { addMist, paintSky } from "./nature.ts";
import { mixColour, type SkyPalette } from "./palettes.ts";
import type { Random } from "./random.ts";
import { d, fill, type Sheet, shape } from "./sheet.ts";

/** Rows of buildings at the water's edge, windows lit when it is dark. */
export function paintCity(sheet: Sheet, random: Random, sky: SkyPalette): void {
  const { width, height } = sheet;
  const unit = Math.min(width, height);
  paintSky(sheet, random, sky, height * 0.8);
  const dark = sky.hour === "night" || sky.hour === "dusk";
  const rows = random.int(4, 5);
  for (let row = 0; row < rows; row++) {
    const depth = row / (rows - 1);
    const colour = mixColour(mixColour(sky.far, sky.sky[3], 0.25), sky.near, depth ** 1.1);
    const base = height * (0.74 + depth * 0.28);
    const windows = { lit: "", dim: "" };
    let walls = "";
    for (let x = -unit * 0.03; x < width; ) {
      const wide = unit * random.range(0.045, 0.11) * (0.75 + depth * 0.7);
      const tower = random.chance(0.18) ? 1.55 : 1;
      const tall = unit * random.range(0.16, 0.36) * (1.15 - depth * 0.5) * tower;
      walls += building(random, x, base - tall, wide, height);
      if (depth > 0.3)
        addWindows(windows, random, {
          x,
          y: base - tall,
          wide,
          tall: tall + height - base,
          cell: unit * (0.009 + depth * 0.006),
        });
      x += wide * random.range(0.9, 1.25);
    }
    const haze = mixColour(colour, sky.sky[3], 0.5 * (1 - depth * 0.85));
    sheet.add(
      shape(
        walls,
        fill(
          sheet.linear([
            [0, colour],
            [1, haze],
          ]),
        ),
      ),
    );
    sheet.add(shape(windows.lit, fill(dark ? "#ffd98e" : sky.light, dark ? 0.88 : 0.3)));
    sheet.add(shape(windows.dim, fill(dark ? "#e99a54" : sky.sky[1], dark ? 0.6 : 0.3)));
    if (depth < 0.9) addMist(sheet, base, unit * 0.22, sky.sky[3], 0.3);
  }
}

function building(random: Random, x: number, y: number, wide: number, bottom: number): string {
  const box = (bx: number, by: number, bw: number) => d`M${bx} ${by}h${bw}V${bottom + 2}h${-bw}Z`;
  const roof = random.int(0, 5);
  if (roof === 0) {
    const gable = wide * 0.45;
    return box(x, y, wide) + d`M${x} ${y}l${wide / 2} ${-gable}l${wide / 2} ${gable}Z`;
  }
  if (roof === 1) return box(x, y, wide) + box(x + wide * 0.2, y - wide * 0.35, wide * 0.6);
  if (roof === 2)
    return box(x, y, wide) + box(x + wide * 0.46, y - wide * 0.9, Math.max(1, wide * 0.05));
  return box(x, y, wide);
}

interface Facade {
  x: number;
  y: number;
  wide: number;
  tall: number;
  cell: number;
}

function addWindows(windows: { lit: string; dim: string }, random: Random, facade: Facade): void {
  const { x, y, wide, tall, cell } = facade;
  const columns = Math.floor((wide - cell) / (cell * 1.7));
  const margin = (wide - columns * cell * 1.7 + cell * 0.7) / 2;
  const share = random.range(0.12, 0.5);
  for (let wy = y + cell * 1.5; wy < y + tall; wy += cell * 2.1) {
    for (let column = 0; column < columns; column++) {
      if (!random.chance(share)) continue;
      const pane = d`M${x + margin + column * cell * 1.7} ${wy}h${cell}v${cell * 1.2}h${-cell}Z`;
      if (random.chance(0.6)) windows.lit += pane;
      else windows.dim += pane;
    }
  }
}
