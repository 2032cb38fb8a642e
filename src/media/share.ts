import sharp from "sharp";
import { xmlText } from "../lib/foreign.ts";
import type { Size } from "./variants.ts";

/** Pixels of a picture for sharing a page, as the large services show it. */
export const shareSize = { width: 1200, height: 630 };
const margin = 80;
const jpeg = { quality: 80 };

/** Words on paper. Colours are such as "#fbf9f4". */
export interface Poster {
  title: string;
  /** Pixels of its letters. */
  letters: number;
  site: string;
  paper: string;
  ink: string;
  accent: string;
}

/** Size of the picture that is cut from one of this size: never larger than it. */
export function cutSize({ width, height }: Size): Size {
  const ratio = shareSize.width / shareSize.height;
  const across = Math.min(shareSize.width, width, Math.round(height * ratio));
  return { width: across, height: Math.round(across / ratio) };
}

/** The middle of a picture, as a JPEG of 1200 × 630 pixels or smaller. */
export async function cutPicture(path: string, size: Size): Promise<Uint8Array> {
  return await sharp(path).resize(size).flatten({ background: "#ffffff" }).jpeg(jpeg).toBuffer();
}

/** A title on paper, and the name of its website below. */
export async function drawPoster(poster: Poster): Promise<Uint8Array> {
  const { title, letters, site, paper: background, ink, accent } = poster;
  const span = (of: string, colour: string, font: string) =>
    `<span foreground="${colour}" font="${font}">${xmlText(of)}</span>`;
  const bar = `<span background="${accent}" font="sans 8">${"\u00a0".repeat(40)}</span>`;
  const words = [span(title, ink, `serif bold ${letters}`), bar, span(site, ink, "sans 28")];
  const wide = shareSize.width - 2 * margin;
  const drawn = await sharp({
    text: { text: words.join("\n\n"), dpi: 72, width: wide, rgba: true, wrap: "word-char" },
  })
    .raw()
    .toBuffer({ resolveWithObject: true })
    .catch(() => undefined);
  if (drawn === undefined) {
    // As on a machine that has no font for the title.
    return await sharp({ create: { ...shareSize, channels: 3, background } })
      .jpeg(jpeg)
      .toBuffer();
  }
  const { data, info } = drawn;
  const raw = { width: info.width, height: info.height, channels: 4 as const };
  const most = shareSize.height - 2 * margin;
  const size = { width: Math.min(wide, raw.width), height: Math.min(most, raw.height) };
  const top = Math.floor((shareSize.height - size.height) / 2);
  return await sharp(data, { raw })
    .extract({ left: 0, top: 0, ...size })
    .extend({
      ...{ top, bottom: shareSize.height - top - size.height },
      ...{ left: margin, right: shareSize.width - margin - size.width, background },
    })
    .flatten({ background })
    .jpeg(jpeg)
    .toBuffer();
}
