import { type GenerateOptions, generateContent as generate } from "../../src/demo/content.ts";
import { type IdForm, uuids } from "../../src/demo/ids.ts";
import type { Content, Image } from "../../src/demo/model.ts";
import type { Personality } from "../../src/demo/options.ts";
import { hardArticles } from "./hard-articles.ts";

interface HardOptions extends Omit<GenerateOptions, "instead"> {
  /** Without it, there are no articles that are hard to render. */
  hardArticles?: boolean;
  /** Some originals cannot be decoded, and two files are missing. */
  brokenFiles?: boolean;
  /** One article in eight has no category. */
  uncategorised?: boolean;
}

/** The demo's content, with what every grown archive has beside it. */
export async function generateContent(options: HardOptions): Promise<Content> {
  const { hardArticles: isHard = true, brokenFiles, uncategorised, ...usual } = options;
  const content = await generate({
    ...usual,
    ...(isHard && { instead: hardArticles }),
  });
  if (brokenFiles) breakSome(content.images);
  const document = content.documents.at(0);
  if (brokenFiles && document) content.documents.edit(document.id, { absent: 410 });
  for (const [at, { id }] of [...content.articles].entries()) {
    if (uncategorised && at % 8 === 3) content.articles.edit(id, { categoryId: "" });
  }
  return content;
}

/**
 * Ids that are no UUIDs in lower case: the document promises UUIDs for some kinds, in whatever spelling, and says only
 * "string" for images and files. Two images at a time differ in case alone ("IMG_0007.b", "img_0007.B"). Files of every
 * kind are numbered from 1, so that a video and a document share an id.
 */
export const mixedIds: IdForm = (kind, seed, index) => {
  const uuid = uuids(kind, seed, index);
  if (kind === "article") return uuid.replaceAll("-", "");
  if (kind === "gallery") return uuid.replaceAll("-", "").slice(0, 24);
  if (kind === "organisation" || kind === "category") return uuid.toUpperCase();
  if (kind !== "image") return String(index + 1);
  const number = String(index >> 1).padStart(4, "0");
  return index % 2 === 0 ? `IMG_${number}.b` : `img_${number}.B`;
};

/** What the content of each personality's origin is like. */
export const generated: Record<Personality, Partial<HardOptions>> = {
  plain: { hardArticles: false },
  odd: {},
  strict: { brokenFiles: true, idOf: mixedIds, batch: 30, uncategorised: true },
};

/**
 * Breaks some of the first pictures, as in every grown archive: an upload that was cut short, two types that few decoders
 * know, a record without a file. Sizes in bytes are true; a type that the service could not read has no dimensions.
 */
function breakSome(images: Content["images"]): void {
  for (const [at, image] of [...images].entries()) {
    // Later images show the first hundred pictures again.
    const change = broken[at % 100]?.(image);
    if (change !== undefined) images.edit(image.id, change);
  }
}

/** How pictures are broken, by their place. */
const broken: Record<number, (image: Image) => Partial<Image>> = {
  1({ filesize: whole, read }) {
    const filesize = Math.floor(whole * 0.6);
    return { filesize, read: async () => (await read()).subarray(0, filesize) };
  },
  2: () => ({ ...bitmap, mime: "image/bmp", width: 48, height: 32 }),
  4: () => ({ ...heic, mime: "image/heic", width: 0, height: 0 }),
  5: () => ({ absent: 404 }),
};

function fileOf(...parts: Buffer[]): Pick<Image, "filesize" | "read"> {
  const bytes = Buffer.concat(parts);
  return { filesize: bytes.length, read: async () => bytes };
}

/** 48 x 32 grey pixels of 24 bits. */
const bitmap = fileOf(
  Buffer.from("424d361200000000000036000000280000003000000020000000010018000000", "hex"),
  Buffer.alloc(22),
  Buffer.alloc(48 * 32 * 3, 0x80),
);

/** The head of a photograph, and nothing to decode. */
const heic = fileOf(
  Buffer.from("\0\0\0\x18ftypheic\0\0\0\0mif1heic", "latin1"),
  Buffer.alloc(4096, "not a picture "),
);
