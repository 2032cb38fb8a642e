import { addBirds, addLand, addMist, paintSky, ridgeHeight, ridgePoints } from "./nature.ts";
import { mixColour, type SkyPalette } from "./palettes.ts";
import { createNoise, type Random } from "./random.ts";
import { fill, rect, type Sheet, shape } from "./sheet.ts";
import { addSummit } from "./summit.ts";
import { addTreeLine, pinePath } from "./trees.ts";
import { addGlitter, addRipples, addShoreRocks } from "./water.ts";

/** Mountain ranges one behind the other, paler with distance, mist in the valleys. */
export function paintRidges(sheet: Sheet, random: Random, sky: SkyPalette): void {
  const { width, height } = sheet;
  const horizon = height * random.range(0.5, 0.62);
  const light = paintSky(sheet, random, sky, horizon);
  const unit = Math.min(width, height);
  const layers = random.int(5, 8);
  const pointed = random.chance(0.5);
  const top = horizon - height * 0.06;
  if (random.chance(0.55)) addBirds(sheet, random, sky.near, width - light.x, horizon * 0.42);
  for (let layer = 0; layer < layers; layer++) {
    const depth = layer / (layers - 1);
    const colour = mixColour(sky.far, sky.near, depth ** 1.25);
    const base = top + (height * 1.02 - top) * depth ** 1.15 * 0.92 + height * 0.05;
    const rise = unit * (0.13 + 0.17 * Math.sin(depth * 2.6)) * random.range(0.8, 1.25);
    const form = {
      base,
      rise,
      scale: unit * (0.28 + depth * 0.3),
      octaves: 7 - Math.round(depth * 2),
      pointed,
    };
    const haze = mixColour(colour, sky.sky[3], 0.55 * (1 - depth * 0.8));
    const points = ridgePoints(sheet, createNoise(random), form);
    addLand(
      sheet,
      points,
      sheet.linear([
        [0, colour],
        [0.55 + depth * 0.3, haze],
      ]),
      Math.min(height, base + height * 0.32),
    );
    if (base + height * 0.32 < height)
      sheet.add(rect(0, base + height * 0.32 - 1, width, height, fill(haze)));
    if (depth > 0.95 && random.chance(0.7)) addTreeLine(sheet, random, points, colour, unit * 0.05);
    else if (depth < 0.9 && random.chance(0.6)) addMist(sheet, base, unit * 0.14, sky.sky[3], 0.42);
  }
}

/** Mountains and their mirror image in still water. */
export function paintLake(sheet: Sheet, random: Random, sky: SkyPalette): void {
  const { width, height } = sheet;
  const unit = Math.min(width, height);
  const shore = Math.round(height * random.range(0.52, 0.62));
  const above = collect(sheet);
  const light = paintSky(above, random, sky, shore);
  const layers = random.int(3, 4);
  for (let layer = 0; layer < layers; layer++) {
    const depth = layer / (layers - 1);
    const colour = mixColour(sky.far, sky.near, 0.1 + depth * 0.72);
    const rise = unit * (0.34 - depth * 0.22) * random.range(0.85, 1.2);
    const form = {
      base: shore + unit * 0.02,
      rise,
      scale: unit * (0.36 - depth * 0.1),
      octaves: 6,
      pointed: depth < 0.6,
    };
    const points = ridgePoints(sheet, createNoise(random), form);
    const haze = mixColour(colour, sky.sky[3], 0.4 - depth * 0.2);
    addLand(
      above,
      points,
      above.linear([
        [0, colour],
        [1, haze],
      ]),
      shore,
    );
    if (depth === 1)
      addTreeLine(above, random, points, mixColour(sky.near, sky.far, 0.12), unit * 0.045, shore);
  }
  addMist(above, shore - unit * 0.01, unit * 0.09, sky.sky[3], 0.5);
  const id = sheet.nextId();
  sheet.define(`<clipPath id="${id}c"><rect width="${width}" height="${shore}"/></clipPath>`);
  sheet.define(`<g id="${id}" clip-path="url(#${id}c)">${above.markup()}</g>`);
  sheet.add(`<use href="#${id}"/>`);
  sheet.add(`<use href="#${id}" transform="matrix(1 0 0 -1 0 ${shore * 2})"/>`);
  const deep = mixColour(sky.sky[0], sky.near, 0.5);
  const water = sheet.linear([
    [0, sky.sky[3], 0.12],
    [0.25, deep, 0.22],
    [1, deep, 0.72],
  ]);
  sheet.add(rect(0, shore, width, height - shore, fill(water)));
  addRipples(sheet, random, shore, sky.sky[3], deep);
  addGlitter(sheet, random, light.x, shore, sky.light);
  if (random.chance(0.6)) addShoreRocks(sheet, random, sky.near);
}

