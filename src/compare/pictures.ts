import sharp from "sharp";

/** What is kept of an image to compare it with another one. */
export interface Picture {
  /** Pixels, upright. */
  width: number;
  height: number;
  /** The image in small: three bytes a pixel, sRGB. */
  small: Uint8Array;
}

const side = 24;
/** Above this mean difference of the small images, in steps of 256, two pictures are not the same. */
const mostDifferent = 6;

/** Reads a picture upright, in sRGB, white where it is transparent. @throws sharp's error where it is no picture */
export async function pictureOf(bytes: Uint8Array): Promise<Picture> {
  const { autoOrient } = await sharp(bytes).metadata();
  const small = await sharp(bytes)
    .autoOrient()
    .flatten({ background: "#ffffff" })
    .toColourspace("srgb")
    .resize({ width: side, height: side, fit: "fill" })
    .raw()
    .toBuffer();
  return { width: autoOrient.width, height: autoOrient.height, small };
}

/** Mean difference of two pictures, in steps of 256. */
export function distanceOf(a: Picture, b: Picture): number {
  const sum = a.small.reduce((total, value, at) => total + Math.abs(value - (b.small[at] ?? 0)), 0);
  return sum / a.small.length;
}

export function isSamePicture(a: Picture, b: Picture): boolean {
  return distanceOf(a, b) <= mostDifferent;
}
