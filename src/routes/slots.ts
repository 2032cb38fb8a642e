import type { Query } from "./query.ts";

/**
 * An image slot names one rendition of an image by the request that asks for it: `web`, `thumb/square`,
 * `width/640`, `height/480`, `width/600/height/400`, `scale/50`. It is also the rendition's folder below
 * `images/by/` in the mirror.
 */
export type Slot = string;

export const thumbShapes = ["square", "portrait", "landscape"] as const;
export type ThumbShape = (typeof thumbShapes)[number];

/** Scaling of one image request, in the words of the API document, "Image binary retrieval". */
export interface Scaling {
  /** Pixels. */
  width?: number | undefined;
  /** Pixels. */
  height?: number | undefined;
  /** Percent of the original. */
  scale?: number | undefined;
  thumb?: ThumbShape | undefined;
}

/** The slot of a scaling; no scaling at all is the web version. A thumbnail wins over `scale`, and that over sides. */
export function slotOf(scaling: Scaling): Slot {
  if (scaling.thumb !== undefined) return `thumb/${scaling.thumb}`;
  if (scaling.scale !== undefined) return `scale/${scaling.scale}`;
  const sides = [
    scaling.width === undefined ? "" : `width/${scaling.width}`,
    scaling.height === undefined ? "" : `height/${scaling.height}`,
  ].filter((side) => side !== "");
  return sides.length === 0 ? "web" : sides.join("/");
}

/**
 * The scaling that a query asks for; `expires`, `signature` and unknown parameters do not matter.
 * A value that is no positive number is ignored, as is a thumbnail's `orientation` other than p and l.
 */
export function scalingOf(query: Query): Scaling {
  const thumb = query.get("thumb");
  if (thumb !== undefined) {
    const shape = thumb === "p" || thumb === "l" ? thumb : query.get("orientation");
    return { thumb: shape === "p" ? "portrait" : shape === "l" ? "landscape" : "square" };
  }
  return {
    width: wholeNumber(query.get("width")),
    height: wholeNumber(query.get("height")),
    scale: positiveNumber(query.get("scale")),
  };
}

/** The scaling that a slot is named after. */
export function scalingOfSlot(slot: Slot): Scaling {
  const [name, value = "", , height] = slot.split("/");
  if (name === "thumb") return { thumb: value as ThumbShape };
  if (name === "width" && height !== undefined) {
    return { width: Number(value), height: Number(height) };
  }
  return name === "web" ? {} : { [name as "width"]: Number(value) };
}

/** The query that asks for a scaling, in the form of the API document; "" for the web version. */
export function queryOfScaling({ width, height, scale, thumb }: Scaling): string {
  if (thumb !== undefined) {
    return thumb === "square" ? "?thumb=1" : `?orientation=${thumb[0]}&thumb=1`;
  }
  const parameters = Object.entries({ width, height, scale }).filter(
    ([, value]) => value !== undefined,
  );
  if (parameters.length === 0) return "";
  return `?${parameters.map(([name, value]) => `${name}=${value}`).join("&")}`;
}

/** The slots that every image has, as choices for a server that cannot make others. */
export interface SlotTable {
  /** Uncropped ones by the width they are for, ascending, in pixels; the web version among them. */
  widths: [width: number, slot: Slot][];
  heights: [height: number, slot: Slot][];
  /** Percent, ascending. */
  scales: [scale: number, slot: Slot][];
  /** Cropped ones. */
  boxes: Slot[];
  /** Answers what is larger than everything else. */
  largest: Slot;
}

/** The slots that follow from a configuration. */
export function slotTable(media: {
  web: { width: number };
  variants: readonly Omit<Scaling, "thumb">[];
}): SlotTable {
  const widths = new Map<number, Slot>([[media.web.width, "web"]]);
  const table: SlotTable = { widths: [], heights: [], scales: [], boxes: [], largest: "web" };
  for (const { width, height, scale } of media.variants) {
    const slot = slotOf({ width, height, scale });
    if (scale !== undefined) table.scales.push([scale, slot]);
    else if (width !== undefined && height !== undefined) table.boxes.push(slot);
    else if (width !== undefined) widths.set(width, slot);
    else if (height !== undefined) table.heights.push([height, slot]);
  }
  table.widths = [...widths].sort(byNumber);
  table.heights.sort(byNumber);
  table.scales.sort(byNumber);
  const whole = table.scales.find(([scale]) => scale === 100);
  table.largest = whole?.[1] ?? table.widths.at(-1)?.[1] ?? "web";
  return table;
}

/**
 * The precomputed slot that answers a scaling on a server that cannot make images: the exact one, or the nearest
 * larger one by the first of box, width, height, scale that the scaling has, or the largest.
 *
 * nearestSlotOf(table, { width: 500 }) → "width/640"
 */
export function nearestSlotOf(table: SlotTable, scaling: Scaling): Slot {
  const slot = slotOf(scaling);
  const { thumb, scale, width, height } = scaling;
  if (thumb !== undefined || slot === "web" || table.boxes.includes(slot)) return slot;
  const [choices, wanted] =
    scale !== undefined
      ? [table.scales, scale]
      : width !== undefined
        ? [table.widths, width]
        : [table.heights, height ?? 0];
  return choices.find(([number]) => number >= wanted)?.[1] ?? table.largest;
}

function byNumber(a: readonly [number, Slot], b: readonly [number, Slot]): number {
  return a[0] - b[0];
}

function positiveNumber(text: string | undefined): number | undefined {
  if (text === undefined || !/^\d{1,6}(?:\.\d{1,4})?$/.test(text)) return undefined;
  const number = Number(text);
  return number > 0 ? number : undefined;
}

function wholeNumber(text: string | undefined): number | undefined {
  const number = positiveNumber(text);
  return number === undefined ? undefined : Math.max(1, Math.round(number));
}