/** Rows of conifers fading into fog. */
export function paintForest(sheet: Sheet, random: Random, sky: SkyPalette): void {
  const { width, height } = sheet;
  const unit = Math.min(width, height);
  paintSky(sheet, random, sky, height * 0.7);
  const rows = random.int(4, 6);
  const fog = mixColour(sky.sky[3], sky.sky[2], 0.3);
  for (let row = 0; row < rows; row++) {
    const depth = row / (rows - 1);
    const colour = mixColour(mixColour(sky.far, fog, 0.35), sky.near, depth ** 1.2);
    const base = height * (0.45 + 0.56 * depth ** 1.1);
    const form = { base, rise: unit * 0.2, scale: unit * (0.7 + depth * 0.4), octaves: 3 };
    const noise = createNoise(random);
    const size = unit * (0.09 + 0.3 * depth ** 1.6);
    let trees = "";
    for (let x = -size * 0.2; x < width + size * 0.2; x += size * random.range(0.1, 0.34)) {
      const y = ridgeHeight(noise, form, x) + size * 0.12;
      trees += pinePath(random, x, y, size * random.range(0.55, 1.15));
    }
    sheet.add(shape(trees, fill(colour)));
    const below = mixColour(colour, fog, 0.75 * (1 - depth * 0.75));
    addLand(
      sheet,
      ridgePoints(sheet, noise, form),
      sheet.linear([
        [0, colour],
        [0.5, below],
      ]),
    );
    if (depth < 0.95) addMist(sheet, base + size * 0.3, unit * 0.26, fog, 0.6);
  }
  if (random.chance(0.5))
    addBirds(sheet, random, sky.near, width * random.range(0.25, 0.75), height * 0.16);
}

/** High snow-covered summits with a lit and a shaded face. */
export function paintPeaks(sheet: Sheet, random: Random, sky: SkyPalette): void {
  const { width, height } = sheet;
  const unit = Math.min(width, height);
  const ground = height * random.range(0.74, 0.84);
  const light = paintSky(sheet, random, sky, ground);
  const lightLeft = light.x < width / 2;
  const count = Math.round(3 + (width / height) * 2.2);
  const places = random.shuffle(Array.from({ length: count }, (_, index) => index));
  for (const [rank, place] of places.entries()) {
    const depth = rank / (count - 1);
    const cx = ((place + random.range(0.2, 0.8)) / count) * width;
    const size = unit * random.range(0.4, 0.62) * (1 - depth * 0.3);
    addSummit(
      sheet,
      random,
      sky,
      { x: cx, y: ground - size, foot: ground + unit * 0.03 },
      { depth, lightLeft },
    );
    if (rank % 2 === 1) addMist(sheet, ground - unit * 0.04, unit * 0.26, sky.sky[3], 0.3);
  }
  for (const depth of [0.4, 1]) {
    const colour = mixColour(sky.far, sky.near, 0.3 + depth * 0.62);
    const base = ground + unit * 0.025 + (height - ground) * (depth - 0.4) * 0.75;
    const points = ridgePoints(sheet, createNoise(random), {
      base,
      rise: unit * 0.09,
      scale: unit * 0.4,
      octaves: 4,
    });
    addLand(
      sheet,
      points,
      sheet.linear([
        [0, colour],
        [1, mixColour(colour, sky.near, 0.5)],
      ]),
    );
    addTreeLine(sheet, random, points, colour, unit * 0.05 * depth);
  }
}

/** Sheet that shares the definitions of another but keeps its drawing apart. */
function collect(sheet: Sheet): Sheet & { markup(): string } {
  const body: string[] = [];
  return { ...sheet, add: (...markup) => void body.push(...markup), markup: () => body.join("") };
}
