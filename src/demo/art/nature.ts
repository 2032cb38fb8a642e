import { mixColour, type SkyPalette } from "./palettes.ts";
import { layeredNoise, type Noise, type Random } from "./random.ts";
import {
  circle,
  d,
  discPath,
  ellipse,
  fill,
  line,
  type Point,
  polygon,
  rect,
  type Sheet,
} from "./sheet.ts";

/** Outline of a range of hills; lengths in pixels. */
export interface RidgeForm {
  /** Lowest y of the outline, and how far it rises above that. */
  base: number;
  rise: number;
  /** Length of the largest bumps. */
  scale: number;
  octaves: number;
  /** Pointed summits instead of round ones. */
  pointed?: boolean;
  /** Shifts the hills sideways, in units of `scale`. */
  offset?: number;
}

/** Where the sun or moon stands, in pixels. */
export interface Light {
  x: number;
  y: number;
  radius: number;
}

/** Fills the sheet down to `horizon` with sky, stars or clouds, and the sun or moon. */
export function paintSky(sheet: Sheet, random: Random, sky: SkyPalette, horizon: number): Light {
  const { width, height } = sheet;
  const [top, high, low, edge] = sky.sky;
  const stops = [
    [0, top],
    [0.4, high],
    [0.75, low],
    [1, edge],
  ] as const;
  sheet.add(rect(0, 0, width, horizon + 2, fill(sheet.linear(stops))));
  if (horizon < height) sheet.add(rect(0, horizon, width, height - horizon, fill(edge)));
  if (sky.hour === "night") addStars(sheet, random, sky, horizon);
  const unit = Math.min(width, height);
  const light = {
    x: width * random.pick([random.range(0.18, 0.42), random.range(0.58, 0.82)]),
    y:
      horizon *
      (sky.hour === "dawn" || sky.hour === "dusk"
        ? random.range(0.6, 0.88)
        : random.range(0.22, 0.5)),
    radius: unit * random.range(0.035, sky.hour === "day" ? 0.055 : 0.09),
  };
  addGlow(sheet, sky, light);
  if (sky.hour !== "night" || random.chance(0.4)) addClouds(sheet, random, sky, horizon);
  addLight(sheet, random, sky, light);
  return light;
}

/** Points of a ridge from the left edge to the right one. */
export function ridgePoints(sheet: Sheet, noise: Noise, form: RidgeForm): Point[] {
  const step = Math.max(2, sheet.width / 420);
  const points: Point[] = [];
  for (let x = -step; x <= sheet.width + step; x += step) {
    points.push([x, ridgeHeight(noise, form, x)]);
  }
  return points;
}

/** Height (y in pixels) of a ridge at one x. */
export function ridgeHeight(noise: Noise, form: RidgeForm, x: number): number {
  const value = layeredNoise(noise, form.octaves, x / form.scale + (form.offset ?? 0));
  const level = form.pointed ? 1 - Math.abs(value) * 1.9 : value * 0.5 + 0.5;
  return form.base - form.rise * level;
}

/** Land below the points, down to the lower edge of the sheet or to `bottom`. */
export function addLand(
  sheet: Sheet,
  points: readonly Point[],
  paint: string,
  bottom = sheet.height,
): void {
  const right: Point = [sheet.width + 9, bottom];
  const left: Point = [-9, bottom];
  sheet.add(polygon([...points, right, left], fill(paint)));
}

/** Band of mist, densest at `y`. */
export function addMist(
  sheet: Sheet,
  y: number,
  thickness: number,
  colour: string,
  opacity: number,
): void {
  const paint = sheet.linear([
    [0, colour, 0],
    [0.6, colour, opacity],
    [1, colour, 0],
  ]);
  sheet.add(rect(0, y - thickness * 0.6, sheet.width, thickness, fill(paint)));
}

