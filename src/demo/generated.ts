import type { Article, BodyLinks, Category, FileKind, Gallery, Image, MediaFile } from "./model.ts";
import type { Picture } from "./pictures.ts";
import { type Ingredients, writeBody } from "./prose/body.ts";
import type { Nasty } from "./prose/nasty.ts";
import { type Story, slugOf, storyAt } from "./prose/story.ts";
import { neighbourTags, places, tags } from "./prose/vocabulary.ts";
import type { IdForm } from "./random.ts";
import { dice, mix } from "./random.ts";

/** What all items of one generated content have in common. */
export interface World {
  seed: number;
  organisationId: string;
  idOf: IdForm;
  /** Neighbours in a list that share a time, as if they had been uploaded together. */
  batch: number;
}

/** What articles and galleries are made from. */
export interface Material {
  categories: readonly Category[];
  /** Latest first. */
  images: readonly Image[];
  /** Files, each with the index of the article that it is attached to. */
  files: Record<FileKind, readonly (MediaFile & { articleIndex: number })[]>;
  /** Hard articles, by their place in the list. */
  nasty: ReadonlyMap<number, Nasty>;
  /** Whether one article in eight has no category. */
  uncategorised: boolean;
}

const hour = 3600_000;

/** The latest moment of generated content, and the years before it that it fills. */
const end = Date.UTC(2025, 5, 12, 9, 30, 0);
const spanMs = 5 * 365.25 * 24 * hour;

/**
 * Time of item `index` of `count`, latest first: each falls somewhere into its own share of five
 * years, on a whole second. An item whose share contains the turn of a year (UTC) falls half an
 * hour before it, which is another year in half of the world's time zones.
 */
function timeOf(index: number, count: number, { seed, batch }: { seed: number; batch: number }) {
  const first = index - (index % batch);
  const shareMs = spanMs / count;
  const latest = end - first * shareMs;
  const turn = Date.UTC(new Date(latest).getUTCFullYear(), 0, 1) - hour / 2;
  if (turn <= latest && turn > latest - shareMs) return turn;
  const within = ((mix(seed, first, 5) % 1000) / 1000) * 0.95 * shareMs;
  return Math.floor((latest - within) / 1000) * 1000;
}

/** `count` images that show the given pictures in turn; every twentieth is private. */
export function makeImages(count: number, pictures: readonly Picture[], world: World): Image[] {
  const { organisationId, seed, idOf } = world;
  return Array.from({ length: count }, (_, index) => {
    const picture = pictures[index % pictures.length] as Picture;
    const number = Math.floor(index / pictures.length);
    return {
      ...picture,
      id: idOf("image", seed, index),
      organisationId,
      title: number === 0 ? picture.title : `${picture.title} (${number + 1})`,
      private: index % 20 === 13,
      createdAt: timeOf(index, count, world) - 3 * hour,
    };
  });
}

/** `count` articles, latest first; their bodies are written when they are read. */
export function makeArticles(count: number, world: World, material: Material): Article[] {
  const { seed, organisationId } = world;
  const { files, nasty, images } = material;
  const categoryIds = new Map(material.categories.map(({ slug, id }) => [slug, id]));
  const privates = images.filter((one) => one.private);
  return Array.from({ length: count }, (_, index): Article => {
    const story = storyAt(index, seed);
    const hard = nasty.get(index);
    const shown = shownImages(index, count, world, material);
    // Most origins do not show private images in the lists of articles.
    const hidden =
      index % 12 === 5 ? privates.filter((_, at) => at === index % privates.length) : [];
    const publishedAt = timeOf(index, count, world);
    const votes = mix(seed, index, 33) % 60;
    const attached = (kind: FileKind): MediaFile[] =>
      files[kind].filter(({ articleIndex }) => articleIndex === index);
    const idsOf = (kind: FileKind): string[] => attached(kind).map(({ id }) => id);
    const body = (links: BodyLinks): string => {
      const ingredients: Ingredients = {
        images: shown,
        videos: attached("videos"),
        audio: attached("audio"),
        documents: attached("documents"),
        related: relatedTo(index, count, world, material),
      };
      const usual = writeBody(story, ingredients, links, mix(seed, index));
      return hard?.body?.(usual) ?? usual;
    };
    return {
      id: world.idOf("article", seed, index),
      organisationId,
      ...namesOf(story, hard),
      synopsis: hard?.synopsis ?? story.synopsis,
      publishedAt,
      createdAt: publishedAt - (1 + (mix(seed, index, 34) % 400)) * hour + (mix(index) % 1000),
      categoryId:
        material.uncategorised && index % 8 === 3
          ? ""
          : (categoryIds.get(story.subject.category) ?? ""),
      tags: story.tags,
      images: [...shown, ...hidden].map(({ id }) => id),
      videos: idsOf("videos"),
      documents: idsOf("documents"),
      audio: idsOf("audio"),
      rating: { average: votes && 1 + (mix(seed, index, 35) % 41) / 10, count: votes },
      body,
    };
  });
}

