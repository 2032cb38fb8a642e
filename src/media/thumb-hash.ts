import type { Sharp } from "sharp";
import { rgbaToThumbHash } from "thumbhash";
import type { Size } from "./variants.ts";

/** Pixels of the longer side that a hash is made of. More change nothing that can be seen. */
export const hashSide = 32;
/** A hash holds up to seven waves a side, and fewer pixels than waves give nonsense. */
const leastSide = 7;
/** A bit of the third byte of a hash: the picture has transparent parts. */
const hasAlpha = 0x80;

/**
 * The ThumbHash of a picture in base64, from which `placeholders.js` draws a placeholder. Undefined for a picture with
 * transparent parts, through which a placeholder would be seen.
 */
export async function thumbHashOf(picture: Sharp, { width, height }: Size) {
  const scale = hashSide / Math.max(width, height);
  const [w, h] = [width, height].map((side) => Math.max(leastSide, Math.round(side * scale)));
  const pixels = picture.resize({ width: w, height: h, fit: "fill" }).ensureAlpha().raw();
  const { data, info } = await pixels.toBuffer({ resolveWithObject: true });
  const hash = rgbaToThumbHash(info.width, info.height, data);
  const isTransparent = ((hash[2] ?? 0) & hasAlpha) !== 0;
  return isTransparent ? undefined : Buffer.from(hash).toString("base64");
}
