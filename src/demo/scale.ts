import sharp from "sharp";
import type { OriginOptions } from "./options.ts";

interface Size {
  width: number;
  height: number;
}

/** What to make of an original: `crop` cuts the overhang evenly. */
interface Scaling extends Size {
  crop: boolean;
}

/**
 * The scaling that a query asks for; that of the web version if it asks for none. Parameters that
 * are not positive numbers are ignored. `thumb` (p, l, anything else = square) goes before width
 * and height, and those before scale; `orientation` only names the kind of a thumbnail.
 * Rules 1 to 4 of "Image binary retrieval" in the API document.
 */
export function requestedScaling(
  original: Size,
  query: URLSearchParams,
  { thumbs, web }: OriginOptions,
): Scaling {
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

function proportional(original: Size, factor: number): Scaling {
  const limited = Math.min(1, factor);
  return {
    width: Math.max(1, Math.round(original.width * limited)),
    height: Math.max(1, Math.round(original.height * limited)),
    crop: false,
  };
}

/** A box never above the original: each side is limited on its own. */
function cropped(original: Size, width: number, height: number): Scaling {
  return {
    width: Math.max(1, Math.min(original.width, width)),
    height: Math.max(1, Math.min(original.height, height)),
    crop: true,
  };
}

/**
 * A JPEG of an original in the given size, upright, without metadata, on white where it is
 * transparent. Rejects with sharp's error when the original cannot be decoded.
 */
export async function scaleImage(
  original: Buffer,
  { width, height, crop }: Scaling,
  quality: number,
): Promise<Buffer> {
  return sharp(original, { failOn: "error" })
    .autoOrient()
    .resize({ width, height, fit: crop ? "cover" : "fill" })
    .flatten({ background: "#ffffff" })
    .jpeg({ quality })
    .toBuffer();
}
