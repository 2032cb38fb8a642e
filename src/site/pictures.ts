import type { Catalogue } from "../catalogue/catalogue.ts";
import { imageFormats } from "../config.ts";
import { keyOf } from "../lib/digest.ts";
import { scaledSize } from "../media/variants.ts";
import { animationSlot, isWholeSlot } from "../routes/slots.ts";
import type { MediaEntry, Rendition } from "../store/media.ts";
import type { SizesOf } from "./sizes.ts";
import type { Picture } from "./views.ts";

export type Link = (path: string) => string;

/** Pixels up to which a picture needs no placeholder: nobody waits for it. */
const iconSide = 64;

/** A picture for sharing a page. */
export interface SharedPicture {
  /** Of the image. */
  id: string;
  path: string;
  /** Of its rendition. */
  blob: string | undefined;
  type: string;
  bytes: number;
  /** Pixels; undefined where they are not known. */
  width: number | undefined;
  height: number | undefined;
  /** Empty where the image's record says nothing: then the title of the page tells. */
  alt: string;
}

/** Key of everything that a page shows of an entry: renditions follow from their files. */
export function entryKey(entry: MediaEntry | undefined): string {
  if (entry === undefined) return "-";
  const files = entry.renditions.flatMap(({ slot, format, blob }) => [slot, format, blob]);
  return keyOf(JSON.stringify(entry.original), entry.thumbHash, files);
}

/** The first of some images that has renditions. */
export function firstRendered(catalogue: Catalogue, ids: Iterable<string>): MediaEntry | undefined {
  for (const id of ids) {
    const entry = catalogue.media("images", id);
    if (entry !== undefined && entry.renditions.length > 0) return entry;
  }
  return undefined;
}

export interface PictureWish {
  /** Pixels; by default that of the largest rendition. */
  width?: number;
  /** Where the width depends on the window. */
  sizes?: SizesOf;
}

/** A whole picture in a width, with all others in its `srcset`. Undefined for an image without such renditions. */
export function pictureOf(
  catalogue: Catalogue,
  entry: MediaEntry,
  link: Link,
  { width: wished, sizes }: PictureWish,
): Picture | undefined {
  const hrefOf = ({ slot, format }: Rendition): string =>
    link(catalogue.routes.linkedFileOfImage(entry.id, slot, format));
  const [base, ...others] = wholeRenditions(entry);
  if (base === undefined) return undefined;
  const srcsetOf = (renditions: Rendition[]): string =>
    renditions.map((one) => `${hrefOf(one)} ${one.width}w`).join(", ");
  const { width: fullWidth, height: fullHeight } = entry.original;
  const full = fullWidth && fullHeight ? { width: fullWidth, height: fullHeight } : base.largest;
  const { width, height } = scaledSize(full, { width: wished ?? base.largest.width });
  const nearest = base.renditions.find((rendition) => rendition.width >= width) ?? base.largest;
  return {
    src: hrefOf(nearest),
    width,
    height,
    srcset: base.renditions.length > 1 ? srcsetOf(base.renditions) : null,
    sizes:
      sizes?.({ width, height }) ??
      `(min-width: ${Math.ceil(width / 16) + 3}rem) ${width}px, 100vw`,
    sources: others
      .map((set) => ({ type: `image/${set.format}`, srcset: srcsetOf(set.renditions) }))
      .reverse(),
    animation: animationOf(catalogue, entry, link),
    thumbHash: Math.max(width, height) > iconSide ? (entry.thumbHash ?? null) : null,
  };
}

/** The moving picture of an animation; null where there is none. */
function animationOf({ routes }: Catalogue, { id, renditions }: MediaEntry, link: Link) {
  const moving = renditions.find(({ slot }) => slot === animationSlot);
  return moving ? link(routes.linkedFileOfImage(id, moving.slot, moving.format)) : null;
}

/** By format, uncropped, smallest first, one for each width. */
function wholeRenditions(entry: MediaEntry) {
  return imageFormats.flatMap((format) => {
    const byWidth = new Map<number, Rendition>();
    for (const rendition of entry.renditions) {
      const { slot, width } = rendition;
      if (rendition.format !== format || !isWholeSlot(slot)) continue;
      if (!byWidth.has(width) || slot.startsWith("width/")) byWidth.set(width, rendition);
    }
    const renditions = [...byWidth.values()].sort((a, b) => a.width - b.width);
    const largest = renditions.at(-1);
    return largest === undefined ? [] : [{ format, renditions, largest }];
  });
}

/** Tenths of a width by the height, beyond which a picture is a strip. */
const [tallest, widest] = [5, 30];

/**
 * Class of a picture by its proportions: the security policy allows no inline style.
 * ratioClass(1600, 900) → "r18"
 */
export function ratioClass(width: number, height: number): string {
  const tenths = Math.round((width / height) * 10);
  return `r${Math.min(widest, Math.max(tallest, Number.isFinite(tenths) ? tenths : 15))}`;
}

/** What these classes say to the style sheet. */
export function ratioStyles(): string {
  const all = Array.from({ length: widest - tallest + 1 }, (_, at) => tallest + at);
  return all.map((tenths) => `.r${tenths}{--r:${tenths}}`).join("");
}
