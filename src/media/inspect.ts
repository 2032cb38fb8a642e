import { createReadStream } from "node:fs";
import { readFile } from "node:fs/promises";
import sharp, { type Metadata } from "sharp";
import { z } from "zod";
import { readAt, withHandle } from "../lib/files.ts";
import { type Ends, endBytes, fileTypeOf } from "./magic.ts";
import { namesPlace, withoutMetadata } from "./metadata.ts";
import { MovieFacts } from "./movie.ts";

/** What a picture is, before its pixels are looked at. */
export const ImageFacts = z.object({
  /** Pixels, upright. */
  width: z.int().positive(),
  height: z.int().positive(),
  /** Stored on its side or mirrored: its EXIF orientation says how to turn it. */
  turned: z.boolean(),
  /** Whether its metadata says where it was taken. */
  place: z.boolean(),
  animated: z.boolean(),
  pages: z.int(),
  /** The one that is shown, counted from 0. */
  page: z.int().nonnegative(),
  /** Whether it has a colour profile. */
  profile: z.boolean(),
  /** Colour space as stored, in libvips' words: `srgb`, `cmyk`, `b-w` … */
  space: z.string(),
  svg: z.boolean(),
  /** A JPEG that is read line by line, and made smaller while it is read, in little memory. */
  baseline: z.boolean(),
  /** Dots per inch to render an SVG at, so that it comes out in `width` and `height`; 72 is its own size. */
  density: z.number(),
});
export type ImageFacts = z.infer<typeof ImageFacts>;

/** What a file really is, whatever its name and the server say. */
export const FileFacts = z.object({
  /** Content type without parameters. */
  type: z.string(),
  /** Usual file name extension, without a dot. */
  extension: z.string(),
  bytes: z.int().nonnegative(),
  image: ImageFacts.optional(),
  movie: MovieFacts.optional(),
  damage: z.string().optional(),
  /** Of an APNG or a sequence of AVIF, of which libvips knows one at most. */
  frames: z.int().optional(),
});
export type FileFacts = z.infer<typeof FileFacts>;

/** Pixels; 0 or null where a record does not say. */
export type RecordedSize = Record<"width" | "height", number | null>;

/** What is known of a file beside its bytes. */
export interface Hints {
  /** Content type of the answer, without parameters. */
  said?: string | undefined;
  recorded?: RecordedSize | undefined;
}

const jpeg = "image/jpeg";
/** Types that sharp decodes; the others of `image/…` are recognised only. */
const decodable = /^image\/(?:jpeg|png|gif|webp|tiff|avif|svg\+xml)$/;

/** Longest side that an SVG is rendered at: its own size can be anything. */
const svgSide = 4096;
/** An SVG above this is no drawing; parsing it would take memory out of proportion. */
const svgBytes = 32 << 20;

/**
 * What a file is: its type by `fileTypeOf`, and for pictures the upright size, pages and colours from the header. Only
 * decoding tells whether the rest is whole.
 */
export async function inspectFile(path: string, hints: Hints = {}): Promise<FileFacts> {
  const { ends, bytes } = await readEnds(path);
  const known = { ...fileTypeOf(ends, hints.said), bytes };
  const frames = framesIn(ends.head, known.type);
  const facts = { ...known, frames, image: undefined, damage: undefined };
  if (!decodable.test(facts.type)) return facts;
  try {
    const svg = facts.type === "image/svg+xml";
    if (svg && facts.bytes > svgBytes) return { ...facts, damage: "an SVG of more than 32 MiB" };
    const image = await readHeader(await sharpInput(path, svg), svg, hints);
    const { frames } = facts;
    return { ...facts, image: frames ? { ...image, animated: true, pages: frames } : image };
  } catch (error) {
    return { ...facts, damage: reasonOf(error) };
  }
}

/** How many frames an APNG or a sequence of AVIF says that it has; undefined for other files. */
function framesIn(head: Buffer, type: string): number | undefined {
  const known = { "image/png": ["acTL", 4], "image/avif": ["stsz", 12] } as const;
  const [box, behind] = known[type as keyof typeof known] ?? [];
  const at = box === undefined ? -1 : head.indexOf(box);
  const pixels = head.indexOf("IDAT");
  if (box === undefined || at === -1 || (pixels !== -1 && pixels < at)) return undefined;
  const frames = at + behind + 4 <= head.length ? head.readUInt32BE(at + behind) : 1;
  return frames > 1 ? frames : undefined;
}

