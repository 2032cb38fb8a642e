import sharp, { type ResizeOptions } from "sharp";
import type { Image } from "./model.ts";
import type { OriginOptions } from "./options.ts";

type Size = Pick<Image, "width" | "height">;

/**
 * A JPEG of an image in the size that a query asks for, or of the web version: upright, without metadata, white where
 * it is transparent. Rejects with sharp's error when the original cannot be decoded.
 */
export async function scaleImage(image: Image, query: URLSearchParams, options: OriginOptions) {
  return sharp(await image.read(), { failOn: "error" })
    .autoOrient()
    .resize(requestedSize(image, query, options))
    .flatten({ background: "#ffffff" })
    .jpeg({ quality: options.web.quality })
    .toBuffer();
}

/**
 * `thumb` (p, l, anything else = square) goes before width and height, and these before scale; `orientation` names the
 * kind of a thumbnail. What is no positive number is ignored. Rules 1 to 4 of "Image binary retrieval".
 */
function requestedSize(original: Size, query: URLSearchParams, { thumbs, web }: OriginOptions) {
  const thumb = query.get("thumb");
  if (thumb !== null) {
    const kind = thumb === "p" || thumb === "l" ? thumb : query.get("orientation");
    const name = kind === "p" ? "portrait" : kind === "l" ? "landscape" : "square";
    const [width, height] = thumbs[name];
    return bounded(original, width, height, "cover");
  }
  const [width, height, scale] = ["width", "height", "scale"].map((name) => {
    const number = Number(query.get(name)?.trim() || Number.NaN);
    return Number.isFinite(number) && number > 0 ? number : undefined;
  });
  if (width && height) return bounded(original, width, height, "cover");
  if (width) return proportional(original, Math.round(width) / original.width);
  if (height) return proportional(original, Math.round(height) / original.height);
  return proportional(original, scale ? scale / 100 : web.width / original.width);
}

function proportional(original: Size, factor: number): ResizeOptions {
  return bounded(original, original.width * factor, original.height * factor, "fill");
}

/** Each side is limited on its own; "cover" cuts the overhang evenly. */
function bounded(original: Size, width: number, height: number, fit: "cover" | "fill") {
  const side = (most: number, wanted: number) => Math.max(1, Math.min(most, Math.round(wanted)));
  return { width: side(original.width, width), height: side(original.height, height), fit };
}
