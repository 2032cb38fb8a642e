import type { Source } from "./collection.ts";
import { attachedImages, type ImageSource } from "./generated-images.ts";
import { batched, spread } from "./generated-times.ts";
import type { Article, BodyLinks, Category, FileKind, MediaFile } from "./model.ts";
import { type Ingredient, writeBody } from "./prose/body.ts";
import type { Nasty } from "./prose/nasty.ts";
import { type Story, storyAt } from "./prose/story.ts";
import { neighbourTags } from "./prose/vocabulary.ts";
import { type Ids, mix } from "./random.ts";

/** A file with the index of the article that it is attached to. */
export interface Attached {
  articleIndex: number;
}

/** What generated articles and galleries are made from. */
export interface World {
  seed: number;
  organisationId: string;
  categories: readonly Category[];
  images: ImageSource;
  files: Record<FileKind, readonly (MediaFile & Attached)[]>;
  /** Hard articles, by their place in the list. */
  nasty: ReadonlyMap<number, Nasty>;
  idsOf: (kind: string, seed: number) => Ids;
  /** Neighbours in a list that share a time. */
  batch: number;
  uncategorised: boolean;
}

const hour = 3600_000;

/** `count` articles, latest first, each made on demand; titles, lists and bodies only when read. */
export function createArticles(count: number, world: World): Source<Article> {
  const { seed, organisationId, images, files, nasty: nastyAt, batch } = world;
  const { at: idAt, indexOf } = world.idsOf("article", seed);
  const categoryIds = new Map(world.categories.map(({ slug, id }) => [slug, id]));
  const titled = (index: number): { story: Story; title: string; slug: string } => {
    const story = storyAt(index, seed);
    const nasty = nastyAt.get(index);
    return { story, title: nasty?.title ?? story.title, slug: nasty?.slug ?? story.slug };
  };
  const idsOf = (kind: FileKind, index: number): string[] =>
    files[kind].filter(({ articleIndex }) => articleIndex === index).map(({ id }) => id);

  const publicImages = (index: number): string[] => {
    const nasty = nastyAt.get(index);
    if (nasty?.withoutImages) return [];
    const usual = index % 9 === 8 ? 0 : 1 + (mix(seed, index, 31) % 5);
    const start = Math.floor((index * images.count) / count);
    return attachedImages(images, start, Math.max(usual, nasty?.images ?? 0));
  };

  const bodyOf = (index: number, links: BodyLinks): string => {
    const { story } = titled(index);
    const shown = publicImages(index).map((id) => imageIngredient(images, id));
    const others = new Set(count < 2 ? [] : [(index + 5) % count, (index * 13 + 7) % count]);
    others.delete(index);
    const related = [...others].map(titled);
    const attached = (kind: FileKind) => files[kind].filter((one) => one.articleIndex === index);
    const ingredients = {
      images: shown,
      videos: attached("videos"),
      audio: attached("audio"),
      documents: attached("documents"),
      related,
    };
    const usual = writeBody(story, ingredients, links, seed, index);
    return nastyAt.get(index)?.body?.(usual) ?? usual;
  };

  const make = (index: number): Article => {
    const { story, title, slug } = titled(index);
    const publishedAt = spread(batched(index, batch), count, seed);
    const votes = mix(seed, index, 33) % 60;
    return {
      id: idAt(index),
      organisationId,
      title,
      slug,
      synopsis: nastyAt.get(index)?.synopsis ?? story.synopsis,
      publishedAt,
      createdAt: publishedAt - (1 + (mix(seed, index, 34) % 400)) * hour + (mix(index) % 1000),
      categoryId:
        world.uncategorised && index % 8 === 3
          ? ""
          : (categoryIds.get(story.subject.category) ?? ""),
      tags: story.tags,
      get images() {
        const shown = publicImages(index);
        // One in twelve also has a private image, which most origins do not show.
        return index % 12 === 5 ? [...shown, ...privateImage(images, index)] : shown;
      },
      get videos() {
        return idsOf("videos", index);
      },
      get documents() {
        return idsOf("documents", index);
      },
      get audio() {
        return idsOf("audio", index);
      },
      rating: {
        average: votes === 0 ? 0 : 1 + (mix(seed, index, 35) % 41) / 10,
        count: votes,
      },
      body: (links) => bodyOf(index, links),
    };
  };
  return { count, make, indexOf };
}

/** Articles of another organisation: text only, with tags of its own. */
export function createNeighbours(count: number, world: World): Source<Article> {
  const own = createArticles(count, { ...world, seed: mix(world.seed, 77) });
  const make = (index: number): Article => ({
    ...own.make(index),
    slug: `north-${own.make(index).slug}`,
    tags: [neighbourTags[index % neighbourTags.length]?.[0] ?? ""],
    images: [],
    videos: [],
    documents: [],
    audio: [],
    body: "<p>A report from across the border, reprinted with thanks.</p>",
  });
  return { ...own, make };
}

function imageIngredient(images: ImageSource, id: string): Ingredient {
  const { title, caption } = images.make(images.indexOf(id) ?? 0);
  return { id, title, caption };
}

function privateImage(images: ImageSource, index: number): string[] {
  const at = 13 + 20 * (index % Math.max(1, Math.floor(images.count / 20)));
  return at < images.count && images.isPrivate(at) ? [images.idAt(at)] : [];
}
