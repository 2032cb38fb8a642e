import { dice, mix } from "../lib/random.ts";
import { Collection } from "./collection.ts";
import { type IdForm, uuids } from "./ids.ts";
import { magazine } from "./magazine.ts";
import type { Article, BodyLinks, Content, FileKind, Image, MediaFile } from "./model.ts";
import { type Picture, prepareCacheDir, prepareFile, preparePictures } from "./pictures.ts";
import { writeBody } from "./prose/body.ts";
import { type Story, slugOf, storyAt } from "./prose/story.ts";

const { neighbourTags, places } = magazine;
const categories = Object.entries(magazine.categories);
const tags = Object.entries(magazine.tags);

/** What an article has instead of the usual. */
export interface Instead {
  title?: string;
  slug?: string;
  synopsis?: string;
  withoutImages?: boolean;
  /** At least. */
  images?: number;
  body?(usual: string): string;
}

export interface GenerateOptions {
  /** Articles of the tokens' organisation; a tenth more belong to a neighbour. */
  articles: number;
  galleries: number;
  /** One in twenty is private. More than 100 share 100 pictures. */
  images: number;
  /** The same seed gives the same content, byte for byte. */
  seed: number;
  /** Articles that are other than the usual ones, by place in the list. */
  instead?: Readonly<Record<number, Instead>>;
  /** UUIDs by default. */
  idOf?: IdForm;
  /** How many neighbours in a list share a time. */
  batch?: number;
  cacheDir?: string;
  onProgress?: () => void;
}

type World = GenerateOptions & { organisationId: string; idOf: IdForm };

interface Material extends World {
  categories: Content["categories"];
  /** Latest first. */
  pictures: readonly Image[];
  files: Record<FileKind, MediaFile[]>;
}

/**
 * Content of a regional magazine. Pictures are painted before this resolves, or taken from the cache. Latest article:
 * June 2025.
 */
export async function generateContent(options: GenerateOptions): Promise<Content> {
  const { articles, images, seed, idOf = uuids } = options;
  const organisationId = idOf("organisation", seed, 0);
  const world: World = { ...options, organisationId, idOf };
  const dir = await prepareCacheDir(seed, options.cacheDir);
  const painted = await preparePictures(images, seed, dir, options.onProgress);
  const material: Material = {
    ...world,
    pictures: makeImages(world, painted),
    files: {
      videos: await makeFiles("videos", Math.min(6, Math.ceil(articles / 20)), dir, world),
      audio: await makeFiles("audio", Math.min(6, Math.ceil(articles / 20)), dir, world),
      documents: await makeFiles("documents", Math.min(8, Math.ceil(articles / 15)), dir, world),
    },
    categories: categories.map(([slug, title], order) => {
      return { id: idOf("category", seed, order), title, slug, order };
    }),
  };
  const { pictures, files } = material;
  return {
    articles: new Collection(makeArticles(articles, material)),
    neighbours: new Collection(makeNeighbours(Math.ceil(articles / 10), material)),
    galleries: new Collection(makeGalleries(material)),
    images: new Collection(pictures),
    videos: new Collection(files.videos),
    documents: new Collection(files.documents),
    audio: new Collection(files.audio),
    categories: material.categories,
    tags: tags.map(([slug, title], index) => {
      const createdAt = Date.UTC(2020, 0, 15, 9, index * 7, index);
      return { slug, title, createdAt, productsCount: index % 9 === 4 ? index : 0 };
    }),
  };
}

const fileTitles = { videos: "Film", audio: "Recording", documents: "Supplement" };

async function makeFiles(kind: FileKind, count: number, dir: string, world: World) {
  const { seed, organisationId, idOf } = world;
  const files: MediaFile[] = [];
  for (let index = 0; index < count; index += 1) {
    const { title } = storyAt(ownerOf(kind, index, world), seed);
    files.push({
      ...(await prepareFile(kind, index, title, { seed, dir })),
      id: idOf(kind, seed, index),
      organisationId,
      title: `${fileTitles[kind]}: ${title}`,
      caption: "To see, hear or print.",
      createdAt: Date.UTC(2025, 4, 20, 10, 0, 0) - index * 9_876_543_210,
    });
  }
  return files;
}

function ownerOf(kind: FileKind, index: number, { articles }: World): number {
  return (index * 19 + kind.length) % articles;
}

const hour = 3600_000;

const end = Date.UTC(2025, 5, 12, 9, 30, 0);
const spanMs = 5 * 365.25 * 24 * hour;

/**
 * Time of item `index` of `count`, latest first: somewhere in its own share of five years, on a whole second, or half an
 * hour before the turn of a year (UTC), which is another year in half of the time zones.
 */
function timeOf(index: number, count: number, seed: number, batch = 1): number {
  const first = index - (index % batch);
  const shareMs = spanMs / count;
  const latest = end - first * shareMs;
  const turn = Date.UTC(new Date(latest).getUTCFullYear(), 0, 1) - hour / 2;
  if (turn <= latest && turn > latest - shareMs) return turn;
  const within = ((mix(seed, first, 5) % 1000) / 1000) * 0.95 * shareMs;
  return Math.floor((latest - within) / 1000) * 1000;
}

