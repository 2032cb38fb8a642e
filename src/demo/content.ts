import { breakSome } from "./broken-pictures.ts";
import { Collection } from "./collection.ts";
import { type Attached, createArticles, createNeighbours } from "./generated-articles.ts";
import { createGalleries, createImages } from "./generated-images.ts";
import { mixedIds } from "./mixed-ids.ts";
import { assemble, type Content, type FileKind, type MediaFile, type Tag } from "./model.ts";
import {
  defaultCacheDir,
  type Progress,
  prepareAudio,
  prepareCacheDir,
  prepareDocument,
  preparePictures,
  prepareVideo,
  type StoredFile,
  type Studio,
} from "./pictures.ts";
import { type Nasty, nastyAt } from "./prose/nasty.ts";
import { storyAt } from "./prose/story.ts";
import { categories, neighbourTags, tags } from "./prose/vocabulary.ts";
import { ids, mix } from "./random.ts";

export type { Content } from "./model.ts";

export interface GenerateOptions {
  /** Articles of the tokens' organisation; a tenth more belong to a neighbour. */
  articles: number;
  galleries: number;
  /** One in twenty is private. More than 300 share 200 pictures. */
  images: number;
  /** The same seed gives the same content, byte for byte. */
  seed: number;
  /** Files of each kind. Default: 6, 6 and 8 for 120 articles, fewer for fewer. */
  videos?: number;
  audio?: number;
  documents?: number;
  /** Include articles that the API document allows and that are hard to render. Default: yes. */
  hardArticles?: boolean;
  /** Some originals cannot be decoded, and two files are missing behind their records. Default: no. */
  brokenFiles?: boolean;
  /** UUIDs, or a form of its own for each kind of item, none of them a UUID in lower case. */
  idForms?: "uuid" | "mixed";
  /** One article in eight belongs to no category. Default: no. */
  uncategorised?: boolean;
  /** How many neighbours in a list share a time. Default: 1. */
  batch?: number;
  /** Where painted pictures are kept. Default: a folder of this user below the system's own. */
  cacheDir?: string;
  /** Told after each picture. */
  onProgress?: Progress;
}

/**
 * Content of a regional magazine, for a demonstration, a test or as load. Articles, galleries and
 * image records are made on demand from their index, so that 100,000 of them cost no memory;
 * pictures are painted before this resolves, or taken from the cache. Latest article: June 2025.
 */
export async function generateContent(options: GenerateOptions): Promise<Content> {
  const { articles, galleries, images, seed, batch = 1 } = options;
  const idsOf = options.idForms === "mixed" ? mixedIds : ids;
  const organisation = idsOf("organisation", seed);
  const organisationId = organisation.at(0);
  const studio: Studio = {
    dir: options.cacheDir ?? defaultCacheDir(seed),
    seed,
    onProgress: options.onProgress,
  };
  await prepareCacheDir(studio.dir);
  const painted = await preparePictures(images, studio);
  const pictures = options.brokenFiles ? breakSome(painted) : painted;
  const files = {
    videos: await makeFiles("videos", options.videos ?? share(articles, 20, 6), options, studio),
    audio: await makeFiles("audio", options.audio ?? share(articles, 20, 6), options, studio),
    documents: await makeFiles(
      "documents",
      options.documents ?? share(articles, 15, 8),
      options,
      studio,
    ),
  };
  const imageSource = createImages(images, pictures, { organisationId, seed, idsOf, batch });
  const categoryIds = idsOf("category", seed);
  const kinds = categories.map(([slug, title], order) => ({
    id: categoryIds.at(order),
    title,
    slug,
    order,
  }));
  const nasty = (options.hardArticles ?? true) ? nastyAt : new Map<number, Nasty>();
  const { uncategorised = false } = options;
  const shared = { seed, organisationId, idsOf, batch, nasty, uncategorised };
  const world = { ...shared, categories: kinds, images: imageSource, files };
  return assemble({
    organisationId,
    articles: new Collection(createArticles(articles, world), published),
    neighbours: new Collection(
      createNeighbours(Math.ceil(articles / 10), { ...world, organisationId: organisation.at(1) }),
      published,
    ),
    galleries: new Collection(createGalleries(galleries, world), published),
    images: new Collection(imageSource, created),
    videos: Collection.of<MediaFile>(files.videos, created),
    documents: Collection.of<MediaFile>(files.documents, created),
    audio: Collection.of<MediaFile>(files.audio, created),
    categories: kinds,
    tags: [
      ...tags.map((tag, index) => tagOf(tag, index, organisationId)),
      ...neighbourTags.map((tag, index) => tagOf(tag, index, organisation.at(1))),
    ],
  });
}

const published = (item: { publishedAt: number }): number => item.publishedAt;
const created = (item: { createdAt: number }): number => item.createdAt;

function share(articles: number, perFile: number, most: number): number {
  return Math.min(most, Math.ceil(articles / perFile));
}

function tagOf(
  [slug, title]: readonly [string, string],
  index: number,
  organisationId: string,
): Tag {
  const createdAt = Date.UTC(2020, 0, 15, 9, index * 7, index);
  return { slug, title, organisationId, createdAt, productsCount: index % 9 === 4 ? index : 0 };
}

/** What only some articles have, with the index of the article it belongs to. */
async function makeFiles(
  kind: FileKind,
  count: number,
  { articles, seed, idForms, brokenFiles }: GenerateOptions,
  studio: Studio,
): Promise<(MediaFile & Attached)[]> {
  const idsOf = idForms === "mixed" ? mixedIds : ids;
  const fileIds = idsOf(kind, seed);
  const files: (MediaFile & Attached)[] = [];
  for (let index = 0; index < count; index += 1) {
    const article = articles === 0 ? -1 : (index * 19 + kind.length) % articles;
    const { title, fill, subject } = storyAt(Math.max(0, article), seed);
    const seconds = 4 + (mix(seed, index, kind.length) % 5);
    const made = await makeFile(kind, index, seconds, studio, () => ({
      title,
      paragraphs: [...subject.openings, ...subject.paragraphs, ...subject.quotes].map((text) =>
        fill(text).replace(/<[^>]+>/g, ""),
      ),
      footer: "Supplement to the magazine",
    }));
    const names = {
      videos: [`Film: ${title}`, "A short film without words."],
      audio: [`Recorded for “${title}”`, "A few bars, played once through."],
      documents: [`${title}: the whole story`, "Supplement with all the figures, for printing."],
    }[kind] as [string, string];
    files.push({
      ...made,
      id: fileIds.at(index),
      organisationId: idsOf("organisation", seed).at(0),
      title: names[0],
      caption: names[1],
      mime: { videos: "video/webm", audio: "audio/wav", documents: "application/pdf" }[kind],
      seconds: kind === "documents" ? null : seconds,
      createdAt: Date.UTC(2025, 4, 20, 10, 0, 0) - index * 9_876_543_210,
      articleIndex: article,
      ...(brokenFiles && kind === "documents" && index === 0 ? { absent: 410 } : {}),
    });
  }
  return files;
}

function makeFile(
  kind: FileKind,
  index: number,
  seconds: number,
  studio: Studio,
  text: () => { title: string; paragraphs: string[]; footer: string },
): Promise<StoredFile> {
  if (kind === "videos") return prepareVideo(index, seconds, studio);
  if (kind === "audio") return prepareAudio(index, seconds, studio);
  return prepareDocument(text(), studio);
}
