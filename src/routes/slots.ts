import type { Config } from "../config.ts";
import type { Query } from "./query.ts";

/**
 * An image slot names one rendition of an image by the request that asks for it: `web`, `thumb/square`,
 * `width/640`, `height/480`, `width/600/height/400`, `scale/50`. It is also the rendition's folder below
 * `images/by/` in the mirror.
 */
export type Slot = string;

export const thumbShapes = ["square", "portrait", "landscape"] as const;
export type ThumbShape = (typeof thumbShapes)[number];

/**
 * Scaling of one image request, in the words of the API document, "Image binary retrieval": sides in pixels, `scale` in
 * percent of the original.
 */
export interface Scaling {
  width?: number | undefined;
  height?: number | undefined;
  scale?: number | undefined;
  thumb?: ThumbShape | undefined;
}

/** Holds the whole image in the original's size: nothing is ever larger. */
export const fullSlot: Slot = "scale/100";

/** Holds the moving picture of an animation. No request of the API asks for it: its answers show the first frame. */
export const animationSlot: Slot = "animation";

/** The slot of a scaling; no scaling at all is the web version. A thumbnail wins over sides, and these over `scale`. */
export function slotOf({ thumb, width, height, scale }: Scaling): Slot {
  if (thumb !== undefined) return `thumb/${thumb}`;
  const hasSide = width !== undefined || height !== undefined;
  const slot = given(hasSide ? { width, height } : { scale }).map((number) => number.join("/"));
  return slot.length === 0 ? "web" : slot.join("/");
}

/** Whether a slot shows the whole image, in its proportions. */
export function isWholeSlot(slot: Slot): boolean {
  return /^(?:web|(?:width|height|scale)\/[\d.]+)$/.test(slot);
}

/**
 * The scaling that a query asks for; `expires`, `signature` and unknown parameters do not matter.
 * A value that is no positive number is ignored, as is a thumbnail's `orientation` other than p and l.
 * The API document gives `scale` no meaning beside a side: pixels say more than percent, so it is ignored there.
 */
export function scalingOf(query: Query): Scaling {
  const thumb = query.get("thumb");
  if (thumb !== undefined) {
    const shape = thumb === "p" || thumb === "l" ? thumb : query.get("orientation");
    return { thumb: shape === "p" ? "portrait" : shape === "l" ? "landscape" : "square" };
  }
  const [width, height] = [wholeNumber(query.get("width")), wholeNumber(query.get("height"))];
  const scale = positiveNumber(query.get("scale"));
  return width === undefined && height === undefined ? { scale } : { width, height };
}

/** The scaling that a slot is named after. */
export function scalingOfSlot(slot: Slot): Scaling {
  if (slot.startsWith("thumb/")) return { thumb: slot.slice("thumb/".length) as ThumbShape };
  const numbers = slot.matchAll(/([a-z]+)\/([\d.]+)/g);
  return Object.fromEntries(Array.from(numbers, ([, name, number]) => [name, Number(number)]));
}

/** The query that asks for a scaling, in the form of the API document; "" for the web version. */
export function queryOfScaling({ width, height, scale, thumb }: Scaling): string {
  if (thumb !== undefined) {
    return thumb === "square" ? "?thumb=1" : `?orientation=${thumb[0]}&thumb=1`;
  }
  const parameters = given({ width, height, scale }).map((number) => number.join("="));
  return parameters.length === 0 ? "" : `?${parameters.join("&")}`;
}

function given(numbers: Scaling): [name: string, number: number][] {
  return Object.entries(numbers).filter(([, number]) => number !== undefined);
}

/** The slots that every image has, as choices for a server that cannot make others. */
export interface SlotTable {
  /** Uncropped ones by the width they are for, ascending, in pixels; the web version among them. */
  widths: [width: number, slot: Slot][];
  heights: [height: number, slot: Slot][];
  /** Percent, ascending. */
  scales: [scale: number, slot: Slot][];
  /** Cropped ones, the thumbnails among them, from small to large. */
  boxes: Box[];
  /** Answers what is larger than everything else. */
  largest: Slot;
}

/** A cropped slot; sides in pixels. */
export type Box = [width: number, height: number, slot: Slot];

