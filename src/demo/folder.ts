import { readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { z } from "zod";
import { ConfigError } from "../errors.ts";
import { Collection } from "./collection.ts";
import { listFiles } from "./folder-files.ts";
import type { Article, BodyLinks, Content, Gallery, MediaFile } from "./model.ts";
import { slugOf } from "./prose/story.ts";
import { mix, textKey, uuidOf } from "./random.ts";

const Line = z.looseObject({
  title: z.string(),
  slug: z.string().min(1),
  summary: z.string().default(""),
  date: z.string(),
  topics: z.array(z.string().min(1)).default([]),
  html: z.string().default(""),
});
type Line = z.infer<typeof Line>;

const Topic = z.looseObject({ slug: z.string().min(1), title: z.string() });

const GalleryEntry = z.looseObject({
  title: z.string(),
  slug: z.string().min(1).optional(),
  date: z.string().optional(),
  images: z.array(z.string()),
});
type GalleryEntry = z.infer<typeof GalleryEntry>;

/**
 * Content from a folder of somebody's own material:
 *
 * - `articles.ndjson` (required): an object a line, `{ title, slug, summary, date, topics: [slug],
 *   html }`. Dates are ISO 8601 or "2010-10-22 11:33:15 -0400"; without an offset they are UTC.
 *   The first topic is the category, all of them are tags. A link to a path that ends in the slug
 *   of another article leads to that article; all others stay as they are.
 * - `topics.json`: `[{ slug, title }]`, titles for the topics. Others are named after their slug.
 * - image files anywhere below (jpg, jpeg, png, webp, gif, tif, tiff, avif, svg). They are spread
 *   over two thirds of the articles, one to three each; those that cannot be read are listed with
 *   a size of 0 x 0. Those below a folder `private` are private images.
 * - `galleries.json`: `[{ title, slug, date, images: ["relative/path.jpg"] }]`, slug and date
 *   optional. Without this file every folder that holds images is a gallery.
 * - video files (mp4, m4v, webm, mov), audio files (mp3, wav, ogg, m4a, flac) and PDFs anywhere
 *   below, attached to one article each.
 *
 * Ids and order depend on slugs and paths only. Throws a ConfigError that names file and line.
 */
export async function loadContent(dir: string): Promise<Content> {
  const lines = await readLines(join(dir, "articles.ndjson"));
  const topicTitles = new Map(
    (await readList(join(dir, "topics.json"), Topic))?.map(({ slug, title }) => [slug, title]),
  );
  const galleryFile = join(dir, "galleries.json");
  const entries = await readList(galleryFile, GalleryEntry);
  const newest = Math.max(0, ...lines.map(({ time }) => time));
  const organisationId = uuidOf("organisation");
  const { images, videos, documents, audio } = await listFiles(dir, organisationId, newest);

  const topics = [...new Set(lines.flatMap(({ line }) => line.topics))];
  const titleOf = (slug: string): string => topicTitles.get(slug) ?? titled(slug);
  const general = { id: uuidOf("category:"), title: "General", slug: "general", order: 0 };
  const categories = [...new Set(lines.flatMap(({ line }) => line.topics.slice(0, 1)))].map(
    (slug, order) => ({ id: uuidOf(`category:${slug}`), title: titleOf(slug), slug, order }),
  );
  if (lines.some(({ line }) => line.topics.length === 0)) {
    categories.push({ ...general, order: categories.length });
  }

  const viewSlugs = new Set(lines.map(({ line }) => line.slug));
  const shares = shareOut(images.length, lines.length);
  const attached = (files: MediaFile[], at: number): string[] =>
    files.filter((_, k) => (k * 7 + 3) % lines.length === at).map(({ id }) => id);
  const seen = new Map<string, number>();
  const articles = lines.map(({ line, time }, at): Article => {
    const repeated = seen.get(line.slug) ?? 0;
    seen.set(line.slug, repeated + 1);
    const votes = mix(textKey(line.slug), 3) % 80;
    return {
      id: uuidOf(`article:${line.slug}${repeated ? `:${repeated}` : ""}`),
      organisationId,
      title: line.title,
      slug: line.slug,
      synopsis: line.summary,
      publishedAt: time,
      createdAt: time,
      categoryId: line.topics[0] ? uuidOf(`category:${line.topics[0]}`) : general.id,
      tags: [...new Set(line.topics)],
      images: images.slice(shares[at], shares[at + 1]).map(({ image }) => image.id),
      videos: attached(videos, at),
      documents: attached(documents, at),
      audio: attached(audio, at),
      rating: { average: votes ? 1 + (votes % 41) / 10 : 0, count: votes },
      body: (links) => relinked(line.html, viewSlugs, links),
    };
  });

  const byPath = new Map(images.map(({ path, image }) => [path, image.id]));
  const galleries: Gallery[] = (entries ?? foldersOf(images.map(({ path }) => path))).map(
    (entry, at) => ({
      id: uuidOf(`gallery:${entry.slug ?? entry.title}:${at}`),
      organisationId,
      title: entry.title,
      slug: entry.slug ?? (slugOf(entry.title) || `gallery-${at + 1}`),
      ...galleryTimes(entry, newest, `${galleryFile}: entry ${at + 1}`),
      tags: [],
      images: entry.images.map((path) => {
        const id = byPath.get(path.replace(/^\.\//, ""));
        if (id) return id;
        throw new ConfigError(`${galleryFile}: entry ${at + 1}: there is no image ${path}`);
      }),
      videos: [],
      audio: [],
    }),
  );

  return {
    organisationId,
    articles: new Collection(articles, (one) => one.publishedAt),
    neighbours: new Collection<Article>([], (one) => one.publishedAt),
    galleries: new Collection(galleries, (one) => one.publishedAt),
    images: new Collection(
      images.map(({ image }) => image),
      (one) => one.createdAt,
    ),
    videos: new Collection(videos, (one) => one.createdAt),
    documents: new Collection(documents, (one) => one.createdAt),
    audio: new Collection(audio, (one) => one.createdAt),
    categories,
    tags: topics.map((slug) => ({
      slug,
      title: titleOf(slug),
      organisationId,
      createdAt: Math.min(...lines.filter(({ line }) => line.topics.includes(slug)).map(timeOf)),
      productsCount: 0,
    })),
  };
}

interface Dated {
  line: Line;
  time: number;
}

const timeOf = ({ time }: Dated): number => time;

async function readLines(file: string): Promise<Dated[]> {
  const text = await readFile(file, "utf8").catch((cause: unknown) => {
    throw new ConfigError(`${file}: cannot be read`, { cause });
  });
  return text.split("\n").flatMap((raw, at) => {
    if (raw.trim() === "") return [];
    const where = `${file}: line ${at + 1}`;
    const line = parsed(raw, Line, where);
    return [{ line, time: parseDate(line.date, where) }];
  });
}

/** The entries of a JSON file; undefined if there is no such file. */
async function readList<T>(file: string, entry: z.ZodType<T>): Promise<T[] | undefined> {
  const text = await readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return undefined;
    throw new ConfigError(`${file}: cannot be read`, { cause: error });
  });
  return text === undefined ? undefined : parsed(text, z.array(entry), file);
}

function parsed<T>(text: string, schema: z.ZodType<T>, where: string): T {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new ConfigError(`${where}: not valid JSON`, { cause });
  }
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  throw new ConfigError(`${where}: ${issue?.path.join(".")}: ${issue?.message}`, {
    cause: result.error,
  });
}

