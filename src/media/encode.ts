import sharp, { type Sharp } from "sharp";
import type { Config, ImageFormat } from "../config.ts";
import { type CascadeStep, cover, planCascade } from "./cascade.ts";
import { type Ffmpeg, webpOf } from "./ffmpeg.ts";
import { type ImageFacts, isUnwritten, reasonOf, sharpInput } from "./inspect.ts";
import { hashSide, thumbHashOf } from "./thumb-hash.ts";
import { pixelsOf, type Size, type VariantPlan } from "./variants.ts";

// The decoders work side by side and read each picture once: threads and a cache would only take memory.
sharp.concurrency(1);
sharp.cache(false);

/** Raise it when the same original and settings give other renditions than before. */
const encodeVersion = 2;
/** Of WebP and AVIF: the next one costs 1.5 and 5 times as much time and saves a few percent of the bytes. */
const effort = 2;

/** Pixels in memory, 8 bits per sample, sRGB. */
interface RawImage extends Size {
  data: Buffer;
  channels: 3 | 4;
}

export interface RenderTask {
  path: string;
  image: ImageFacts;
  plans: VariantPlan[];
  settings: Pick<Config["media"], "quality" | "limitPixels">;
  /** Reads the animation. Without one, sharp does. */
  ffmpeg?: Ffmpeg | undefined;
  /** Paths of the files to write, one for each format of each plan, taken in the order of the answer. */
  targets: string[];
}

export interface Encoded {
  plan: VariantPlan;
  format: ImageFormat;
  bytes: Buffer;
}

/** What the renditions depend on beside the original and the configuration, as text. */
export function encoderVersions(): string {
  const { vips, mozjpeg, webp, heif, aom } = sharp.versions as Record<string, string | undefined>;
  return JSON.stringify([encodeVersion, effort, vips, mozjpeg, webp, heif, aom]);
}

/** A baseline JPEG may have this many times `media.limitPixels`. */
const shrinkable = 10;
/** Pixels of its largest rendition: encoding takes several times their bytes. */
const shrunkPixels = 25_000_000;

/**
 * The plans that a limit of pixels allows: above it, only small renditions of a baseline JPEG, which the decoder makes
 * smaller while it reads.
 */
export function feasiblePlans(image: ImageFacts, plans: VariantPlan[], limitPixels: number) {
  const pixels = pixelsOf(image);
  if (pixels <= limitPixels) return plans;
  if (!image.baseline || pixels > shrinkable * limitPixels) return [];
  const most = Math.min(limitPixels, shrunkPixels);
  return plans.filter((plan) => pixelsOf(cover(image, plan)) <= most);
}

/** Why an image has no renditions, or not all of them. */
export function aboveLimit(image: Size, limitPixels: number): string {
  const [has, limit] = [pixelsOf(image), limitPixels].map((pixels) => (pixels / 1e6).toFixed(1));
  return `${has} megapixels, media.limitPixels allows ${limit}`;
}

/**
 * Decodes an original once and yields all renditions of it, from large to small: see `planCascade`. They are upright,
 * sRGB with 8 bits, and carry no metadata. Transparency is kept in WebP and AVIF, and becomes white in JPEG.
 *
 * @returns the picture's ThumbHash, if it has one
 * @throws DecodeError when the original cannot be decoded to its end
 */
export async function* encodeRenditions(
  task: Omit<RenderTask, "targets">,
  onWarning: (warning: string) => void = () => {},
): AsyncGenerator<Encoded, string | undefined> {
  const { path, image, plans, settings } = task;
  const feasible = feasiblePlans(image, plans, settings.limitPixels);
  if (feasible.length < plans.length) {
    throw new DecodeError(aboveLimit(image, settings.limitPixels), { tooLarge: true });
  }
  const stills = plans.filter(({ frames }) => frames === undefined);
  const { base, steps } = planCascade(image, stills);
  const raws: (RawImage | undefined)[] = [await decodeOriginal(path, image, base, onWarning)];
  let smallWhole = raws[0] as RawImage;
  for (const [index, step] of steps.entries()) {
    const pixels = await resize(raws[step.source] as RawImage, step);
    raws.push(pixels);
    const { plan } = step;
    if (!plan.crop && Math.max(plan.width, plan.height) >= hashSide) smallWhole = pixels;
    for (const format of plan.formats) {
      yield { plan, format, bytes: await encode(pixels, format, settings.quality) };
    }
    // Give back the memory of what no later step needs.
    const needed = new Set(steps.slice(index + 1).map(({ source }) => source));
    for (const n of raws.keys()) if (!needed.has(n)) raws[n] = undefined;
  }
  for (const plan of plans) {
    const bytes = await encodeAnimation(task, plan).catch((error) =>
      onWarning(`no animation: ${reasonOf(error)}`),
    );
    if (bytes) yield { plan, format: "webp", bytes };
  }
  return await thumbHashOf(fromRaw(smallWhole), smallWhole);
}

