import sharp from "sharp";

/** What is kept of an image to compare it with another one. */
export interface Picture {
  /** Pixels, upright. */
  width: number;
  height: number;
  /** The image in small, slightly blurred: three bytes a pixel, sRGB. */
  small: Uint8Array;
  /** Pixels of the small image. */
  columns: number;
  rows: number;
}

/** Longest side of the small image. */
const side = 128;
/** Side of the squares of the small image that are looked at one by one. */
const square = 8;

/**
 * Reads a picture as the eye sees it: upright, its colours in sRGB, white where it is transparent.
 *
 * @throws sharp's error where it is no picture
 */
export async function pictureOf(bytes: Uint8Array): Promise<Picture> {
  const { autoOrient } = await sharp(bytes).metadata();
  const { width, height } = autoOrient;
  const factor = Math.min(1, side / Math.max(width, height));
  const columns = Math.max(1, Math.round(width * factor));
  const rows = Math.max(1, Math.round(height * factor));
  let image = sharp(bytes).autoOrient().flatten({ background: "#ffffff" }).toColourspace("srgb");
  if (factor < 1) image = image.resize({ width: columns, height: rows, fit: "fill" });
  // The noise of JPEG and the kernels of resampling differ in the finest details.
  if (Math.min(columns, rows) > 3) image = image.blur(1);
  return { width, height, small: await image.raw().toBuffer(), columns, rows };
}

/** How far apart two pictures of the same size are, in steps of 256 (root mean square). */
export interface Distance {
  /** Of all pixels. */
  mean: number;
  /** Of the square in which they differ most. */
  worst: number;
}

/**
 * Above these two pictures are not the same. Measured on the demo origin's images in all sizes of the archive made of
 * them, with another quality and kernel: mean up to 0.6, worst up to 2.9; in sizes drawn at random, from 128 pixels on:
 * 1.0 and 5.5; encoded once more with quality 40: 1.6 and 3.4 for all but one in a hundred. The same pictures moved
 * by 5 % of a side: mean from 1.8, worst from 9; 5 % cut off all around: from 1.3 and 3.9; 7 % darker: from 1.8;
 * turned, mirrored, or with red and blue swapped: from 8 and 19.
 */
const limits: Distance = { mean: 1.25, worst: 7.5 };
/** Below about this shorter side, in pixels, a crop that is off by a part of a pixel is seen: more is allowed. */
const smallSide = 45;
const mostAllowed = 20;

/**
 * How far the second picture leaves what the first one shows at the same place or one pixel of the small image beside
 * it: crops may be rounded another way, and kernels are of different sharpness. Pictures must have the same size.
 */
export function distanceOf(a: Picture, b: Picture): Distance {
  const { columns, rows } = a;
  const [lowest, highest] = [around(a, Math.min), around(a, Math.max)];
  const across = Math.ceil(columns / square);
  const sums = new Float64Array(across * Math.ceil(rows / square));
  const counts = new Float64Array(sums.length);
  for (let row = 0, at = 0; row < rows; row++) {
    const line = Math.floor(row / square) * across;
    for (let column = 0; column < columns; column++) {
      const place = line + Math.floor(column / square);
      for (let band = 0; band < 3; band++, at++) {
        const value = b.small[at] as number;
        const outside = Math.max(
          0,
          value - (highest[at] as number),
          (lowest[at] as number) - value,
        );
        sums[place] = (sums[place] as number) + outside * outside;
      }
      counts[place] = (counts[place] as number) + 3;
    }
  }
  let [sum, worst] = [0, 0];
  for (const [place, each] of sums.entries()) {
    sum += each;
    worst = Math.max(worst, each / (counts[place] as number));
  }
  return { mean: Math.sqrt(sum / (columns * rows * 3)), worst: Math.sqrt(worst) };
}

/** For each value of the small image, the lowest or highest one among it and its eight neighbours. */
function around(
  { small, columns, rows }: Picture,
  choose: (a: number, b: number) => number,
): Uint8Array {
  const [wide, result] = [new Uint8Array(small.length), new Uint8Array(small.length)];
  const line = columns * 3;
  for (let at = 0; at < small.length; at++) {
    const place = at % line;
    let value = small[at] as number;
    if (place >= 3) value = choose(value, small[at - 3] as number);
    if (place < line - 3) value = choose(value, small[at + 3] as number);
    wide[at] = value;
  }
  for (let at = 0; at < small.length; at++) {
    let value = wide[at] as number;
    if (at >= line) value = choose(value, wide[at - line] as number);
    if (at < line * (rows - 1)) value = choose(value, wide[at + line] as number);
    result[at] = value;
  }
  return result;
}

/** Whether two pictures of the same size show the same. */
export function isSamePicture({ width, height }: Picture, { mean, worst }: Distance): boolean {
  const factor = Math.min(mostAllowed, 1 + (smallSide / Math.min(width, height)) ** 2);
  return mean <= limits.mean * factor && worst <= limits.worst * factor;
}