/** Milliseconds of "2010-10-22 7:33:15 -0400", "2010-10-22" or ISO 8601. */
function parseDate(text: string, where: string): number {
  const pattern =
    /^(\d{4}-\d\d-\d\d)(?:[T ]+(\d{1,2}):(\d\d)(?::(\d\d(?:\.\d+)?))?\s*(Z|[+-]\d\d:?\d\d)?)?$/i;
  const [, day, hours = "00", minutes = "00", seconds = "00", zone = "Z"] =
    pattern.exec(text.trim()) ?? [];
  const offset = zone.replace(/^([+-]\d\d)(\d\d)$/, "$1:$2").toUpperCase();
  const time = Date.parse(`${day}T${hours.padStart(2, "0")}:${minutes}:${seconds}${offset}`);
  if (day === undefined || Number.isNaN(time)) {
    throw new ConfigError(`${where}: date: expected a date and time, got "${text}"`);
  }
  return time;
}

/** Where the images of each article begin, and behind the last entry, where they end. */
function shareOut(images: number, articles: number): number[] {
  const starts = [0];
  for (let at = 0; at < articles; at += 1) {
    const wanted = at % 3 === 2 ? 0 : 1 + (mix(at, 41) % 3);
    starts.push(Math.min(images, (starts[at] ?? 0) + wanted));
  }
  return starts;
}

/** A gallery for every folder that holds images, apart from the top one. */
function foldersOf(paths: string[]): GalleryEntry[] {
  const folders = new Map<string, string[]>();
  for (const path of paths) {
    const folder = path.includes("/") ? path.slice(0, path.lastIndexOf("/")) : "";
    if (folder !== "") folders.set(folder, [...(folders.get(folder) ?? []), path]);
  }
  return [...folders].map(([folder, images]) => {
    return { title: titled(basename(folder)), slug: slugOf(folder) || undefined, images };
  });
}

function galleryTimes(entry: GalleryEntry, newest: number, where: string) {
  const time = entry.date === undefined ? newest : parseDate(entry.date, where);
  return { publishedAt: time, createdAt: time };
}

/** The HTML with links to known articles leading to their pages here. */
function relinked(html: string, slugs: ReadonlySet<string>, links: BodyLinks): string {
  return html.replace(/(<a\b[^>]*?\bhref=")([^"]*)(")/gi, (whole, start, url, end) => {
    const slug = /([^/?#]+)\/?(?:[?#].*)?$/.exec(url)?.[1];
    const path = /^(?:https?:)?\/\/[^/]+\/|^\//.test(url);
    if (!path || slug === undefined || !slugs.has(slug)) return whole;
    return start + links.view("articles", slug) + end;
  });
}

function titled(slug: string): string {
  const words = slug.replace(/[-_]+/g, " ").trim();
  return words.charAt(0).toUpperCase() + words.slice(1);
}
