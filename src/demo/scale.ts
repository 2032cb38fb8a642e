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
    return cropped(original, width, height);
  }
  const [width, height, scale] = ["width", "height", "scale"].map((name) => {
    const number = Number(query.get(name)?.trim() || Number.NaN);
    return Number.isFinite(number) && number > 0 ? number : undefined;
  });
  if (width && height) return cropped(original, Math.round(width), Math.round(height));
  if (width) return proportional(original, Math.round(width) / original.width);
  if (height) return proportional(original, Math.round(height) / original.height);
  return proportional(original, scale ? scale / 100 : web.width / original.width);
}

function proportional({ width, height }: Size, factor: number): ResizeOptions {
  const sides = [width, height].map((side) => Math.max(1, Math.round(side * Math.min(1, factor))));
  return { width: sides[0], height: sides[1], fit: "fill" };
}

/** Each side is limited on its own, and the overhang cut evenly. */
function cropped(original: Size, width: number, height: number): ResizeOptions {
  return {
    width: Math.max(1, Math.min(original.width, width)),
    height: Math.max(1, Math.min(original.height, height)),
    fit: "cover",
  };
}
