import { addLand, paintSky, ridgeHeight, ridgePoints } from "./nature.ts";
import { mixColour, type SkyPalette } from "./palettes.ts";
import { createNoise, type Random } from "./random.ts";
import { d, fill, line, n, type Point, polyline, type Sheet, shape } from "./sheet.ts";

/** Sand dunes with a lit and a shaded flank and wind ripples in front. */
export function paintDunes(sheet: Sheet, random: Random, sky: SkyPalette): void {
  const { width, height } = sheet;
  const unit = Math.min(width, height);
  const light = paintSky(sheet, random, sky, height * 0.56);
  const toRight = light.x < width / 2 ? 1 : -1;
  const layers = random.int(4, 6);
  for (let layer = 0; layer < layers; layer++) {
    const depth = layer / (layers - 1);
    const base = height * (0.54 + 0.42 * depth ** 1.3);
    const form = {
      base,
      rise: unit * (0.06 + 0.1 * depth),
      scale: unit * (0.55 + 0.5 * depth),
      octaves: 1,
      pointed: true,
    };
    const noise = createNoise(random);
    const points = ridgePoints(sheet, noise, form);
    const lit = mixColour(mixColour(sky.far, sky.sky[2], 0.45), sky.near, depth * 0.34);
    const low = mixColour(lit, sky.near, 0.3 + depth * 0.15);
    addLand(
      sheet,
      points,
      sheet.linear([
        [0, mixColour(lit, sky.light, 0.25)],
        [0.35, lit],
        [1, low],
      ]),
    );
    const dark = mixColour(lit, sky.near, 0.6);
    const fade = [
      [0, dark, 0.95],
      [0.45, dark, 0.6],
      [1, dark, 0],
    ] as const;
    const shade = sheet.linear(fade, [toRight > 0 ? 0 : 1, 0], [toRight > 0 ? 1 : 0, 0]);
    for (const [x, y] of crests(points)) {
      const reach = unit * (0.42 + depth * 0.6) * toRight;
      const down = unit * (0.22 + depth * 0.34);
      const flank: Point[] = [];
      for (let t = 0; t <= 1.001; t += 0.05) {
        const fx = x + reach * t;
        flank.push([fx, ridgeHeight(noise, form, fx)]);
      }
      const foot = d`V${height + 9}H${x + reach * 0.42}L${x + reach * 0.3} ${y + down}`;
      const spine =
        d`C${x + reach * 0.02} ${y + down * 0.7} ${x + reach * 0.3} ${y + down * 0.6} ` +
        `${n(x + reach * 0.13)} ${n(y + down * 0.32)}` +
        d`S${x + reach * 0.03} ${y + down * 0.1} ${x} ${y}Z`;
      sheet.add(shape(polyline(flank) + foot + spine, fill(shade)));
    }
    if (depth === 1) addWindRipples(sheet, points, sky);
  }
}

function crests(points: readonly Point[]): Point[] {
  return points.filter(([, y], index) => {
    const before = points[index - 6]?.[1] ?? -1;
    const after = points[index + 6]?.[1] ?? -1;
    return (
      y < before &&
      y < after &&
      y <= (points[index - 1]?.[1] ?? y) &&
      y < (points[index + 1]?.[1] ?? 0)
    );
  });
}

function addWindRipples(sheet: Sheet, points: readonly Point[], sky: SkyPalette): void {
  let path = "";
  const coarse = points.filter((_, at) => at % 8 === 0 || at === points.length - 1);
  for (let row = 1; row < 15; row++) {
    const drop = sheet.height * 0.012 * row ** 1.25;
    path += polyline(
      coarse.map(
        ([x, y], at) => [x, y + drop + Math.sin(at * 0.7 + row * 1.3) * row * 0.35] as const,
      ),
    );
  }
  sheet.add(shape(path, line(sky.near, sheet.height * 0.0022, 0.16)));
}
