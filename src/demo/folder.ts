import { existsSync, statSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { basename, dirname, extname, join } from "node:path";
import glob from "fast-glob";
import { lookup } from "mrmime";
import sharp from "sharp";
import { z } from "zod";
import { ConfigError } from "../errors.ts";
import { largest, smallest } from "../lib/many.ts";
import { mix } from "../lib/random.ts";
import { Collection } from "./collection.ts";
import { textKey, uuidOf } from "./ids.ts";
import type { Article, BodyLinks, Content, FileKind, Gallery, Image, MediaFile } from "./model.ts";
import { slugOf } from "./prose/story.ts";

/** A date as "2010-10-22 7:33:15 -0400", "2010-10-22" or ISO 8601, in milliseconds. Without an offset, it is UTC. */
const Time = z.string().transform((text, context) => {
  const pattern =
    /^(\d{4}-\d\d-\d\d)(?:[T ]+(\d{1,2}):(\d\d)(?::(\d\d(?:\.\d+)?))?\s*(Z|[+-]\d\d:?\d\d)?)?$/i;
  const [, day, hours = "00", minutes = "00", seconds = "00", zone = "Z"] =
    pattern.exec(text.trim()) ?? [];
  const offset = zone.replace(/^([+-]\d\d)(\d\d)$/, "$1:$2").toUpperCase();
  const time = Date.parse(`${day}T${hours.padStart(2, "0")}:${minutes}:${seconds}${offset}`);
  if (Number.isNaN(time)) context.addIssue(`expected a date and time, got "${text}"`);
  return time;
});

const Line = z.looseObject({
  title: z.string(),
  slug: z.string().min(1),
  summary: z.string().default(""),
  date: Time,
  topics: z.array(z.string().min(1)).default([]),
  html: z.string().default(""),
});
type Line = z.infer<typeof Line>;

const GalleryEntry = z.looseObject({
  title: z.string(),
  slug: z.string().min(1).optional(),
  date: Time.optional(),
  images: z.array(z.string()),
});
type GalleryEntry = z.infer<typeof GalleryEntry>;

const organisationId = uuidOf("organisation");

/**
 * Content from a folder, as the README describes it. The first topic of an article is its category, all of them are
 * tags. A link to a path that ends in the slug of another article leads to that article. Images are spread over two
 * thirds of the articles, one to three each; videos, audio files and PDFs are attached to one article each.
 * `galleries.json` is `[{ title, slug, date, images: ["relative/path.jpg"] }]`, slug and date optional. Without this
 * file every folder that holds images is a gallery.
 *
 * Ids and order depend on slugs and paths only. Throws a ConfigError that names file and line.
 */
export async function loadContent(dir: string): Promise<Content> {
  const articlesFile = join(dir, "articles.ndjson");
  const texts = (await read(articlesFile)).split("\n");
  const lines = texts.flatMap((line, at) =>
    line.trim() === "" ? [] : parsed(line, Line, `${articlesFile}: line ${at + 1}`),
  );
  const newest = largest([0, ...lines.map(({ date }) => date)]);
  const images = await imagesIn(dir, newest);
  const files = {
    videos: await filesIn(dir, "videos", newest),
    documents: await filesIn(dir, "documents", newest),
    audio: await filesIn(dir, "audio", newest),
  };
  return {
    articles: new Collection(articlesOf(lines, images, files)),
    neighbours: new Collection<Article>(),
    galleries: new Collection(await galleriesOf(join(dir, "galleries.json"), images, newest)),
    images: new Collection(images),
    videos: new Collection<MediaFile>(files.videos),
    documents: new Collection<MediaFile>(files.documents),
    audio: new Collection<MediaFile>(files.audio),
    categories: categoriesOf(lines),
    tags: [...new Set(lines.flatMap((line) => line.topics))].map((slug) => {
      const dates = lines.filter((line) => line.topics.includes(slug)).map(({ date }) => date);
      const createdAt = smallest(dates);
      return { slug, title: titled(slug), createdAt, productsCount: 0 };
    }),
  };
}

function categoriesOf(lines: Line[]) {
  const firsts = new Set(lines.map(({ topics }) => topics[0] ?? ""));
  // Articles without topics are in the last one.
  const topics = firsts.delete("") ? [...firsts, ""] : [...firsts];
  return topics.map((topic, order) => {
    const slug = topic || "general";
    return { id: uuidOf(`category:${topic}`), title: titled(slug), slug, order };
  });
}

function articlesOf(lines: Line[], images: Image[], files: Record<FileKind, MediaFile[]>) {
  const slugs = new Set(lines.map(({ slug }) => slug));
  const seen = new Map<string, number>();
  let firstImage = 0;
  return lines.map((line, at): Article => {
    const { slug, date, topics } = line;
    const repeated = seen.get(slug) ?? 0;
    seen.set(slug, repeated + 1);
    const votes = mix(textKey(slug), 3) % 80;
    const attached = (kind: FileKind): string[] =>
      files[kind].filter((_, n) => (n * 7 + 3) % lines.length === at).map(({ id }) => id);
    const first = firstImage;
    firstImage += at % 3 === 2 ? 0 : 1 + (mix(at, 41) % 3);
    return {
      id: uuidOf(`article:${slug}${repeated ? `:${repeated}` : ""}`),
      organisationId,
      title: line.title,
      slug,
      synopsis: line.summary,
      publishedAt: date,
      createdAt: date,
      categoryId: uuidOf(`category:${topics[0] ?? ""}`),
      tags: [...new Set(topics)],
      images: images.slice(first, firstImage).map(({ id }) => id),
      videos: attached("videos"),
      documents: attached("documents"),
      audio: attached("audio"),
      rating: { average: votes ? 1 + (votes % 41) / 10 : 0, count: votes },
      body: (links) => relinked(line.html, slugs, links),
    };
  });
}

/** The galleries that the file describes; without it, each folder with images is one. */
async function galleriesOf(file: string, images: Image[], newest: number): Promise<Gallery[]> {
  const idsByPath = new Map(images.map(({ id, meta }) => [meta.file ?? "", id]));
  const entries = existsSync(file)
    ? parsed(await read(file), z.array(GalleryEntry), file)
    : foldersOf([...idsByPath.keys()]);
  return entries.map(({ title, slug, date = newest, images: paths }, at) => ({
    id: uuidOf(`gallery:${slug ?? title}:${at}`),
    organisationId,
    title,
    slug: slug ?? (slugOf(title) || `gallery-${at + 1}`),
    publishedAt: date,
    createdAt: date,
    tags: [],
    images: paths.map((path) => {
      const id = idsByPath.get(path.replace(/^\.\//, ""));
      if (id) return id;
      throw new ConfigError(`${file}: entry ${at + 1}: there is no image ${path}`);
    }),
    videos: [],
    audio: [],
  }));
}

function foldersOf(paths: string[]): GalleryEntry[] {
  const folders = new Set(paths.map((path) => dirname(path)));
  folders.delete(".");
  return [...folders].map((folder) => {
    const images = paths.filter((path) => dirname(path) === folder);
    return { title: titled(basename(folder)), slug: slugOf(folder) || undefined, images };
  });
}

async function read(file: string): Promise<string> {
  return await readFile(file, "utf8").catch((cause: unknown) => {
    throw new ConfigError(`${file}: cannot be read`, { cause });
  });
}

function parsed<T>(text: string, schema: z.ZodType<T>, where: string): T {
  try {
    return schema.parse(JSON.parse(text));
  } catch (cause) {
    const issue = cause instanceof z.ZodError ? cause.issues[0] : undefined;
    const what = issue ? `${issue.path.join(".")}: ${issue.message}` : "not valid JSON";
    throw new ConfigError(`${where}: ${what}`, { cause });
  }
}

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

const extensions = {
  images: ["jpg", "jpeg", "png", "webp", "gif", "tif", "tiff", "avif", "svg"],
  videos: ["mp4", "m4v", "webm", "mov"],
  documents: ["pdf"],
  audio: ["mp3", "wav", "ogg", "m4a", "flac"],
} as const;

/**
 * The files of a kind below a folder; links are not followed. Copies lose their times, so each file counts as created an
 * hour before the one ahead of it, starting at `newest` (milliseconds).
 */
async function filesIn(dir: string, kind: keyof typeof extensions, newest: number) {
  const paths = await glob(`**/*.@(${extensions[kind].join("|")})`, {
    cwd: dir,
    caseSensitiveMatch: false,
    followSymbolicLinks: false,
  });
  // By code units, so that the order is the same in every locale.
  paths.sort((a, b) => (a < b ? -1 : 1));
  return paths.map((path, at) => {
    const name = basename(path, extname(path)).replace(/[-_]+/g, " ").trim();
    return {
      path,
      id: uuidOf(`file:${path}`),
      organisationId,
      title: name === "" ? basename(path) : name,
      caption: "",
      filesize: statSync(join(dir, path)).size,
      mime: lookup(path.toLowerCase()) ?? "application/octet-stream",
      createdAt: newest - at * 3600_000,
      seconds: null,
      read: () => readFile(join(dir, path)),
    };
  });
}

/** `meta.file` is the path; images below `private` are private. */
async function imagesIn(dir: string, newest: number): Promise<Image[]> {
  const images: Image[] = [];
  for (const { path, ...file } of await filesIn(dir, "images", newest)) {
    const size = await sizeOf(file);
    images.push({ ...file, ...size, meta: { file: path }, private: path.startsWith("private/") });
  }
  return images;
}

/** Of the upright picture; 0 x 0 if it is none. */
async function sizeOf({ read }: Pick<Image, "read">) {
  try {
    // From memory: an SVG that is read from a file could pull in its neighbours.
    const { autoOrient } = await sharp(await read()).metadata();
    return { width: autoOrient.width, height: autoOrient.height };
  } catch {
    return { width: 0, height: 0 };
  }
}
