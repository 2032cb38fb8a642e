import { createNoise, layeredNoise, type Random } from "./random.ts";
import { d, fill, n, type Point, type Sheet, shape } from "./sheet.ts";

/** Outline of a conifer standing on (x, y); `size` is its height in pixels. */
export function pinePath(random: Random, x: number, y: number, size: number): string {
  const tiers = size > 60 ? 9 : size > 25 ? 6 : 4;
  const half = size * random.range(0.15, 0.22);
  let right = "";
  let left = "";
  for (let tier = 1; tier <= tiers; tier++) {
    const down = (tier / tiers) * 0.94;
    const reach = half * down * random.range(0.8, 1.15);
    const level = y - size * (1 - down);
    right += d`L${x + reach} ${level}L${x + reach * 0.45} ${level - size * 0.012}`;
    left = `L${n(x - reach * 0.45)} ${n(level - size * 0.012)}L${n(x - reach)} ${n(level)}${left}`;
  }
  const trunk = Math.max(0.6, size * 0.018);
  const foot = d`L${x + trunk} ${y + 2}L${x - trunk} ${y + 2}`;
  return `M${n(x)} ${n(y - size)}${right}${foot}${left}Z`;
}

/** Groups of small conifers along the points, none below `floor` (y in pixels). */
export function addTreeLine(
  sheet: Sheet,
  random: Random,
  points: readonly Point[],
  colour: string,
  size: number,
  floor = Number.POSITIVE_INFINITY,
): void {
  const groves = createNoise(random);
  let trees = "";
  for (const [x, y] of points) {
    const density = layeredNoise(groves, 2, x / (size * 7)) + 0.14;
    if (density < 0 || random.chance(0.25)) continue;
    // Trees are lower towards the edge of a grove.
    const tall = size * random.range(0.45, 1.1) * Math.min(1, 0.35 + density * 5);
    trees += pinePath(random, x, Math.min(floor, y + tall * 0.1), tall);
  }
  sheet.add(shape(trees, fill(colour)));
}
