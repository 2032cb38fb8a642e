import sharp from "sharp";
import { addLand, ridgePoints } from "./nature.ts";
import { mixColour, type SkyPalette, skyPalettes } from "./palettes.ts";
import { createNoise, createRandom, mixSeed, type Noise } from "./random.ts";
import { circle, createSheet, fill, rect, type Sheet } from "./sheet.ts";
import { muxWebm } from "./webm.ts";

/** Seed, length and frame of a video; what is left out is 4 s of 480x270 at 12 frames a second. */
export interface VideoOptions {
  seed: number;
  seconds?: number;
  /** Pixels. */
  width?: number;
  height?: number;
  /** Frames per second, a whole number. */
  fps?: number;
}

interface Scene {
  dawn: SkyPalette;
  day: SkyPalette;
  noises: readonly Noise[];
  sunX: number;
}

/**
 * WebM file (VP8, no sound) of a sunrise over passing hills.
 *
 * A lossy WebP image holds one VP8 key frame (RFC 9649), so each frame is encoded as such an image
 * and its chunk put into the video; no video encoder is needed.
 */
export async function makeVideo(options: VideoOptions): Promise<Buffer> {
  const { seed, seconds = 4, width = 480, height = 270, fps = 12 } = options;
  const random = createRandom(mixSeed(seed, 0));
  const scene = {
    dawn: random.pick(skyPalettes.filter(({ hour }) => hour !== "day")),
    day: random.pick(skyPalettes.filter(({ hour }) => hour === "day" || hour === "dawn")),
    noises: Array.from({ length: 5 }, () => createNoise(random)),
    sunX: random.range(0.3, 0.7),
  };
  const count = Math.max(1, Math.round(seconds * fps));
  const frames: Buffer[] = [];
  for (let index = 0; index < count; index++) {
    const sheet = createSheet(width, height);
    drawFrame(sheet, scene, index / Math.max(1, count - 1), index / fps);
    const image = sharp(Buffer.from(sheet.svg())).flatten().removeAlpha();
    frames.push(vp8Chunk(await image.webp({ quality: 78, effort: 2 }).toBuffer()));
  }
  return muxWebm({ width, height, fps }, frames);
}

/** Draws the scene; `progress` runs from 0 to 1, `time` is in seconds. */
function drawFrame(sheet: Sheet, scene: Scene, progress: number, time: number): void {
  const { width, height } = sheet;
  const { dawn, day } = scene;
  const ease = progress * progress * (3 - 2 * progress);
  const between = (from: string, to: string) => mixColour(from, to, ease * 0.9);
  const edge = between(dawn.sky[3], day.sky[3]);
  const light = between(dawn.light, day.light);
  const stops = [0, 1, 2, 3].map((index) => {
    const at = index as 0 | 1 | 2 | 3;
    return [index / 3, between(dawn.sky[at], day.sky[at])] as const;
  });
  sheet.add(rect(0, 0, width, height, fill(sheet.linear(stops, [0, 0], [0, 0.75]))));
  const sun = { x: width * scene.sunX, y: height * (0.68 - 0.46 * ease), r: height * 0.075 };
  const glow = sheet.radial([
    [0, light, 0.8],
    [0.3, light, 0.3],
    [1, light, 0],
  ]);
  sheet.add(
    circle(sun.x, sun.y, height * 0.75, fill(glow)),
    circle(sun.x, sun.y, sun.r, fill(light)),
  );
  for (const [layer, noise] of scene.noises.entries()) {
    const depth = layer / (scene.noises.length - 1);
    const colour = mixColour(
      between(dawn.far, day.far),
      between(dawn.near, day.near),
      depth ** 1.2,
    );
    const form = {
      base: height * (0.66 + depth * 0.36),
      rise: height * (0.26 - depth * 0.04),
      scale: height * (0.4 + depth * 0.35),
      octaves: 5 - Math.round(depth * 2),
      offset: time * (0.02 + depth * 0.16),
    };
    const haze = mixColour(colour, edge, 0.5 * (1 - depth * 0.8));
    const paint = sheet.linear([
      [0, colour],
      [0.7, haze],
    ]);
    addLand(sheet, ridgePoints(sheet, noise, form), paint);
  }
}

/** Contents of the "VP8 " chunk of a WebP file. Throws Error when the file has none. */
function vp8Chunk(webp: Buffer): Buffer {
  for (let at = 12; at + 8 <= webp.length; ) {
    const size = webp.readUInt32LE(at + 4);
    if (webp.toString("latin1", at, at + 4) === "VP8 ") return webp.subarray(at + 8, at + 8 + size);
    at += 8 + size + (size % 2);
  }
  throw new Error("the frame was not encoded as a lossy WebP image");
}
