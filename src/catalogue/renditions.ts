import type { ImageFormat } from "../config.ts";
import {
  type Box,
  isWholeSlot,
  nearestBoxOf,
  type Scaling,
  scalingOfSlot,
  slotOf,
} from "../routes/slots.ts";
import type { MediaEntry, Rendition } from "../store/media.ts";

/** The nearest rendition from above: a box of nearly the shape, or one that keeps the proportions. */
export function nearestSlot(entry: MediaEntry, scaling: Scaling, format: ImageFormat) {
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

function wantedWidth({ original, renditions }: MediaEntry, scaling: Scaling): number {
  const width = original.width ?? 0;
  const height = original.height ?? 1;
  if (scaling.thumb !== undefined) {
    return renditions.find((rendition) => rendition.slot.startsWith("thumb/"))?.width ?? 0;
  }
  const sides = scaling.width !== undefined || scaling.height !== undefined;
  if (!sides && scaling.scale !== undefined) return (width * scaling.scale) / 100;
  const fromHeight = scaling.height === undefined ? 0 : (scaling.height * width) / height;
  return Math.max(scaling.width ?? 0, fromHeight) || width;
}