/** Undefined for the plan of a still picture. */
async function encodeAnimation(
  { path, image, settings, ffmpeg }: Omit<RenderTask, "targets">,
  { width, height, frames }: VariantPlan,
) {
  if (frames === undefined) return undefined;
  const { webp: quality } = settings.quality;
  if (ffmpeg !== undefined) return await webpOf(ffmpeg, { width, height, frames, quality });
  return await sharp(path, { pages: frames, limitInputPixels: pixelsOf(image) * frames })
    .resize({ width, height, fit: "fill" })
    .webp({ quality, effort })
    .toBuffer();
}

/** An original that is damaged, too large, or no picture. */
export class DecodeError extends Error {
  /** Above the limit of pixels, and perhaps sound. */
  readonly tooLarge: boolean;

  constructor(message: string, options: ErrorOptions & { tooLarge?: boolean } = {}) {
    super(message, options);
    this.tooLarge = options.tooLarge ?? false;
  }
}

/** The pixels of an original at a size. All of it is read, so that damage shows. @throws DecodeError */
async function decodeOriginal(
  path: string,
  image: ImageFacts,
  size: Size,
  onWarning: (warning: string) => void,
): Promise<RawImage> {
  const input = await sharpInput(path, image.svg);
  const decode = async (failOn: "warning" | "error"): Promise<RawImage> => {
    const picture = sharp(input, {
      failOn,
      page: image.page,
      limitInputPixels: image.svg ? false : pixelsOf(image),
      density: image.density,
      autoOrient: true,
    })
      .resize({ ...size, fit: "fill" })
      .toColourspace("srgb");
    // From a profile, sharp takes 16 bits to Display P3.
    if (image.space === "rgb16" && image.profile) picture.withIccProfile("srgb");
    const { data, info } = await picture
      .raw({ depth: "uchar" })
      .toBuffer({ resolveWithObject: true });
    return { data, width: info.width, height: info.height, channels: info.channels as 3 | 4 };
  };
  const raw = await decode("warning")
    .catch((error: unknown) => {
      if (!harmless(error)) throw error;
      onWarning(reasonOf(error));
      return decode("error");
    })
    .catch((cause: unknown) => {
      throw new DecodeError(reasonOf(cause), { cause });
    });
  if (await isUnwritten(path)) {
    throw new DecodeError("it ends in zeros, as if it was never completely written");
  }
  return raw;
}

/** Whether a warning is harmless: PNG warns of odd colour profiles, and cameras leave a few bytes between JPEG parts. */
function harmless(error: unknown): boolean {
  const message = error instanceof Error ? error.message : "";
  const extraneous = /(\d+) extraneous bytes before marker/.exec(message)?.[1];
  return message.includes("Warning treated as error") || Number(extraneous ?? Infinity) <= 64;
}

async function resize(source: RawImage, { plan, extract }: CascadeStep): Promise<RawImage> {
  const { width, height } = plan;
  const from = extract ?? source;
  const isMade = from.width === width && from.height === height;
  if (extract === undefined && isMade) return source;
  const image = fromRaw(source);
  if (extract !== undefined) image.extract(extract);
  if (!isMade) image.resize({ width, height, fit: "fill" });
  const data = await image.raw().toBuffer();
  return { data, width, height, channels: source.channels };
}

async function encode(image: RawImage, format: ImageFormat, quality: Config["media"]["quality"]) {
  const pixels = fromRaw(image);
  if (format === "webp") return pixels.webp({ quality: quality.webp, effort }).toBuffer();
  if (format === "avif") {
    return pixels.avif({ quality: quality.avif, effort, chromaSubsampling: "4:2:0" }).toBuffer();
  }
  if (image.channels === 4) pixels.flatten({ background: "#ffffff" });
  return pixels.jpeg({ quality: quality.jpeg }).toBuffer();
}

function fromRaw({ data, width, height, channels }: RawImage): Sharp {
  return sharp(data, { raw: { width, height, channels }, limitInputPixels: false });
}
