/** Pictures that cost what photographs cost. */
import { join } from "node:path";
import sharp from "sharp";
import { eachLimited } from "../src/lib/concurrency.ts";

/**
 * Something like a photograph: soft shapes of several sizes, and the grain of a sensor. The same seed gives the
 * same pixels.
 */
export async function paintPhoto(path: string, seed: number, megapixels: number): Promise<void> {
  const height = Math.round(Math.sqrt((megapixels * 1e6 * 3) / 4) / 8) * 8;
  const width = Math.round((height * 4) / 3 / 8) * 8;
  const random = mulberry32(seed);
  const noise = (length: number): Uint8Array => Uint8Array.from({ length }, () => random() * 256);
  const small = { width: width / 4, height: height / 4 };
  const shapes = new Float32Array(small.width * small.height * 3).fill(128);
  for (const [cell, strength] of [
    [100, 90],
    [22, 45],
    [6, 28],
    [2, 20],
  ] as const) {
    const raw = {
      width: Math.ceil(small.width / cell),
      height: Math.ceil(small.height / cell),
      channels: 3 as const,
    };
    const layer = await sharp(noise(raw.width * raw.height * 3), { raw })
      .resize({ ...small, fit: "fill", kernel: "cubic" })
      .raw()
      .toBuffer();
    for (const [i, value] of layer.entries()) {
      shapes[i] = (shapes[i] as number) + ((value - 128) / 128) * strength;
    }
  }
  const picture = await sharp(Uint8ClampedArray.from(shapes), { raw: { ...small, channels: 3 } })
    .resize({ width, height, fit: "fill", kernel: "cubic" })
    .raw()
    .toBuffer();
  const grain = noise(65_521);
  for (let i = 0; i < picture.length; i++) {
    const value = (picture[i] as number) + (((grain[i % grain.length] as number) - 128) >> 4);
    picture[i] = Math.max(0, Math.min(255, value));
  }
  await sharp(picture, { raw: { width, height, channels: 3 } })
    .jpeg({ quality: 90 })
    .toFile(path);
}

/** Photographs that are painted; the others are made of them, because painting takes a second. */
const painted = 4;

/** Writes photographs, no two with the same bytes. Returns their paths. */
export async function photosIn(
  folder: string,
  count: number,
  megapixels: number,
): Promise<string[]> {
  const path = (number: number): string => join(folder, `photo-${number}.jpg`);
  for (let n = 0; n < Math.min(painted, count); n++) await paintPhoto(path(n), n + 1, megapixels);
  const others = Array.from({ length: Math.max(0, count - painted) }, (_, n) => painted + n);
  await eachLimited(others, 2, async (n) => {
    // Other colours.
    const shifts = [n % 16, Math.floor(n / 16) % 16, Math.floor(n / 256)].map(
      (one) => one * 2 - 16,
    );
    await sharp(path(n % painted))
      .linear([1, 1, 1], shifts)
      .jpeg({ quality: 90 })
      .toFile(path(n));
  });
  return Array.from({ length: count }, (_, n) => path(n));
}

function mulberry32(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
