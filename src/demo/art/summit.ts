import { mixColour, type SkyPalette } from "./palettes.ts";
import { createNoise, layeredNoise, type Random } from "./random.ts";
import { fill, type Point, polygon, type Sheet } from "./sheet.ts";

/** Which side of a summit is lit, and how close it is (0 far, 1 near). */
export interface Face {
  depth: number;
  lightLeft: boolean;
}

/** A snow-covered summit with its foot at `foot` (y in pixels). */
export function addSummit(
  sheet: Sheet,
  random: Random,
  sky: SkyPalette,
  at: { x: number; y: number; foot: number },
  face: Face,
): void {
  const tall = at.foot - at.y;
  const edge = (slope: number, rough: number): Point[] => {
    const noise = createNoise(random);
    const steps = 26;
    return Array.from({ length: steps + 1 }, (_, index) => {
      const t = index / steps;
      const wander = layeredNoise(noise, 4, t * 5) * rough * tall * Math.sqrt(t);
      return [at.x + slope * tall * t ** 1.12 + (index ? wander : 0), at.y + tall * t] as const;
    });
  };
  const left = edge(-random.range(0.75, 1.1), 0.08);
  const right = edge(random.range(0.75, 1.1), 0.08);
  const middle = edge(random.range(-0.2, 0.2), 0.13);
  const rock = mixColour(sky.far, sky.near, 0.12 + face.depth * 0.42);
  const snow = mixColour("#ffffff", sky.sky[3], sky.hour === "night" ? 0.75 : 0.3);
  const shade = mixColour(mixColour(snow, rock, 0.5), sky.sky[1], 0.35);
  const paint = (top: string, low: string) =>
    fill(
      sheet.linear([
        [0, top],
        [0.42, mixColour(top, low, 0.25)],
        [0.8, low],
        [1, mixColour(low, sky.sky[3], 0.35)],
      ]),
    );
  const bright = paint(snow, mixColour(rock, sky.light, 0.22));
  const dark = paint(shade, mixColour(rock, sky.near, 0.25));
  sheet.add(polygon([...left, ...middle.toReversed()], face.lightLeft ? bright : dark));
  sheet.add(polygon([...right, ...middle.toReversed()], face.lightLeft ? dark : bright));
  for (const [side, base] of [
    [-1, face.lightLeft],
    [1, !face.lightLeft],
  ] as const) {
    const tone = base ? shade : snow;
    for (let gully = 0; gully < 5; gully++)
      addGully(sheet, random, middle, side, tall, fill(tone, base ? 0.5 : 0.22));
  }
}

function addGully(
  sheet: Sheet,
  random: Random,
  spine: readonly Point[],
  side: number,
  tall: number,
  paint: string,
): void {
  const [x, y] = spine[random.int(1, 12)] ?? [0, 0];
  const long = tall * random.range(0.12, 0.34);
  const lean = side * long * random.range(0.3, 0.62);
  const wide = long * random.range(0.08, 0.2) * side;
  sheet.add(
    polygon(
      [
        [x, y],
        [x + lean * 0.45 + wide, y + long * 0.4],
        [x + lean * 0.7 + wide * 0.3, y + long * 0.62],
        [x + lean, y + long],
        [x + lean * 0.35, y + long * 0.58],
      ],
      paint,
    ),
  );
}
