import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import sharp from "sharp";
import { Collection } from "../../src/demo/collection.ts";
import { uuids } from "../../src/demo/ids.ts";
import type { Article, Content, Gallery, Image, MediaFile } from "../../src/demo/model.ts";
import type { Origin } from "../../src/demo/origin.ts";

/** An object of any endpoint, as far as the tests look at it. */
export interface Item {
  id: string;
  title: string;
  slug: string;
  body: string;
  published_at: string;
  category: { id: string | null; title: string };
  tags: string[];
  attachments: Record<string, number>;
  links: { view: string; thumbnail: unknown; web: string; download: string };
  dimensions: { width: number; height: number };
  filesize: number;
  mime_type: string;
  articles_count: number;
  is_private?: boolean;
}

/** A page of an index; `message` instead in errors. */
export interface Page {
  data: Item[];
  links: Record<"first" | "last" | "prev" | "next", string | null>;
  meta: {
    from: number | null;
    last_page: number;
    per_page: number | string;
    total: number;
    links: { url: string | null; label: string; active: boolean }[];
  };
  message?: string;
}

interface Answer<T> {
  status: number;
  headers: Headers;
  text: string;
  json: T;
}

/** Answer of the API to a path below the base path (or a full URL), with the organisation token. */
export async function ask<T = Page>(
  origin: Origin,
  path: string,
  token: string | null = origin.tokens.organisation,
): Promise<Answer<T>> {
  const url = path.startsWith("http") ? path : origin.baseUrl + path;
  const headers: Record<string, string> =
    token === null ? {} : { Authorization: `Bearer ${token}` };
  const response = await fetch(url, { headers });
  const text = await response.text();
  const json = response.headers.get("content-type")?.includes("json") ? JSON.parse(text) : {};
  return { status: response.status, headers: response.headers, text, json };
}

/** The object of a single response. */
export async function askOne(origin: Origin, path: string): Promise<Item> {
  return (await ask<{ data: Item }>(origin, path)).json.data;
}

/** All items of an index, following links.next. */
export async function walk(from: Origin, path: string, token?: string): Promise<Item[]> {
  const items: Item[] = [];
  let next: string | null = from.baseUrl + path;
  while (next) {
    const { json }: Answer<Page> = await ask(from, next, token);
    items.push(...json.data);
    next = json.links.next;
  }
  return items;
}

/** Bytes behind a signed URL. */
export async function bytesOf(
  url: string,
): Promise<{ status: number; type: string; body: Buffer }> {
  const response = await fetch(url);
  const body = Buffer.from(await response.arrayBuffer());
  return { status: response.status, type: response.headers.get("content-type") ?? "", body };
}

/** Size of an image in pixels, as a viewer shows it. */
export async function sizeOf(body: Buffer): Promise<[number, number]> {
  const { autoOrient } = await sharp(body).metadata();
  return [autoOrient.width, autoOrient.height];
}

/** A new folder for one test file, and how to remove it. */
export async function temporaryDir(): Promise<{ dir: string; remove: () => Promise<void> }> {
  const dir = await mkdtemp(join(tmpdir(), "stillpress-test-"));
  return { dir, remove: () => rm(dir, { recursive: true, force: true }) };
}

/** Content by hand: what a test needs and nothing else. */
export function smallContent(parts: {
  articles?: Partial<Article>[];
  neighbours?: Partial<Article>[];
  images?: Image[];
}): Content {
  const organisationId = uuids("organisation", 0, 0);
  const categoryId = (index: number) => uuids("category", 0, index);
  const article = (kind: string, index: number, fields: Partial<Article>): Article => ({
    id: uuids(kind, 0, index),
    organisationId,
    title: `Article ${index}`,
    slug: `article-${index}`,
    synopsis: "",
    publishedAt: Date.UTC(2024, 0, 100 - index),
    createdAt: 0,
    categoryId: categoryId(0),
    tags: [],
    images: [],
    videos: [],
    documents: [],
    audio: [],
    rating: { average: 4.5, count: 2 },
    body: "<p>Text.</p>",
    ...fields,
  });
  const list = (kind: string, given: Partial<Article>[] = []) =>
    new Collection(given.map((fields, index) => article(kind, index, fields)));
  return {
    articles: list("article", parts.articles),
    neighbours: list("neighbour", parts.neighbours),
    galleries: new Collection<Gallery>([]),
    images: new Collection(parts.images ?? []),
    videos: new Collection<MediaFile>([]),
    documents: new Collection<MediaFile>([]),
    audio: new Collection<MediaFile>([]),
    categories: ["One", "Two"].map((title, order) => {
      return { id: categoryId(order), title, slug: title.toLowerCase(), order };
    }),
    tags: [],
  };
}

/**
 * A 400 x 200 picture, red, green and blue from left to right: 100, 200 and 100 pixels wide.
 * Stored upright, or turned by a quarter with an EXIF orientation of 6.
 */
export async function stripes(turned: boolean): Promise<Buffer> {
  const band = (left: number, width: number, background: string) => ({
    input: { create: { width, height: 200, channels: 3 as const, background } },
    left,
    top: 0,
  });
  const upright = await sharp({
    create: { width: 400, height: 200, channels: 3, background: "#000000" },
  })
    .composite([band(0, 100, "#ff0000"), band(100, 200, "#00ff00"), band(300, 100, "#0000ff")])
    .png()
    .toBuffer();
  if (!turned) return upright;
  return sharp(upright).rotate(270).withMetadata({ orientation: 6 }).png().toBuffer();
}

/** An image record around some bytes. */
export function imageOf(index: number, body: Buffer, fields: Partial<Image> = {}): Image {
  return {
    id: uuids("image", 0, index),
    organisationId: uuids("organisation", 0, 0),
    title: `Image ${index}`,
    caption: "",
    width: 400,
    height: 200,
    filesize: body.length,
    mime: "image/png",
    meta: {},
    private: false,
    createdAt: Date.UTC(2024, 0, 1) - index,
    read: async () => body,
    ...fields,
  };
}
