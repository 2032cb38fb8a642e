import sharp from "sharp";
import { paintArcs, paintBauhaus, paintFlow, paintOverlap, paintStrata } from "./abstract.ts";
import { paintBotanical } from "./botanical.ts";
import { writeText } from "./captions.ts";
import { paintCity } from "./city.ts";
import { paintCoast } from "./coast.ts";
import { paintDunes } from "./dunes.ts";
import { paintFields } from "./fields.ts";
import { paintForest, paintLake, paintPeaks, paintRidges } from "./landscape.ts";
import { flatPalettes, type SkyPalette, skyPalettes } from "./palettes.ts";
import { paintPoster } from "./poster.ts";
import { createRandom, cycle, mixSeed, type Random } from "./random.ts";
import { paintContours, paintHalftone, paintPapercut } from "./relief.ts";
import { createSheet, type Sheet } from "./sheet.ts";
import type { PictureKind } from "./subjects.ts";

/** Everything about a picture but its pixels; the same plan gives the same bytes. */
export interface PicturePlan {
  kind: PictureKind;
  seed: number;
  title: string;
  caption: string;
  /** Size in pixels as a viewer that follows `orientation` shows it. */
  width: number;
  height: number;
  /** EXIF orientation: 1 upright, 6 or 8 stored turned by a quarter. */
  orientation: 1 | 6 | 8;
  palette: string;
  /** Word drawn on a poster, else empty. */
  lettering: string;
  /** Photographer or illustrator, licence, medium and such, by name. */
  meta: Record<string, string>;
  format: "jpeg";
}

type LandscapeKind = keyof typeof landscapes;
type FlatKind = keyof typeof compositions;

const landscapes = {
  ridges: paintRidges,
  lake: paintLake,
  forest: paintForest,
  peaks: paintPeaks,
  dunes: paintDunes,
  coast: paintCoast,
  city: paintCity,
  fields: paintFields,
};

const compositions = {
  bauhaus: paintBauhaus,
  overlap: paintOverlap,
  flow: paintFlow,
  arcs: paintArcs,
  strata: paintStrata,
  botanical: paintBotanical,
  contours: paintContours,
  papercut: paintPapercut,
  halftone: paintHalftone,
};

/** Kinds in the proportion they appear in; every block of this length holds each entry once. */
const mix: readonly PictureKind[] = [
  ...([
    "ridges",
    "ridges",
    "ridges",
    "lake",
    "lake",
    "forest",
    "forest",
    "peaks",
    "peaks",
  ] as const),
  ...(["dunes", "coast", "coast", "city", "city", "fields", "fields"] as const),
  ...(["bauhaus", "overlap", "flow", "arcs", "strata", "botanical"] as const),
  ...(["contours", "papercut", "halftone", "poster", "poster", "poster"] as const),
];

const wide = [3 / 2, 3 / 2, 3 / 2, 16 / 9, 16 / 9, 4 / 3, 4 / 3, 1, 2 / 3, 3 / 4];
const upright = [2 / 3, 2 / 3, 3 / 4, 3 / 4, 3 / 4, 1, 4 / 3];
const longEdges = [1200, 1280, 1400, 1500, 1500, 1600, 1600, 1680, 1800, 1920, 2000];

/** Plans of the first `count` pictures of a seed. */
export function planPictures(count: number, seed: number): PicturePlan[] {
  return Array.from({ length: count }, (_, index) => planPicture(index, seed));
}

/** Plan of the picture at `index` (from 0) of a seed; needs none of the others. */
export function planPicture(index: number, seed: number): PicturePlan {
  const block = createRandom(mixSeed(seed, -1 - Math.floor(index / mix.length)));
  const kind = cycle(block.shuffle(mix), index);
  const own = mixSeed(seed, index);
  const random = createRandom(own);
  const sky = kind in landscapes ? random.pick(skiesOf(kind)) : undefined;
  const palette = sky?.name ?? random.pick(flatPalettes).name;
  const ratio = random.pick(kind === "poster" || kind === "botanical" ? upright : wide);
  const long = index % 23 === 11 ? 300 : index % 37 === 5 ? 2600 : random.pick(longEdges);
  const orientation = index % 40 === 19 ? random.pick([6, 8] as const) : 1;
  return {
    kind,
    seed: own,
    ...writeText(random, kind, sky?.hour),
    width: Math.round(ratio >= 1 ? long : long * ratio),
    height: Math.round(ratio >= 1 ? long / ratio : long),
    orientation,
    palette,
    format: "jpeg",
  };
}

/** JPEG of a plan, stored turned and tagged when its orientation says so. */
export async function paintPicture(plan: PicturePlan): Promise<Buffer> {
  const svg = Buffer.from(drawPicture(plan));
  const { data, info } = await sharp(svg, { limitInputPixels: false })
    .flatten()
    .raw()
    .toBuffer({ resolveWithObject: true });
  addGrain(data, info.width * info.channels, plan);
  const { width, height, channels } = info;
  const painted = sharp(data, { raw: { width, height, channels } });
  const jpeg = { quality: 82, mozjpeg: false };
  if (plan.orientation === 1) return painted.jpeg(jpeg).toBuffer();
  return painted
    .rotate(plan.orientation === 6 ? 270 : 90)
    .withMetadata({ orientation: plan.orientation })
    .jpeg(jpeg)
    .toBuffer();
}

/** SVG document of a plan. */
function drawPicture(plan: PicturePlan): string {
  const sheet = createSheet(plan.width, plan.height);
  const random = createRandom(mixSeed(plan.seed, 1));
  paint(sheet, random, plan);
  return sheet.svg();
}

function paint(sheet: Sheet, random: Random, plan: PicturePlan): void {
  const sky = skyPalettes.find(({ name }) => name === plan.palette);
  const flat = flatPalettes.find(({ name }) => name === plan.palette) ?? cycle(flatPalettes, 0);
  if (sky) landscapes[plan.kind as LandscapeKind](sheet, random, sky);
  else if (plan.kind === "poster") paintPoster(sheet, random, flat, plan.lettering);
  else compositions[plan.kind as FlatKind](sheet, random, flat);
}

function skiesOf(kind: PictureKind): readonly SkyPalette[] {
  if (kind === "dunes")
    return skyPalettes.filter(({ name }) => !["winter", "olive", "mint"].includes(name));
  if (kind === "fields") return skyPalettes.filter(({ hour }) => hour !== "night");
  return skyPalettes;
}

/** Adds paper or film grain of a few steps of brightness, which also hides banding in skies. */
function addGrain(data: Buffer, rowBytes: number, plan: PicturePlan): void {
  const random = createRandom(mixSeed(plan.seed, 2));
  const strength = plan.kind in landscapes ? 5 : 7;
  const grain = Int8Array.from({ length: 8192 }, () =>
    Math.round((random.next() + random.next() - 1) * strength),
  );
  for (let row = 0; row < data.length; row += rowBytes) {
    let at = random.int(0, 8191);
    for (let pixel = row; pixel < row + rowBytes; pixel += 3) {
      at = (at + 1) & 8191;
      const amount = grain[at] ?? 0;
      for (let channel = pixel; channel < pixel + 3; channel++) {
        const value = (data[channel] ?? 0) + amount;
        data[channel] = Math.max(0, Math.min(255, value));
      }
    }
  }
}