/** The type and size of a file, by its ends. @throws the file system's own error */
export async function identifyFile(path: string, said?: string) {
  const { ends, bytes } = await readEnds(path);
  return { ...fileTypeOf(ends, said), bytes };
}

/** Whether a file is empty or nothing but zeros, like one that was given its size and never written. */
export async function isBlank(path: string): Promise<boolean> {
  for await (const piece of createReadStream(path)) {
    if ((piece as Buffer).some((byte) => byte !== 0)) return false;
  }
  return true;
}

/** What to hand to sharp: a path, read piece by piece. An SVG goes in as bytes: from a path, it could pull in others. */
export async function sharpInput(path: string, svg: boolean): Promise<string | Buffer> {
  return svg ? readFile(path) : path;
}

/** The first thing that libvips said, on one line, without the names of files. */
export function reasonOf(error: unknown): string {
  const lines = (error instanceof Error ? error.message : String(error)).split("\n");
  const line =
    lines.find((text) => text.trim() !== "" && !/bad seek/.test(text)) ?? "unknown error";
  // A message can quote the file.
  return line
    .slice(0, 300)
    .replace(/^Input (?:buffer|file)\b/i, "the file")
    .replace(/\S*[/\\]\S+: ?/g, "")
    .trim();
}

/** Pages whose sizes are looked at. */
const maxPages = 32;

async function readHeader(input: string | Buffer, svg: boolean, { recorded }: Hints) {
  const headerOf = (page: number) => sharp(input, { page, limitInputPixels: false }).metadata();
  let header = await headerOf(0);
  let page = 0;
  const { pages = 1 } = header;
  if (header.format === "tiff" && recorded?.width) {
    for (let at = 1; at < Math.min(pages, maxPages) && !isOfSize(header, recorded); at++) {
      const other = await headerOf(at);
      if (isOfSize(other, recorded)) [header, page] = [other, at];
    }
  }
  const { width, height } = header.autoOrient;
  const factor = svg ? Math.min(1, svgSide / Math.max(width, height)) : 1;
  return {
    width: Math.max(1, Math.round(width * factor)),
    height: Math.max(1, Math.round(height * factor)),
    turned: (header.orientation ?? 1) > 1,
    place: namesPlace(header),
    animated: pages > 1 && header.format !== "tiff",
    pages,
    page,
    profile: header.hasProfile,
    space: header.space,
    svg,
    // Of a progressive one, the decoder holds every coefficient: 3 to 6 bytes a pixel.
    baseline: header.format === "jpeg" && header.isProgressive !== true,
    density: Math.max(1, 72 * factor),
  };
}

/** Some services give the sides as they are stored, before the orientation is applied. */
function isOfSize({ width, height }: Metadata, recorded: RecordedSize): boolean {
  const sides = [recorded.width, recorded.height];
  return sides.includes(width) && sides.includes(height);
}

async function readEnds(path: string): Promise<{ ends: Ends; bytes: number }> {
  return await withHandle(path, "r", async (file) => {
    const { size } = await file.stat();
    const head = await readAt(file, 0, endBytes);
    const tail = await readAt(file, Math.max(0, size - endBytes), endBytes);
    return { ends: { head, tail }, bytes: size };
  });
}

/** A file whose last bytes are not all zeros was written to its end. */
const tailBytes = 16;

/**
 * Whether a file is a JPEG whose picture breaks off into zeros: a file that was given its size in advance and not
 * written to its end. The decoder takes the zeros for pixels, but every JPEG has an end-of-image marker behind its
 * first scan (ITU T.81, B.2.1). Zeros behind that marker are padding.
 */
export async function isUnwritten(path: string): Promise<boolean> {
  const { ends } = await readEnds(path);
  if (ends.tail.subarray(-tailBytes).some((byte) => byte !== 0)) return false;
  if (fileTypeOf(ends, undefined).type !== jpeg) return false;
  return withoutMetadata(await readFile(path), jpeg, "all") === undefined;
}
