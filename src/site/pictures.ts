import type { Catalogue } from "../catalogue/catalogue.ts";
import { type ImageFormat, imageFormats } from "../config.ts";
import { keyOf } from "../lib/digest.ts";
import { type Scaling, slotOf } from "../routes/slots.ts";
import type { MediaEntry, Rendition } from "../store/media.ts";

/** Link from the page at hand to a file of the publish root. */
export type Link = (path: string) => string;

/** What an `<img>` needs, with a `<source>` for each further format. Sizes in pixels. */
export interface Picture {
  src: string;
  width: number;
  height: number;
  srcset: string | null;
  sizes: string | null;
  sources: { type: string; srcset: string }[];
}

const whole = /^(?:web|(?:width|height|scale)\/[\d.]+)$/;

/** Everything of a media entry that a page shows, as one short value. */
export type EntryKey = (entry: MediaEntry | undefined) => string;

/** Makes keys of media entries, each once while its entry is in memory. */
export function createEntryKey(): EntryKey {
  const keys = new WeakMap<MediaEntry, string>();
  return (entry) => {
    if (entry === undefined) return "-";
    const known = keys.get(entry);
    if (known !== undefined) return known;
    const key = keyOf(JSON.stringify([entry.original, entry.renditions]));
    keys.set(entry, key);
    return key;
  };
}

/** The uncropped renditions of one format, smallest first, one for each width. */
export function wholeRenditions(entry: MediaEntry, format: ImageFormat): Rendition[] {
  const byWidth = new Map<number, Rendition>();
  for (const rendition of entry.renditions) {
    if (rendition.format !== format || !whole.test(rendition.slot)) continue;
    const known = byWidth.get(rendition.width);
    if (known === undefined || rendition.slot.startsWith("width/")) {
      byWidth.set(rendition.width, rendition);
    }
  }
  return [...byWidth.values()].sort((a, b) => a.width - b.width);
}

export interface PictureWish {
  /** What the page asks for, in the words of the API. */
  scaling?: Scaling;
  /** Of the `<img>`, where the picture's width depends on the window. */
  sizes?: string;
}

/**
 * A picture in the size that is asked for, with everything larger and smaller in its `srcset`; a crop comes
 * alone. Undefined for an image without renditions: its original is damaged, too large to show, or of another kind.
 */
export function pictureOf(
  catalogue: Catalogue,
  entry: MediaEntry,
  link: Link,
  { scaling = {}, sizes }: PictureWish = {},
): Picture | undefined {
  const cropped = croppedPicture(catalogue, entry, link, scaling);
  if (cropped !== undefined) return cropped;
  const sets = imageFormats
    .map((format) => ({ format, renditions: wholeRenditions(entry, format) }))
    .filter(({ renditions }) => renditions.length > 0);
  const base = sets[0];
  const largest = base?.renditions.at(-1);
  const size = originalSize(entry) ?? largest;
  if (base === undefined || largest === undefined || size === undefined) return undefined;
  const width = Math.min(wantedWidth(size, scaling, largest.width), size.width);
  const nearest = base.renditions.find((rendition) => rendition.width >= width) ?? largest;
  const srcsetOf = (format: ImageFormat, renditions: Rendition[]): string =>
    renditions
      .map(
        (one) =>
          `${link(catalogue.routes.linkedFileOfImage(entry.id, one.slot, format))} ${one.width}w`,
      )
      .join(", ");
  return {
    src: link(catalogue.routes.linkedFileOfImage(entry.id, nearest.slot, base.format)),
    width,
    height: Math.max(1, Math.round((width * size.height) / size.width)),
    srcset: base.renditions.length > 1 ? srcsetOf(base.format, base.renditions) : null,
    sizes: sizes ?? `(min-width: ${Math.ceil(width / 16) + 3}rem) ${width}px, 100vw`,
    sources: sets
      .slice(1)
      .map(({ format, renditions }) => ({
        type: `image/${format}`,
        srcset: srcsetOf(format, renditions),
      }))
      .reverse(),
  };
}