/** A few birds in loose formation around (x, y). */
export function addBirds(sheet: Sheet, random: Random, colour: string, x: number, y: number): void {
  const unit = Math.min(sheet.width, sheet.height);
  let path = "";
  for (let bird = random.int(4, 9); bird > 0; bird--) {
    const span = unit * random.range(0.008, 0.017);
    const [bx, by] = [x + unit * random.range(-0.17, 0.17), y + unit * random.range(-0.07, 0.07)];
    const lift = span * random.range(0.3, 0.7);
    path += d`M${bx - span} ${by - lift}Q${bx - span * 0.3} ${by - lift} ${bx} ${by}`;
    path += d`Q${bx + span * 0.3} ${by - lift} ${bx + span} ${by - lift * 0.8}`;
  }
  sheet.add(`<path d="${path}" ${line(colour, unit * 0.0026, 0.75)} stroke-linecap="round"/>`);
}

function addStars(sheet: Sheet, random: Random, sky: SkyPalette, horizon: number): void {
  const unit = Math.min(sheet.width, sheet.height) / 1000;
  const tilt = random.range(-0.5, 0.5);
  for (const [count, opacity, size] of [
    [190, 0.4, 0.9],
    [110, 0.7, 1.2],
    [34, 1, 1.9],
  ] as const) {
    let path = "";
    for (let star = 0; star < count; star++) {
      const x = random.next() * sheet.width;
      // Two of three stars gather along a tilted band, as in the Milky Way.
      const band =
        horizon * (0.4 + tilt * (x / sheet.width - 0.5)) + horizon * random.range(-0.2, 0.2);
      const y = star % 3 === 0 ? random.next() * horizon * 0.95 : band;
      const r = Math.max(0.5, size * unit * random.range(0.7, 1.3));
      path += discPath(x, y, r);
    }
    sheet.add(`<path d="${path}" ${fill(mixColour(sky.light, "#cfe0ff", 0.3), opacity)}/>`);
  }
}

function addGlow(sheet: Sheet, sky: SkyPalette, light: Light): void {
  const strong = sky.hour === "night" ? 0.35 : 0.75;
  const glow = sky.hour === "night" ? mixColour(sky.light, sky.sky[3], 0.6) : sky.light;
  const stops = [
    [0, glow, strong],
    [0.2, glow, strong * 0.45],
    [0.5, glow, strong * 0.13],
    [1, glow, 0],
  ] as const;
  const reach = Math.max(sheet.width, sheet.height) * 0.38;
  sheet.add(circle(light.x, light.y, reach, fill(sheet.radial(stops))));
}

function addLight(sheet: Sheet, random: Random, sky: SkyPalette, light: Light): void {
  const { x, y, radius } = light;
  if (sky.hour === "night" && random.chance(0.5)) {
    const inner = radius * 1.18;
    const start = d`M${x} ${y - radius}a${radius} ${radius} 0 1 0 ${radius} ${radius}`;
    const crescent = start + d`a${inner} ${inner} 0 0 1 ${-radius} ${-radius}Z`;
    sheet.add(`<path d="${crescent}" ${fill(sky.light, 0.95)}/>`);
    return;
  }
  sheet.add(circle(x, y, radius, fill(sky.light, sky.hour === "day" ? 0.85 : 0.96)));
}

function addClouds(sheet: Sheet, random: Random, sky: SkyPalette, horizon: number): void {
  const colour = mixColour(sky.sky[3], sky.hour === "night" ? sky.sky[2] : "#ffffff", 0.45);
  const paint = sheet.radial([
    [0, colour, 0.6],
    [0.55, colour, 0.3],
    [1, colour, 0],
  ]);
  const unit = Math.min(sheet.width, sheet.height);
  for (let bank = random.int(2, 4); bank > 0; bank--) {
    const [x, y] = [sheet.width * random.next(), horizon * random.range(0.12, 0.72)];
    for (let streak = random.int(3, 6); streak > 0; streak--) {
      const rx = unit * random.range(0.1, 0.34);
      const dx = unit * random.range(-0.28, 0.28);
      const dy = unit * random.range(-0.03, 0.03);
      sheet.add(ellipse(x + dx, y + dy, rx, rx * random.range(0.06, 0.13), fill(paint, 0.8)));
    }
  }
}
