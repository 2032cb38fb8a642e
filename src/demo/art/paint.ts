import sharp from "sharp";
import { dice } from "../random.ts";
import { type FlatPalette, flatPalettes, type SkyPalette, skyPalettes } from "./palettes.ts";
import type { PicturePlan } from "./plan.ts";
import {
  type Composition,
  type Landscape,
  paintBotanical,
  paintCity,
  paintForest,
  paintGrid,
  paintHills,
  paintLake,
} from "./scenes.ts";

const landscapes: Record<string, Landscape> = {
  hills: paintHills,
  lake: paintLake,
  forest: paintForest,
  city: paintCity,
};
const compositions: Record<string, Composition> = { botanical: paintBotanical, grid: paintGrid };

/** JPEG of a plan, stored turned and tagged when its orientation says so. */
export async function paintPicture(plan: PicturePlan): Promise<Buffer> {
  const painted = sharp(Buffer.from(drawPicture(plan)), { limitInputPixels: false }).flatten();
  const { orientation } = plan;
  if (orientation !== 1) {
    painted.rotate(orientation === 6 ? 270 : 90).withMetadata({ orientation });
  }
  return painted.jpeg({ quality: 82 }).toBuffer();
}

/** SVG document of a plan. */
function drawPicture({ kind, seed, width, height, palette }: PicturePlan): string {
  const unit = Math.min(width, height) / 600;
  const sheet = { width: width / unit, height: height / unit, throws: dice(seed) };
  const paint = landscapes[kind];
  const markup = paint
    ? paint(sheet, skyPalettes[palette] as SkyPalette)
    : compositions[kind]?.(sheet, flatPalettes[palette] as FlatPalette);
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${sheet.width} ${sheet.height}">${markup}</svg>`;
}