function namesOf(story: Story, hard: Nasty | undefined): { title: string; slug: string } {
  return { title: hard?.title ?? story.title, slug: hard?.slug ?? story.slug };
}

/** Two other articles that a body links to. */
function relatedTo(index: number, count: number, { seed }: World, { nasty }: Material) {
  const others = new Set([(index + 5) % count, (index * 13 + 7) % count]);
  others.delete(index);
  return [...others].map((other) => namesOf(storyAt(other, seed), nasty.get(other)));
}

function shownImages(index: number, count: number, { seed }: World, material: Material): Image[] {
  const { images, nasty } = material;
  const hard = nasty.get(index);
  if (hard?.withoutImages) return [];
  const usual = index % 9 === 8 ? 0 : 1 + (mix(seed, index, 31) % 5);
  const start = Math.floor((index * images.length) / count);
  return publicImages(images, start, Math.max(usual, hard?.images ?? 0));
}

/** Articles of another organisation: text only, with tags of its own. */
export function makeNeighbours(count: number, world: World, material: Material): Article[] {
  const seed = mix(world.seed, 77);
  return makeArticles(count, { ...world, seed }, material).map((article, index) => ({
    ...article,
    slug: `north-${article.slug}`,
    tags: [neighbourTags[index % neighbourTags.length]?.[0] ?? ""],
    images: [],
    videos: [],
    documents: [],
    audio: [],
    body: "<p>A report from across the border, reprinted with thanks.</p>",
  }));
}

/** `count` galleries of 5 to 16 neighbouring images; the fourth has 45, for several pages. */
export function makeGalleries(count: number, world: World, material: Material): Gallery[] {
  const { seed, organisationId } = world;
  const { images, files } = material;
  return Array.from({ length: count }, (_, index) => {
    const throws = dice(seed, index, 21);
    const round = Math.floor(index / places.length);
    const place = places[(index + seed) % places.length];
    const title = `The year in pictures: ${place}${round ? `, part ${round + 1}` : ""}`;
    const publishedAt = timeOf(index, count, { seed: seed + 1, batch: 1 });
    const start = Math.floor((index * images.length) / count);
    return {
      id: world.idOf("gallery", seed, index),
      organisationId,
      title,
      slug: slugOf(title),
      publishedAt,
      createdAt: publishedAt - 50 * hour,
      tags: throws.some(tags.slice(0, -1), 1 + throws.roll(3)).map(([slug]) => slug),
      images: publicImages(images, start, index === 3 ? 45 : 5 + throws.roll(12)).map(
        ({ id }) => id,
      ),
      videos: index % 5 === 1 ? files.videos.slice(0, 1).map(({ id }) => id) : [],
      audio: index % 7 === 2 ? files.audio.slice(-1).map(({ id }) => id) : [],
    };
  });
}

/** Up to `size` public images from an index on, around the end of the list. */
function publicImages(images: readonly Image[], start: number, size: number): Image[] {
  const around = [...images.slice(start), ...images.slice(0, start)];
  return around.filter((image) => !image.private).slice(0, size);
}
