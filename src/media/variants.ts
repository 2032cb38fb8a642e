import type { Config, ImageFormat } from "../config.ts";
import {
  animationSlot,
  fullSlot,
  isWholeSlot,
  type Scaling,
  type Slot,
  slotOf,
  thumbShapes,
} from "../routes/slots.ts";
import type { Rendition } from "../store/media.ts";

export interface Size {
  width: number;
  height: number;
}

export function pixelsOf({ width, height }: Size): number {
  return width * height;
}

export interface Region extends Size {
  left: number;
  top: number;
}

/** A scaling by numbers alone: only the configuration knows a thumbnail's size. */
export type Sides = Omit<Scaling, "thumb">;

/** One set of pixels to make of an original, for every request that it answers. */
export interface VariantPlan extends Size {
  /** In the order web version, thumbnails, configured variants. */
  slots: Slot[];
  /** The part of the original that is shown, in its pixels; all of it unless this is a crop. */
  region: Region;
  crop: boolean;
  /** JPEG first and always, because the API answers `.jpg`. */
  formats: ImageFormat[];
  /** Of an animation: how many frames, from the first on. */
  frames?: number;
}

const longestSide: Record<ImageFormat, number> = { jpeg: 65_535, webp: 16_383, avif: 16_384 };

/**
 * Size of an image after scaling, in pixels, never above the original.
 *
 * `scale` alone, `width` alone or `height` alone keeps the proportions (nearest pixel, at least 1); both sides
 * together give that box, each side limited to the original's on its own. Beside a side, `scale` is ignored, as in
 * `slotOf`; with nothing, it is the original's size. Rules 2 and 3 of "Image binary retrieval" in the API document.
 *
 * scaledSize({ width: 3000, height: 2000 }, { width: 600 }) → { width: 600, height: 400 }
 */
export function scaledSize(original: Size, { width, height, scale }: Sides): Size {
  if (width !== undefined && height !== undefined) {
    return { width: Math.min(width, original.width), height: Math.min(height, original.height) };
  }
  if (width !== undefined && width < original.width) {
    return { width, height: nearest((original.height * width) / original.width) };
  }
  if (height !== undefined && height < original.height) {
    return { width: nearest((original.width * height) / original.height), height };
  }
  const alone = width === undefined && height === undefined;
  const factor = alone && scale !== undefined ? Math.min(1, scale / 100) : 1;
  return { width: nearest(original.width * factor), height: nearest(original.height * factor) };
}

/**
 * The part of the original that a scaling shows: all of it, or, for a box, its largest rectangle of the box's
 * proportions, cropped evenly from the centre. It is never smaller than the scaled size, so nothing is enlarged.
 *
 * shownRegion({ width: 3000, height: 2000 }, { width: 300, height: 300 }) → { left: 500, top: 0, width: 2000, height: 2000 }
 */
export function shownRegion(original: Size, wanted: Sides): Region {
  const whole = centred(original, original);
  if (wanted.width === undefined || wanted.height === undefined) return whole;
  const box = scaledSize(original, wanted);
  // A box of the original's own proportions can miss the whole picture by a rounded pixel; it is no crop.
  for (const side of ["width", "height"] as const) {
    const proportional = scaledSize(original, { [side]: box[side] });
    if (proportional.width === box.width && proportional.height === box.height) return whole;
  }
  const size =
    box.width * original.height > box.height * original.width
      ? { width: original.width, height: nearest((box.height * original.width) / box.width) }
      : { width: nearest((box.width * original.height) / box.height), height: original.height };
  return centred(original, size);
}

/** The part of this size in the middle of a picture. */
export function centred(whole: Size, { width, height }: Size): Region {
  const left = Math.floor((whole.width - width) / 2);
  return { left, top: Math.floor((whole.height - height) / 2), width, height };
}

