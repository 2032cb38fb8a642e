import { addBirds, addLand, paintSky, ridgePoints } from "./nature.ts";
import { mixColour, type SkyPalette } from "./palettes.ts";
import { createNoise, type Random } from "./random.ts";
import {
  ellipse,
  fill,
  line,
  n,
  type Point,
  polygon,
  polyline,
  rect,
  type Sheet,
  shape,
} from "./sheet.ts";
import { addGlitter, addRipples } from "./water.ts";

/** Sea with headlands, a path of light and a boat or a lighthouse. */
export function paintCoast(sheet: Sheet, random: Random, sky: SkyPalette): void {
  const { width, height } = sheet;
  const unit = Math.min(width, height);
  const horizon = height * random.range(0.46, 0.58);
  const light = paintSky(sheet, random, sky, horizon);
  const deep = mixColour(sky.sky[0], sky.near, 0.45);
  const water = [
    [0, mixColour(sky.sky[3], sky.sky[1], 0.45)],
    [0.45, mixColour(sky.sky[1], deep, 0.4)],
    [1, deep],
  ] as const;
  sheet.add(rect(0, horizon, width, height - horizon, fill(sheet.linear(water))));
  const left = light.x > width / 2;
  addRipples(sheet, random, horizon, mixColour(sky.sky[3], "#ffffff", 0.3), deep);
  for (let head = 3; head >= 1; head--)
    addHeadland(sheet, random, sky, { horizon, left, near: 1 - head / 4 });
  addGlitter(sheet, random, light.x, horizon, sky.light);
  if (random.chance(0.7)) addBoat(sheet, random, sky, horizon);
  if (random.chance(0.7))
    addBirds(sheet, random, sky.near, width * random.range(0.3, 0.7), horizon * 0.35);
  for (let wave = 0; wave < 4; wave++) {
    const level = height - unit * (0.3 - wave * 0.07) * 0.75;
    const points = ridgePoints(sheet, createNoise(random), {
      base: level,
      rise: unit * 0.035,
      scale: unit * 0.3,
      octaves: 3,
    });
    const tone = mixColour(mixColour(sky.sky[1], deep, 0.35), sky.near, wave * 0.22);
    addLand(
      sheet,
      points,
      sheet.linear([
        [0, tone],
        [1, mixColour(tone, sky.near, 0.5)],
      ]),
    );
    const foam = mixColour(sky.sky[3], "#ffffff", 0.4);
    sheet.add(shape(polyline(points), `${line(foam, unit * 0.002, 0.38)} ${dashes(random, unit)}`));
  }
}

function dashes(random: Random, unit: number): string {
  const lengths = Array.from({ length: 10 }, (_, at) =>
    n(unit * random.range(0.01, at % 2 ? 0.2 : 0.4)),
  );
  return `stroke-linecap="round" stroke-dasharray="${lengths.join(" ")}"`;
}

function addHeadland(
  sheet: Sheet,
  random: Random,
  sky: SkyPalette,
  place: { horizon: number; left: boolean; near: number },
): void {
  const unit = Math.min(sheet.width, sheet.height);
  const reach = sheet.width * (0.62 - place.near * 0.32) * random.range(0.8, 1.1);
  const tall = unit * (0.08 + place.near * 0.17);
  const foot = place.horizon + unit * 0.07 * place.near ** 1.5;
  const noise = createNoise(random);
  const points: Point[] = [];
  for (let t = 0; t <= 1.0001; t += 1 / 90) {
    const cliff = 1 - t ** 3.2;
    const rough = noise(t * 9) * 0.16 + noise(t * 31) * 0.05;
    const x = place.left ? reach * t : sheet.width - reach * t;
    points.push([x, foot - Math.max(0, tall * cliff * (0.75 + rough))]);
  }
  const edge = place.left ? -5 : sheet.width + 5;
  const colour = mixColour(sky.far, sky.near, place.near);
  const paint = sheet.linear([
    [0, colour],
    [1, mixColour(colour, sky.sky[2], 0.3 - place.near * 0.2)],
  ]);
  sheet.add(polygon([[edge, foot], ...points, [points.at(-1)?.[0] ?? 0, foot]], fill(paint)));
  if (place.near < 0.7 || random.chance(0.5)) return;
  const [x, y] = points[62] ?? [0, 0];
  const s = unit * 0.0011;
  const white = mixColour("#ffffff", sky.sky[2], 0.25);
  sheet.add(
    polygon(
      [
        [x - 9 * s, y + 6],
        [x - 6 * s, y - 80 * s],
        [x + 6 * s, y - 80 * s],
        [x + 9 * s, y + 6],
      ],
      fill(white),
    ),
  );
  sheet.add(
    rect(x - 8 * s, y - 48 * s, 16 * s, 16 * s, fill("#b8442f")),
    rect(x - 5 * s, y - 95 * s, 10 * s, 15 * s, fill(sky.light)),
  );
  sheet.add(
    polygon(
      [
        [x - 8 * s, y - 95 * s],
        [x, y - 106 * s],
        [x + 8 * s, y - 95 * s],
      ],
      fill("#b8442f"),
    ),
  );
}

function addBoat(sheet: Sheet, random: Random, sky: SkyPalette, horizon: number): void {
  const unit = Math.min(sheet.width, sheet.height);
  const s = unit * random.range(0.05, 0.09);
  const x = sheet.width * random.range(0.3, 0.7);
  const y = horizon + unit * random.range(0.04, 0.12);
  const sail = mixColour("#ffffff", sky.sky[3], 0.5);
  sheet.add(
    polygon(
      [
        [x, y - s * 1.25],
        [x + s * 0.6, y - s * 0.16],
        [x, y - s * 0.16],
      ],
      fill(sail),
    ),
  );
  sheet.add(
    polygon(
      [
        [x - s * 0.06, y - s * 1.05],
        [x - s * 0.45, y - s * 0.16],
        [x - s * 0.06, y - s * 0.16],
      ],
      fill(mixColour(sail, sky.far, 0.4)),
    ),
  );
  sheet.add(
    polygon(
      [
        [x - s * 0.55, y - s * 0.1],
        [x + s * 0.68, y - s * 0.1],
        [x + s * 0.45, y + s * 0.09],
        [x - s * 0.4, y + s * 0.09],
      ],
      fill(sky.near),
    ),
  );
  sheet.add(ellipse(x, y + s * 0.16, s * 0.62, s * 0.06, fill(sky.near, 0.35)));
}
