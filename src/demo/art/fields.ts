import { addLand, paintSky, ridgeHeight, ridgePoints } from "./nature.ts";
import { mixColour, type SkyPalette } from "./palettes.ts";
import { createNoise, type Random } from "./random.ts";
import { circle, d, ellipse, fill, line, type Point, rect, type Sheet, shape } from "./sheet.ts";

/** Rolling farmland with crop rows and scattered trees. */
export function paintFields(sheet: Sheet, random: Random, sky: SkyPalette): void {
  const { width, height } = sheet;
  const unit = Math.min(width, height);
  const horizon = height * random.range(0.42, 0.52);
  paintSky(sheet, random, sky, horizon);
  const hills = random.int(5, 7);
  const tints = ["#c9b458", "#7f9a4c", "#d9a441", "#5f8a5b", "#b7bd63", "#a56a3f"];
  for (let hill = 0; hill < hills; hill++) {
    const depth = hill / (hills - 1);
    const crop = mixColour(
      random.pick(tints),
      mixColour(sky.far, sky.near, depth),
      sky.hour === "day" ? 0.35 : 0.62,
    );
    const colour = mixColour(crop, sky.sky[2], 0.55 * (1 - depth));
    const base = horizon + unit * 0.03 + (height - horizon) * depth ** 1.35 * 0.86;
    const form = {
      base,
      rise: unit * (0.1 + depth * 0.16),
      scale: unit * (0.55 + depth * 0.5),
      octaves: 2,
    };
    const noise = createNoise(random);
    const points = ridgePoints(sheet, noise, form);
    const shaded = mixColour(colour, sky.near, 0.4);
    addLand(
      sheet,
      points,
      sheet.linear([
        [0, mixColour(colour, sky.light, 0.2)],
        [0.3, colour],
        [1, shaded],
      ]),
    );
    if (random.chance(0.7)) addRows(sheet, random, points, shaded, depth);
    if (random.chance(0.8)) {
      for (let tree = random.int(3, 9), x = width * random.next(); tree > 0; tree--) {
        x += unit * random.range(0.01, 0.03 + depth * 0.08);
        addTree(
          sheet,
          random,
          x,
          ridgeHeight(noise, form, x),
          unit * (0.012 + depth * 0.03) * random.range(0.7, 1.2),
          mixColour(shaded, sky.near, 0.6),
        );
      }
    }
  }
}

function addRows(
  sheet: Sheet,
  random: Random,
  points: readonly Point[],
  colour: string,
  depth: number,
): void {
  const unit = Math.min(sheet.width, sheet.height);
  const vanishing = sheet.width * random.range(-0.2, 1.2);
  let path = "";
  for (let index = 0; index < points.length; index += 7) {
    const [x, y] = points[index] ?? [0, 0];
    const away = (x - vanishing) * (0.5 + depth);
    const drop = unit * (0.12 + depth * 0.3);
    path += d`M${x} ${y + 1}Q${x + away * 0.3} ${y + drop * 0.4} ${x + away} ${y + drop}`;
  }
  sheet.add(shape(path, line(colour, unit * (0.0014 + depth * 0.004), 0.38)));
}

function addTree(
  sheet: Sheet,
  random: Random,
  x: number,
  y: number,
  size: number,
  colour: string,
): void {
  // A narrow poplar among round crowns keeps a row of trees from looking like a fence.
  const crown = random.chance(0.4)
    ? ellipse(x, y - size, size * 0.26, size * random.range(0.9, 1.3), fill(colour))
    : ellipse(x, y - size * 0.62, size * random.range(0.42, 0.62), size * 0.52, fill(colour)) +
      circle(x + size * random.range(-0.3, 0.3), y - size * 0.9, size * 0.36, fill(colour));
  sheet.add(rect(x - size * 0.05, y - size * 0.4, size * 0.1, size * 0.45, fill(colour)), crown);
}