/** A scaling with the configured sizes of thumbnails and of the web version put in. */
export function sidesOf(scaling: Scaling, media: Pick<Config["media"], "web" | "thumbs">): Sides {
  if (scaling.thumb !== undefined) {
    const [width, height] = media.thumbs[scaling.thumb];
    return { width, height };
  }
  return slotOf(scaling) === "web" ? media.web : scaling;
}

/**
 * What to make of an original: the web version, the three thumbnails and every configured variant. Requests for the
 * same pixels, such as all widths above a small original's, share one plan. No plan has a format that cannot hold its
 * size.
 *
 * @param full whether to add the full size as a JPEG, if no other slot has it; see `withFullSize`
 */
export function planVariants(
  original: Size,
  media: Pick<Config["media"], "web" | "thumbs" | "variants" | "formats">,
  full = false,
): VariantPlan[] {
  const scalings: Scaling[] = [{}, ...thumbShapes.map((thumb) => ({ thumb })), ...media.variants];
  const plans = new Map<string, VariantPlan>();
  for (const scaling of scalings) {
    const plan = planVariant(original, scaling, media);
    const key = JSON.stringify([plan.width, plan.height, plan.region]);
    const same = plans.get(key);
    if (same === undefined) plans.set(key, plan);
    else same.slots = [...new Set([...same.slots, ...plan.slots])];
  }
  const all = [...plans.values()];
  const { width, height } = original;
  if (!full || all.some((plan) => plan.width === width && plan.height === height)) return all;
  // The largest size of these proportions that a JPEG can have.
  const size = scaledSize(original, { scale: (100 * longestSide.jpeg) / Math.max(width, height) });
  const region = centred(original, original);
  return [...all, { slots: [fullSlot], ...size, region, crop: false, formats: ["jpeg"] }];
}

/** Pixels of the original that are read for each one of the animation. */
const readForOne = 10;

/** The moving rendition of an animation; none where the settings leave no two frames. */
export function planAnimation(
  original: Size & { animated: boolean; pages: number },
  { animations }: Pick<Config["media"], "animations">,
): VariantPlan[] {
  const { frames: most, pixels } = animations;
  const readable = Math.floor((readForOne * pixels) / pixelsOf(original));
  const frames = Math.min(original.pages, most, readable);
  if (!original.animated || frames < 2) return [];
  const factor = Math.min(1, Math.sqrt(pixels / frames / pixelsOf(original)));
  const size = scaledSize(original, { width: nearest(original.width * factor) });
  const region = centred(original, original);
  if (Math.max(size.width, size.height) > longestSide.webp) return [];
  return [{ slots: [animationSlot], ...size, region, crop: false, formats: ["webp"], frames }];
}

/**
 * Adds the full size, with which a server that cannot make images answers requests for sizes above all others: the
 * original if browsers can show it, else the largest rendition.
 */
export function withFullSize(
  renditions: readonly Rendition[],
  original: Omit<Rendition, "slot"> | undefined,
): Rendition[] {
  if (renditions.some(({ slot }) => slot === fullSlot)) return [...renditions];
  const [largest] = renditions
    .filter(({ slot, format }) => format === "jpeg" && isWholeSlot(slot))
    .sort((a, b) => b.width - a.width);
  const full = original ?? largest;
  return full === undefined ? [...renditions] : [...renditions, { ...full, slot: fullSlot }];
}

export function planVariant(
  original: Size,
  scaling: Scaling,
  media: Pick<Config["media"], "web" | "thumbs" | "formats">,
): VariantPlan {
  const sides = sidesOf(scaling, media);
  const size = scaledSize(original, sides);
  const region = shownRegion(original, sides);
  const crop = region.width < original.width || region.height < original.height;
  const longest = Math.max(size.width, size.height);
  const wanted = [...new Set<ImageFormat>(["jpeg", ...media.formats])];
  const formats = wanted.filter((format) => longest <= longestSide[format]);
  return { slots: [slotOf(scaling)], ...size, region, crop, formats };
}

function nearest(pixels: number): number {
  return Math.max(1, Math.round(pixels));
}
