/**
 * An image slot names one rendition of an image by the request that asks for it: `web`, `thumb/square`,
 * `width/640`, `height/480`, `width/600/height/400`, `scale/50`. It is also the rendition's place below
 * `images/{id}/` in the mirror.
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
 * The scaling that a query string asks for; `expires`, `signature` and unknown parameters do not matter.
 * A value that is no positive number is ignored, as is a thumbnail's `orientation` other than p and l.
 */
export function scalingOf(query: URLSearchParams): Scaling {
  const thumb = query.get("thumb");
  if (thumb !== null) {
    const shape = thumb === "p" || thumb === "l" ? thumb : query.get("orientation");
    return { thumb: shape === "p" ? "portrait" : shape === "l" ? "landscape" : "square" };
  }
  return {
    width: wholeNumber(query.get("width")),
    height: wholeNumber(query.get("height")),
    scale: positiveNumber(query.get("scale")),
  };
}

function positiveNumber(text: string | null): number | undefined {
  if (text === null || !/^\d{1,6}(?:\.\d{1,4})?$/.test(text)) return undefined;
  const number = Number(text);
  return number > 0 ? number : undefined;
}

function wholeNumber(text: string | null): number | undefined {
  const number = positiveNumber(text);
  return number === undefined ? undefined : Math.max(1, Math.round(number));
}
