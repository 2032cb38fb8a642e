import type { Catalogue } from "../catalogue/catalogue.ts";
import { type ImageFormat, imageFormats } from "../config.ts";
import { keyOf } from "../lib/digest.ts";
import { type Sides, scaledSize } from "../media/variants.ts";
import { isWholeSlot, type Scaling, type Slot, slotOf } from "../routes/slots.ts";
import type { MediaEntry, Rendition } from "../store/media.ts";

export type Link = (path: string) => string;

/** Pixels. */
export interface Picture {
  src: string;
  width: number;
  height: number;
  srcset: string | null;
  sizes: string | null;
  sources: { type: string; srcset: string }[];
}

export type EntryKey = (entry: MediaEntry | undefined) => string;

/** Keys of everything that a page shows of an entry. */
export function createEntryKey(): EntryKey {
  const keys = new WeakMap<MediaEntry, string>();
  return (entry) => {
    if (entry === undefined) return "-";
    const key = keys.get(entry) ?? keyOf(JSON.stringify([entry.original, entry.renditions]));
    keys.set(entry, key);
    return key;
  };
}

export interface PictureWish {
  scaling?: Scaling;
  /** Where the width depends on the window. */
  sizes?: string;
}

/** A picture in a size, with all others in its `srcset`; a crop comes alone. Undefined for an image without renditions. */
export function pictureOf(
  catalogue: Catalogue,
  entry: MediaEntry,
  link: Link,
  { scaling = {}, sizes }: PictureWish = {},
): Picture | undefined {
  const crop = isWholeSlot(slotOf(scaling)) ? undefined : formOf(entry, slotOf(scaling));
  if (crop !== undefined) return thumbPicture(catalogue, { id: entry.id, form: crop }, link);
  const [base, ...others] = wholeRenditions(entry);
  if (base === undefined) return undefined;
  const hrefOf = (slot: Slot, format: ImageFormat): string =>
    link(catalogue.routes.linkedFileOfImage(entry.id, slot, format));
  const srcsetOf = ({ format, renditions }: typeof base): string =>
    renditions.map((one) => `${hrefOf(one.slot, format)} ${one.width}w`).join(", ");
  const { width: fullWidth, height: fullHeight } = entry.original;
  const full = fullWidth && fullHeight ? { width: fullWidth, height: fullHeight } : base.largest;
  const { width, height } = scaledSize(full, sideOf(scaling, base.largest.width));
  const nearest = base.renditions.find((rendition) => rendition.width >= width) ?? base.largest;
  return {
    src: hrefOf(nearest.slot, base.format),
    width,
    height,
    srcset: base.renditions.length > 1 ? srcsetOf(base) : null,
    sizes: sizes ?? `(min-width: ${Math.ceil(width / 16) + 3}rem) ${width}px, 100vw`,
    sources: others
      .map((set) => ({ type: `image/${set.format}`, srcset: srcsetOf(set) }))
      .reverse(),
  };
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

/** A whole picture has one side to be scaled to, by default the width of the largest rendition. */
function sideOf({ width, height, scale }: Scaling, largest: number): Sides {
  if (width !== undefined) return { width };
  return height === undefined && scale === undefined ? { width: largest } : { height, scale };
}

/** The picture of a list, short enough to hold one for every article. */
export interface Thumb {
  id: string;
  form: Form;
}

/** Pixels. */
interface Form {
  slot: Slot;
  width: number;
  height: number;
  formats: ImageFormat[];
}

function formOf({ renditions }: MediaEntry, slot: Slot | undefined): Form | undefined {
  const sameSize = renditions.filter((one) => one.slot === slot);
  const [first] = sameSize;
  if (first === undefined) return undefined;
  const formats = imageFormats.filter((format) => sameSize.some((one) => one.format === format));
  return { slot: first.slot, width: first.width, height: first.height, formats };
}

/** Equal forms are one object. */
export function createThumbs(): (entry: MediaEntry) => Thumb | undefined {
  const forms = new Map<string, Form>();
  return (entry) => {
    const form = formOf(entry, "thumb/landscape") ?? formOf(entry, smallWhole(entry));
    if (form === undefined) return undefined;
    const name = JSON.stringify(form);
    const shared = forms.get(name) ?? form;
    forms.set(name, shared);
    return { id: entry.id, form: shared };
  };
}

function smallWhole(entry: MediaEntry): Slot | undefined {
  const [base] = wholeRenditions(entry);
  return (base?.renditions.find(({ width }) => width >= 400) ?? base?.largest)?.slot;
}

export function thumbPicture(catalogue: Catalogue, { id, form }: Thumb, link: Link): Picture {
  const { slot, width, height } = form;
  const [first = "jpeg", ...others] = form.formats;
  const href = (format: ImageFormat): string =>
    link(catalogue.routes.linkedFileOfImage(id, slot, format));
  return {
    src: href(first),
    width,
    height,
    srcset: null,
    sizes: null,
    sources: others.map((format) => ({ type: `image/${format}`, srcset: href(format) })).reverse(),
  };
}

/**
 * Class of a tile by its proportions: the security policy allows no inline style.
 * ratioClass(1600, 900) → "r18"
 */
export function ratioClass(width: number, height: number): string {
  const tenths = Math.round((width / height) * 10);
  return `r${Math.min(30, Math.max(5, Number.isFinite(tenths) ? tenths : 15))}`;
}