/** The pictures in turn; every twentieth image is private. */
function makeImages(world: World, pictures: readonly Picture[]): Image[] {
  const { images: count, organisationId, seed, idOf, batch } = world;
  return Array.from({ length: count }, (_, index) => {
    const picture = pictures[index % pictures.length] as Picture;
    const number = Math.floor(index / pictures.length);
    return {
      ...picture,
      id: idOf("image", seed, index),
      organisationId,
      title: number === 0 ? picture.title : `${picture.title} (${number + 1})`,
      private: index % 20 === 13,
      createdAt: timeOf(index, count, seed, batch) - 3 * hour,
    };
  });
}

/** Latest first; bodies are written when they are read. */
function makeArticles(count: number, material: Material): Article[] {
  const { seed, organisationId, idOf, batch, files, categories } = material;
  const privates = material.pictures.filter((one) => one.private);
  return Array.from({ length: count }, (_, index): Article => {
    const story = storyOf(index, material);
    const shown = shownImages(index, count, material);
    // Most origins do not show private images in the lists of articles.
    const hidden =
      index % 12 === 5 ? privates.filter((_, at) => at === index % privates.length) : [];
    const publishedAt = timeOf(index, count, seed, batch);
    const votes = mix(seed, index, 33) % 60;
    const attached = (kind: FileKind): MediaFile[] =>
      files[kind].filter((_, at) => ownerOf(kind, at, material) === index);
    const videos = attached("videos");
    const audio = attached("audio");
    const documents = attached("documents");
    const body = (links: BodyLinks): string => {
      const related = relatedTo(index, count, material);
      const ingredients = { images: shown, videos, audio, documents, related };
      const usual = writeBody(story, ingredients, links, mix(seed, index));
      return story.body?.(usual) ?? usual;
    };
    const category = categories.find(({ slug }) => slug === story.subject.category);
    return {
      id: idOf("article", seed, index),
      organisationId,
      title: story.title,
      slug: story.slug,
      synopsis: story.synopsis,
      publishedAt,
      createdAt: publishedAt - (1 + (mix(seed, index, 34) % 400)) * hour + (mix(index) % 1000),
      categoryId: category?.id ?? "",
      tags: story.tags,
      images: idsOf([...shown, ...hidden]),
      videos: idsOf(videos),
      documents: idsOf(documents),
      audio: idsOf(audio),
      rating: { average: votes && 1 + (mix(seed, index, 35) % 41) / 10, count: votes },
      body,
    };
  });
}

const idsOf = (items: { id: string }[]): string[] => items.map(({ id }) => id);

function storyOf(index: number, { seed, instead = {} }: Material): Story & Instead {
  return { ...storyAt(index, seed), ...instead[index] };
}

function relatedTo(index: number, count: number, material: Material) {
  const others = new Set([(index + 5) % count, (index * 13 + 7) % count]);
  others.delete(index);
  return [...others].map((other) => storyOf(other, material));
}

function shownImages(index: number, count: number, material: Material): Image[] {
  const own = material.instead?.[index];
  if (own?.withoutImages) return [];
  const usual = index % 9 === 8 ? 0 : 1 + (mix(material.seed, index, 31) % 5);
  return publicImages(material, index, count, Math.max(usual, own?.images ?? 0));
}

/** Text only, with tags of its own. */
function makeNeighbours(count: number, material: Material): Article[] {
  const organisationId = material.idOf("organisation", material.seed, 1);
  const seed = mix(material.seed, 77);
  const bare = { pictures: [], files: { videos: [], documents: [], audio: [] } };
  const articles = makeArticles(count, { ...material, ...bare, organisationId, seed });
  return articles.map((article, index) => ({
    ...article,
    slug: `north-${article.slug}`,
    tags: [neighbourTags[index % neighbourTags.length] ?? ""],
    body: "<p>A report from across the border, reprinted with thanks.</p>",
  }));
}

/** Galleries of 5 to 16 neighbouring images; the fourth has 45, for several pages. */
function makeGalleries(material: Material) {
  const { galleries: count, seed, organisationId, files } = material;
  return Array.from({ length: count }, (_, index) => {
    const throws = dice(seed, index, 21);
    const round = Math.floor(index / places.length);
    const place = places[(index + seed) % places.length];
    const title = `The year in pictures: ${place}${round ? `, part ${round + 1}` : ""}`;
    const publishedAt = timeOf(index, count, seed + 1);
    const tagged = throws.some(tags.slice(0, -1), 1 + throws.roll(3));
    const size = index === 3 ? 45 : 5 + throws.roll(12);
    return {
      id: material.idOf("gallery", seed, index),
      organisationId,
      title,
      slug: slugOf(title),
      publishedAt,
      createdAt: publishedAt - 50 * hour,
      tags: tagged.map(([slug]) => slug),
      images: idsOf(publicImages(material, index, count, size)),
      videos: index % 5 === 1 ? idsOf(files.videos.slice(0, 1)) : [],
      audio: index % 7 === 2 ? idsOf(files.audio.slice(-1)) : [],
    };
  });
}

/** Up to `size` public images for item `index` of `count`, around the end of the list. */
function publicImages({ pictures }: Material, index: number, count: number, size: number): Image[] {
  const start = Math.floor((index * pictures.length) / count);
  const around = [...pictures.slice(start), ...pictures.slice(0, start)];
  return around.filter((image) => !image.private).slice(0, size);
}
