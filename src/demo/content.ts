import { breakSome } from "./broken-pictures.ts";
import { Collection } from "./collection.ts";
import {
  type Material,
  makeArticles,
  makeGalleries,
  makeImages,
  makeNeighbours,
  type World,
} from "./generated.ts";
import type { Content, FileKind, MediaFile, Tag } from "./model.ts";
import { type Progress, prepareCacheDir, prepareFile, preparePictures } from "./pictures.ts";
import { nastyAt } from "./prose/nasty.ts";
import { storyAt } from "./prose/story.ts";
import { categories, type Labelled, neighbourTags, tags } from "./prose/vocabulary.ts";
import { mixedIds, uuids } from "./random.ts";

export type { Content } from "./model.ts";

export interface GenerateOptions {
  /** Articles of the tokens' organisation; a tenth more belong to a neighbour. */
  articles: number;
  galleries: number;
  /** One in twenty is private. More than 100 share 100 pictures. */
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
 * Content of a regional magazine, for a demonstration, a test or as load. Pictures are painted
 * before this resolves, or taken from the cache. Latest article: June 2025.
 */
export async function generateContent(options: GenerateOptions): Promise<Content> {
  const { articles, galleries, images, seed, batch = 1 } = options;
  const idOf = options.idForms === "mixed" ? mixedIds : uuids;
  const world: World = { seed, organisationId: idOf("organisation", seed, 0), idOf, batch };
  const dir = await prepareCacheDir(seed, options.cacheDir);
  const painted = await preparePictures(images, seed, dir, options.onProgress);
  const pictures = options.brokenFiles ? breakSome(painted) : painted;
  const files = (kind: FileKind, perFile: number, most: number) => {
    const usual = Math.min(most, Math.ceil(articles / perFile));
    return makeFiles(kind, { ...options, count: options[kind] ?? usual, dir }, world);
  };
  const material: Material = {
    images: makeImages(images, pictures, world),
    files: {
      videos: await files("videos", 20, 6),
      audio: await files("audio", 20, 6),
      documents: await files("documents", 15, 8),
    },
    categories: categories.map(([slug, title], order) => {
      return { id: idOf("category", seed, order), title, slug, order };
    }),
    nasty: (options.hardArticles ?? true) ? nastyAt : new Map(),
    uncategorised: options.uncategorised ?? false,
  };
  const neighbour = { ...world, organisationId: idOf("organisation", seed, 1) };
  return {
    organisationId: world.organisationId,
    articles: new Collection(makeArticles(articles, world, material), published),
    neighbours: new Collection(
      makeNeighbours(Math.ceil(articles / 10), neighbour, material),
      published,
    ),
    galleries: new Collection(makeGalleries(galleries, world, material), published),
    images: new Collection(material.images, created),
    videos: new Collection<MediaFile>(material.files.videos, created),
    documents: new Collection<MediaFile>(material.files.documents, created),
    audio: new Collection<MediaFile>(material.files.audio, created),
    categories: [...material.categories],
    tags: [...tagsOf(tags, world), ...tagsOf(neighbourTags, neighbour)],
  };
}

const published = (item: { publishedAt: number }): number => item.publishedAt;
const created = (item: { createdAt: number }): number => item.createdAt;

function tagsOf(labels: readonly Labelled[], { organisationId }: World): Tag[] {
  return labels.map(([slug, title], index) => {
    const createdAt = Date.UTC(2020, 0, 15, 9, index * 7, index);
    return { slug, title, organisationId, createdAt, productsCount: index % 9 === 4 ? index : 0 };
  });
}

/** Files that only some articles have, each with the index of the article it belongs to. */
async function makeFiles(
  kind: FileKind,
  { count, dir, articles, brokenFiles }: GenerateOptions & { count: number; dir: string },
  { seed, organisationId, idOf }: World,
) {
  const files: (MediaFile & { articleIndex: number })[] = [];
  for (let index = 0; index < count; index += 1) {
    const articleIndex = articles === 0 ? -1 : (index * 19 + kind.length) % articles;
    const story = storyAt(Math.max(0, articleIndex), seed);
    const names = { videos: "Film", audio: "Recording", documents: "Supplement" };
    files.push({
      ...(await prepareFile(kind, index, story, { seed, dir })),
      id: idOf(kind, seed, index),
      organisationId,
      title: `${names[kind]}: ${story.title}`,
      caption: "To see, hear or print.",
      createdAt: Date.UTC(2025, 4, 20, 10, 0, 0) - index * 9_876_543_210,
      articleIndex,
      ...(brokenFiles && kind === "documents" && index === 0 ? { absent: 410 } : {}),
    });
  }
  return files;
}
