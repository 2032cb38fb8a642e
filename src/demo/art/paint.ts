import sharp from "sharp";
import { type Dice, dice } from "../../lib/random.ts";
import type { PicturePlan, SkyPalette } from "./plan.ts";

/** JPEG of a plan, turned and tagged as its orientation says. */
export async function paintPicture(plan: PicturePlan): Promise<Buffer> {
  const painted = sharp(Buffer.from(drawPicture(plan)), { limitInputPixels: false }).flatten();
  const { orientation } = plan;
  if (orientation !== 1) {
    painted.rotate(orientation === 6 ? 270 : 90).withMetadata({ orientation });
  }
  return painted.jpeg({ quality: 82 }).toBuffer();
}

/** Lengths are units of which the shorter side has 600. */
interface Sheet {
  width: number;
  height: number;
  throws: Dice;
}

function drawPicture({ kind, seed, width, height, palette }: PicturePlan): string {
  const unit = Math.min(width, height) / 600;
  const sheet = { width: width / unit, height: height / unit, throws: dice(seed) };
  const land = kind === "lake" ? lake : hills;
  const markup = skyOf(sheet, palette) + land(sheet, palette);
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${sheet.width} ${sheet.height}">${markup}</svg>`;
}

/** Tenths of a unit are finer than a pixel. */
const n = (value: number): string => String(Math.round(value * 10) / 10);

/** To be used as `url(#id)`. */
function vertical(id: string, colours: readonly string[]): string {
  const stops = colours.map(
    (colour, at) => `<stop offset="${at / (colours.length - 1)}" stop-color="${colour}"/>`,
  );
  return `<linearGradient id="${id}" x2="0" y2="1">${stops.join("")}</linearGradient>`;
}

/** With a sun or moon, and stars at night. */
function skyOf({ width, height, throws }: Sheet, { hour, sky, light }: SkyPalette): string {
  const [x, y] = [width * throws.between(0.2, 0.8), height * throws.between(0.15, 0.45)];
  const stars = Array.from({ length: hour === "night" ? 60 : 0 }, () => {
    const [cx, cy] = [width * throws.between(0, 1), height * throws.between(0, 0.6)];
    return `<circle cx="${n(cx)}" cy="${n(cy)}" r="${n(throws.between(0.5, 1.7))}"/>`;
  });
  return `${vertical("sky", sky)}<rect width="100%" height="100%" fill="url(#sky)"/>
<g fill="${light}">${stars.join("")}<circle cx="${n(x)}" cy="${n(y)}" r="110" fill-opacity=".12"/>
<circle cx="${n(x)}" cy="${n(y)}" r="${n(throws.between(22, 46))}"/></g>`;
}

/** Rises from `base`, closed at the lower edge. */
function range({ width, height, throws }: Sheet, base: number, rise: number): string {
  const waves = [1, 2.3, 4.1, 8.7].map((rate, at) => ({
    rate: (rate * throws.between(0.8, 1.2)) / 90,
    phase: throws.between(0, 7),
    share: 2 ** -at,
  }));
  const points: string[] = [];
  for (let x = -4; x <= width + 8; x += 8) {
    const sum = waves.reduce((all, one) => all + one.share * Math.sin(x * one.rate + one.phase), 0);
    points.push(`${n(x)} ${n(base - rise * (0.5 + sum / 4))}`);
  }
  return `M${points.join("L")}V${n(height)}H-4Z`;
}

/** The farther the paler. */
function hills(sheet: Sheet, { sky, far, near, light }: SkyPalette): string {
  const layers = Array.from({ length: 6 }, (_, at) => {
    const depth = at / 5;
    const colour = mixColour(far, near, depth ** 1.2);
    const foot = mixColour(colour, sky[3] ?? light, 0.55 * (1 - depth));
    const outline = range(sheet, sheet.height * (0.58 + 0.38 * depth), sheet.height * 0.2);
    return `${vertical(`hill${at}`, [colour, foot])}<path d="${outline}" fill="url(#hill${at})"/>`;
  });
  return layers.join("");
}

/** Mountains behind still water. */
function lake(sheet: Sheet, { sky, far, near, light }: SkyPalette): string {
  const { width, height, throws } = sheet;
  const shore = height * throws.between(0.56, 0.68);
  const ripples = Array.from({ length: 60 }, () => {
    const depth = throws.between(0, 1) ** 1.6;
    const [cx, cy] = [width * throws.between(0, 1), shore + 4 + (height - shore) * depth];
    return `<ellipse cx="${n(cx)}" cy="${n(cy)}" rx="${n(10 + 60 * depth)}" ry="${n(0.6 + 1.6 * depth)}"/>`;
  });
  const water = mixColour(sky[1] ?? far, near, 0.35);
  return `<path d="${range(sheet, shore, height * 0.34)}" fill="${far}"/>
<path d="${range(sheet, shore, height * 0.14)}" fill="${mixColour(far, near, 0.7)}"/>
${vertical("water", [sky[3] ?? water, water])}<rect y="${n(shore)}" width="100%" height="100%" fill="url(#water)"/>
<g fill="${light}" fill-opacity=".22">${ripples.join("")}</g>`;
}

/** Between two colours; 0 gives the first. */
function mixColour(from: string, to: string, share: number): string {
  const channel = (at: number): string => {
    const [a, b] = [from, to].map((hex) => Number.parseInt(hex.slice(at, at + 2), 16));
    const mixed = Math.round((a ?? 0) * (1 - share) + (b ?? 0) * share);
    return mixed.toString(16).padStart(2, "0");
  };
  return `#${channel(1)}${channel(3)}${channel(5)}`;
}