function croppedPicture(
  catalogue: Catalogue,
  entry: MediaEntry,
  link: Link,
  scaling: Scaling,
): Picture | undefined {
  const both = scaling.width !== undefined && scaling.height !== undefined;
  if (scaling.thumb === undefined && !both) return undefined;
  const slot = slotOf(scaling);
  const exact = imageFormats.flatMap((format) =>
    entry.renditions.filter((one) => one.slot === slot && one.format === format),
  );
  const first = exact[0];
  if (first === undefined) return undefined;
  const href = (one: Rendition): string =>
    link(catalogue.routes.linkedFileOfImage(entry.id, slot, one.format));
  return {
    src: href(first),
    width: first.width,
    height: first.height,
    srcset: null,
    sizes: null,
    sources: exact
      .slice(1)
      .map((one) => ({ type: `image/${one.format}`, srcset: href(one) }))
      .reverse(),
  };
}

function originalSize({ original }: MediaEntry): { width: number; height: number } | undefined {
  if (!original.width || !original.height) return undefined;
  return { width: original.width, height: original.height };
}

function wantedWidth(
  size: { width: number; height: number },
  { width, height, scale }: Scaling,
  fallback: number,
): number {
  if (scale !== undefined) return Math.max(1, Math.round((size.width * scale) / 100));
  if (width !== undefined) return width;
  if (height !== undefined) return Math.max(1, Math.round((height * size.width) / size.height));
  return fallback;
}

/** The small picture of a list, in few enough words that one for every article can be held. */
export interface Thumb {
  id: string;
  shape: ThumbForm;
}

interface ThumbForm {
  slot: string;
  /** Pixels. */
  width: number;
  height: number;
  formats: ImageFormat[];
}

/** Makes thumbs; equal forms are one object. */
export function createThumbs(): (entry: MediaEntry) => Thumb | undefined {
  const forms = new Map<string, ThumbForm>();
  return (entry) => {
    const candidates = entry.renditions.filter((one) => one.slot === "thumb/landscape");
    const usable = candidates.length > 0 ? candidates : smallestWhole(entry);
    const first = usable[0];
    if (first === undefined) return undefined;
    const form: ThumbForm = {
      slot: first.slot,
      width: first.width,
      height: first.height,
      formats: imageFormats.filter((format) => usable.some((one) => one.format === format)),
    };
    const name = JSON.stringify(form);
    const shared = forms.get(name) ?? form;
    forms.set(name, shared);
    return { id: entry.id, shape: shared };
  };
}

function smallestWhole(entry: MediaEntry): Rendition[] {
  for (const format of imageFormats) {
    const renditions = wholeRenditions(entry, format);
    const first = renditions.find((one) => one.width >= 400) ?? renditions.at(-1);
    if (first !== undefined) return entry.renditions.filter((one) => one.slot === first.slot);
  }
  return [];
}

export function thumbPicture(catalogue: Catalogue, { id, shape }: Thumb, link: Link): Picture {
  const [first = "jpeg", ...others] = shape.formats;
  const href = (format: ImageFormat): string =>
    link(catalogue.routes.linkedFileOfImage(id, shape.slot, format));
  return {
    src: href(first),
    width: shape.width,
    height: shape.height,
    srcset: null,
    sizes: null,
    sources: others.map((format) => ({ type: `image/${format}`, srcset: href(format) })).reverse(),
  };
}

/**
 * Class of a tile in a justified grid, by its proportions: the page's security policy allows no inline style.
 * ratioClass(1600, 900) → "r18"
 */
export function ratioClass(width: number, height: number): string {
  const tenths = Math.round((width / height) * 10);
  return `r${Math.min(30, Math.max(5, Number.isFinite(tenths) ? tenths : 15))}`;
}
