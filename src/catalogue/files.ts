import type { Config, ImageFormat } from "../config.ts";
import { cached } from "../lib/cached.ts";
import { mediaEnding, sitePaths } from "../routes/site.ts";
import {
  type Box,
  fullSlot,
  isWholeSlot,
  nearestBoxOf,
  type Scaling,
  scalingOfSlot,
  slotOf,
} from "../routes/slots.ts";
import type { MediaKind, Routes } from "../routes/table.ts";
import type { MediaEntries, MediaEntry, Rendition } from "../store/media.ts";
import type { Ref } from "../store/snapshots.ts";

/** SVG is published under a name that no browser shows. */
const shownByBrowsers = /^image\/(?:jpeg|png|gif|webp|avif)$/;
export type Files = ReturnType<typeof filesOf>;

export function filesOf(
  index: MediaEntries,
  routes: Routes,
  { publishOriginals, metadata }: Pick<Config["media"], "publishOriginals" | "metadata">,
  shows: (kind: MediaKind, id: string) => boolean,
  withheld: ReadonlySet<string>,
) {
  // Pages ask for an image several times, and neighbouring pages for the same.
  const imageEntry = cached(1_000, (id) => publishedForm(index.get("images", id)));

  /** Undefined where originals are not published, or this one is withheld: as it is, or for its metadata. */
  function originalPath(entry: MediaEntry): string | undefined {
    if (withheld.has(entry.original.blob)) return undefined;
    if (entry.kind !== "images")
      return sitePaths.media(entry.original.blob, entry.original.extension);
    const { setting, copy } = entry.metadata ?? {};
    const isWithheld = metadata !== "keep" && (setting !== metadata || copy === null);
    if (!publishOriginals || isWithheld) return undefined;
    return routes.fileOfOriginal(entry.id, mediaEnding(entry.original.extension));
  }

  return {
    originalPath,
    /** Undefined for a file that may not be shown or is missing. */
    media(kind: MediaKind, id: string): MediaEntry | undefined {
      if (!shows(kind, id)) return undefined;
      return kind === "images" ? imageEntry(id) : index.get(kind, id);
    },
    /** Whether the origin itself has no file of an item, or none since its record changed. */
    absent: (kind: MediaKind, { id, digest }: Ref): boolean =>
      index.absence(kind, id)?.record === digest,
    /** The exact rendition, the nearest larger one, or the largest; without any, an original that browsers show. */
    renditionPath(entry: MediaEntry, scaling: Scaling, format: ImageFormat = "jpeg") {
      const slot = nearestSlot(entry, scaling, format);
      if (slot !== undefined) return routes.linkedFileOfImage(entry.id, slot, format);
      const bare = entry.renditions.length === 0 && shownByBrowsers.test(entry.original.type);
      return bare ? originalPath(entry) : undefined;
    },
  };
}

/** The entry of an image with the published copy of its original. No rendition is an original with its metadata. */
function publishedForm(entry: MediaEntry | undefined): MediaEntry | undefined {
  if (entry === undefined) return undefined;
  const { metadata, original, renditions } = entry;
  if (metadata) return { ...entry, original: { ...original, ...metadata.copy } };
  const isOriginal = ({ slot, blob }: Rendition) => slot === fullSlot && blob === original.blob;
  return { ...entry, renditions: renditions.filter((one) => !isOriginal(one)) };
}

/** The nearest rendition from above: a box of nearly the shape, or one that keeps the proportions. */
function nearestSlot(entry: MediaEntry, scaling: Scaling, format: ImageFormat) {
  const renditions = entry.renditions.filter((rendition) => rendition.format === format);
  const slot = slotOf(scaling);
  if (renditions.some((rendition) => rendition.slot === slot)) return slot;
  const { width, height, thumb } = scaling;
  if (thumb === undefined && width !== undefined && height !== undefined) {
    const box = nearestBoxOf(boxesOf(renditions), width, height);
    if (box !== undefined) return box;
  }
  const whole = renditions
    .filter((rendition) => isWholeSlot(rendition.slot))
    .sort((a, b) => a.width - b.width);
  const wanted = wantedWidth(entry, scaling);
  return (whole.find((rendition) => rendition.width >= wanted) ?? whole.at(-1))?.slot;
}

function boxesOf(renditions: readonly Rendition[]): Box[] {
  const boxes = renditions.flatMap(({ slot }): Box[] => {
    const { width, height } = scalingOfSlot(slot);
    return width === undefined || height === undefined ? [] : [[width, height, slot]];
  });
  return boxes.sort((a, b) => a[0] * a[1] - b[0] * b[1]);
}

/** In pixels; a thumbnail has its own rendition. */
function wantedWidth({ original }: MediaEntry, { width = 0, height = 0, scale = 100 }: Scaling) {
  const whole = original.width ?? 0;
  const fromHeight = (height * whole) / (original.height ?? 1);
  return Math.max(width, fromHeight) || (whole * scale) / 100;
}
