import { mixColour } from "./palettes.ts";
import type { Random } from "./random.ts";
import { d, ellipse, fill, type Sheet, shape } from "./sheet.ts";

/** Short light and dark strokes over water that starts at `shore`. */
export function addRipples(
  sheet: Sheet,
  random: Random,
  shore: number,
  pale: string,
  deep: string,
): void {
  const depth = sheet.height - shore;
  for (const [colour, opacity, count] of [
    [pale, 0.16, 70],
    [deep, 0.2, 60],
  ] as const) {
    let path = "";
    for (let ripple = 0; ripple < count; ripple++) {
      const near = random.next() ** 1.5;
      const half = sheet.width * (0.01 + 0.1 * near) * random.range(0.4, 1.2);
      path += lens(
        random.next() * sheet.width,
        shore + 2 + depth * near,
        half,
        0.6 + depth * 0.005 * (0.2 + near),
      );
    }
    sheet.add(shape(path, fill(colour, opacity)));
  }
}

/** Path of light on water below a sun or moon at `x`. */
export function addGlitter(
  sheet: Sheet,
  random: Random,
  x: number,
  shore: number,
  colour: string,
): void {
  const depth = sheet.height - shore;
  const unit = Math.min(sheet.width, sheet.height);
  let path = "";
  for (let spark = 0; spark < 110; spark++) {
    const near = random.next() ** 1.3;
    const spread = unit * (0.02 + 0.09 * near);
    const dx = (random.next() + random.next() - 1) * spread;
    path += lens(
      x + dx,
      shore + 1 + depth * near * 0.9,
      unit * random.range(0.006, 0.03) * (0.5 + near),
      0.5 + unit * 0.0022 * (0.3 + near),
    );
  }
  sheet.add(shape(path, fill(colour, 0.5)));
}

function lens(x: number, y: number, half: number, thick: number): string {
  const [left, right] = [x - half, x + half];
  return d`M${left} ${y}Q${x} ${y - thick} ${right} ${y}Q${x} ${y + thick} ${left} ${y}Z`;
}

/** Rounded stones in a lower corner. */
export function addShoreRocks(sheet: Sheet, random: Random, colour: string): void {
  const unit = Math.min(sheet.width, sheet.height);
  const left = random.chance(0.5);
  for (let stone = 0; stone < 12; stone++) {
    const away = random.next() ** 1.4 * 0.42;
    const x = sheet.width * (left ? away : 1 - away);
    const rx = unit * random.range(0.03, 0.1) * (1 - away);
    const y = sheet.height + unit * 0.012 - rx * 0.12;
    sheet.add(
      ellipse(
        x,
        y,
        rx,
        rx * random.range(0.4, 0.62),
        fill(mixColour(colour, "#000000", random.next() * 0.3)),
      ),
    );
  }
}
