import sharp from "sharp";
import { Collection } from "../../src/demo/collection.ts";
import type { Article, Content, Gallery, Image, MediaFile } from "../../src/demo/model.ts";

/** What a scenario puts into an origin by hand; everything else is empty. */
export interface Made {
  articles?: readonly Article[];
  galleries?: readonly Gallery[];
  images?: readonly Image[];
  documents?: readonly MediaFile[];
  categories?: Content["categories"];
  tags?: Content["tags"];
}

const organisationId = idOf("organisation", 0);
const hour = 3_600_000;
const start = Date.UTC(2024, 0, 1);

/** An id in the form of a UUID: the kind's letters and the number can be read in it. */
export function idOf(kind: string, number: number): string {
  const letters = Buffer.from(kind.padEnd(4)).toString("hex").slice(0, 8);
  return `${letters}-0000-4000-8000-${String(number).padStart(12, "0")}`;
}

/** Time of the item with a number: larger numbers are older, an hour each, so that 0 stands on top. */
export function timeOf(number: number): number {
  return start - number * hour;
}

/** An article of a line of text, without attachments. */
export function articleOf(number: number, more: Partial<Article> = {}): Article {
  return {
    id: idOf("article", number),
    organisationId,
    title: `Article ${number}`,
    slug: `article-${number}`,
    synopsis: `What article ${number} says`,
    publishedAt: timeOf(number),
    createdAt: timeOf(number),
    categoryId: idOf("category", 0),
    tags: [],
    images: [],
    videos: [],
    documents: [],
    audio: [],
    rating: { average: 0, count: 0 },
    body: `<p>Text of article ${number}.</p>`,
    ...more,
  };
}

export function galleryOf(number: number, more: Partial<Gallery> = {}): Gallery {
  return {
    id: idOf("gallery", number),
    organisationId,
    title: `Gallery ${number}`,
    slug: `gallery-${number}`,
    publishedAt: timeOf(number),
    createdAt: timeOf(number),
    tags: [],
    images: [],
    videos: [],
    audio: [],
    ...more,
  };
}

/** A picture of its own colour, 48 by 32 pixels, so that no two originals are the same file. */
export async function imageOf(number: number, more: Partial<Image> = {}): Promise<Image> {
  const background = { r: number & 255, g: (number >> 8) & 255, b: 90 };
  const bytes = await sharp({ create: { width: 48, height: 32, channels: 3, background } })
    .png()
    .toBuffer();
  return {
    id: idOf("image", number),
    organisationId,
    title: `Picture ${number}`,
    caption: `What picture ${number} shows`,
    width: 48,
    height: 32,
    filesize: bytes.length,
    mime: "image/png",
    meta: {},
    private: false,
    createdAt: timeOf(number),
    read: async () => bytes,
    ...more,
  };
}

/** A text file that an author attached. */
export function documentOf(
  number: number,
  content: string | Buffer,
  more: Partial<MediaFile> = {},
): MediaFile {
  const bytes = Buffer.from(content);
  return {
    id: idOf("document", number),
    organisationId,
    title: `Document ${number}`,
    caption: "",
    filesize: bytes.length,
    mime: "text/plain",
    createdAt: timeOf(number),
    seconds: null,
    read: async () => bytes,
    ...more,
  };
}

/** A tag of the organisation that the tokens belong to. */
export function tagOf(slug: string, title: string): Content["tags"][number] {
  return { slug, title, createdAt: start, productsCount: 0 };
}

/** The content as an origin serves it: every collection latest first. */
export function contentOf({
  articles = [],
  galleries = [],
  images = [],
  documents = [],
  categories = [{ id: idOf("category", 0), title: "News", slug: "news", order: 0 }],
  tags = [],
}: Made): Content {
  return {
    articles: new Collection(articles),
    neighbours: new Collection<Article>([]),
    galleries: new Collection(galleries),
    images: new Collection(images),
    videos: new Collection<MediaFile>([]),
    documents: new Collection(documents),
    audio: new Collection<MediaFile>([]),
    categories,
    tags,
  };
}