/** The slots that follow from a configuration. */
export function slotTable(
  media: Pick<Config["media"], "web" | "thumbs" | "variants" | "publishOriginals">,
): SlotTable {
  const widths = new Map<number, Slot>([[media.web.width, "web"]]);
  const scales = new Map<number, Slot>(media.publishOriginals ? [[100, fullSlot]] : []);
  const boxes: Box[] = [];
  const heights: SlotTable["heights"] = [];
  for (const { width, height, scale } of media.variants) {
    const slot = slotOf({ width, height, scale });
    if (width !== undefined && height !== undefined) boxes.push([width, height, slot]);
    else if (width !== undefined) widths.set(width, slot);
    else if (height !== undefined) heights.push([height, slot]);
    else if (scale !== undefined) scales.set(scale, slot);
  }
  // Behind the others, so that of equal boxes the one that was configured counts.
  for (const thumb of thumbShapes) boxes.push([...media.thumbs[thumb], slotOf({ thumb })]);
  const ofWidths = [...widths].sort(byNumber);
  return {
    widths: ofWidths,
    heights: heights.sort(byNumber),
    scales: [...scales].sort(byNumber),
    boxes: boxes.sort((a, b) => a[0] * a[1] - b[0] * b[1]),
    largest: scales.get(100) ?? ofWidths.at(-1)?.[1] ?? "web",
  };
}

/**
 * The precomputed slot that answers a scaling on a server that cannot make images: the exact one, the nearest larger
 * one or the largest. Only a box answers a box: where none is near, it is the slot that was asked for, which no image
 * has.
 *
 * nearestSlotOf(table, { width: 500 }) → "width/640"
 */
export function nearestSlotOf(table: SlotTable, scaling: Scaling): Slot {
  const slot = slotOf(scaling);
  const { thumb, scale, width, height } = scaling;
  if (thumb !== undefined || slot === "web") return slot;
  if (width !== undefined && height !== undefined) {
    return nearestBoxOf(table.boxes, width, height) ?? slot;
  }
  const sides = width === undefined ? table.heights : table.widths;
  const choices = width === undefined && height === undefined ? table.scales : sides;
  const wanted = width ?? height ?? scale ?? 0;
  return choices.find(([number]) => number >= wanted)?.[1] ?? table.largest;
}

/** Whether a server that cannot make images answers a scaling: all but a box that none of its own is near. */
export function isAnswered({ boxes }: SlotTable, { thumb, width, height }: Scaling): boolean {
  if (thumb !== undefined || width === undefined || height === undefined) return true;
  return nearestBoxOf(boxes, width, height) !== undefined;
}

/** Steps by which a box's side can be made smaller: down to less than half of it. */
export const boxSteps = 16;

/** A box's side and smaller ones, each a twentieth below the one before. Below the last, a side is too small. */
export function stepsOf(side: number): number[] {
  return Array.from({ length: boxSteps + 1 }, (_, step) => Math.floor(side * 0.95 ** step));
}

function stepOf(wanted: number, side: number): number | undefined {
  const step = stepsOf(side).findLastIndex((limit) => wanted <= limit);
  return step === -1 || step === boxSteps ? undefined : step;
}

/**
 * The smallest box that holds this one, is at most about twice as wide, and has nearly its shape: width and height
 * are on the same step below the box's, or one beside it. Servers that can only compare texts find it by steps, too.
 *
 * nearestBoxOf([[600, 400, "width/600/height/400"]], 300, 200) → "width/600/height/400"
 */
export function nearestBoxOf(boxes: readonly Box[], width: number, height: number) {
  const found = boxes.find(([boxWidth, boxHeight]) => {
    const [across, down] = [stepOf(width, boxWidth), stepOf(height, boxHeight)];
    return across !== undefined && down !== undefined && Math.abs(across - down) <= 1;
  });
  return found?.[2];
}

function byNumber(a: readonly [number, Slot], b: readonly [number, Slot]): number {
  return a[0] - b[0];
}

function positiveNumber(text: string | undefined): number | undefined {
  return /^\d{1,6}(?:\.\d{1,4})?$/.test(text ?? "") ? Number(text) || undefined : undefined;
}

function wholeNumber(text: string | undefined): number | undefined {
  const number = positiveNumber(text);
  return number === undefined ? undefined : Math.max(1, Math.round(number));
}
