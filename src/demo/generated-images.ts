import type { Source } from "./collection.ts";
import type { World } from "./generated-articles.ts";
import { batched, spread } from "./generated-times.ts";
import type { Gallery, Image } from "./model.ts";
import type { Picture } from "./pictures.ts";
import { slugOf } from "./prose/story.ts";
import { places, tags } from "./prose/vocabulary.ts";
import { dice } from "./random.ts";

const hour = 3600_000;

/** Image records, each with its id alone where nothing more is asked for. */
export interface ImageSource extends Source<Image> {
  idAt(index: number): string;
  isPrivate(index: number): boolean;
}

/** `count` images that show the given pictures in turn; every twentieth is private. */
export function createImages(
  count: number,
  pictures: readonly Picture[],
  world: Pick<World, "organisationId" | "seed" | "idsOf" | "batch">,
): ImageSource {
  const { organisationId, seed, batch } = world;
  const { at: idAt, indexOf } = world.idsOf("image", seed);
  const isPrivate = (index: number): boolean => index % 20 === 13;
  const make = (index: number): Image => {
    const picture = pictures[index % pictures.length] as Picture;
    const number = Math.floor(index / pictures.length);
    const { title: _, ...rest } = picture;
    return {
      ...rest,
      id: idAt(index),
      organisationId,
      title: number === 0 ? picture.title : `${picture.title} (${number + 1})`,
      private: isPrivate(index),
      createdAt: spread(batched(index, batch), count, seed) - 3 * hour,
    };
  };
  return { count, make, indexOf, idAt, isPrivate };
}

const themes = [
  "The year in pictures:",
  "Low water at",
  "Faces of",
  "Market day in",
  "Winter light over",
  "Open gardens of",
  "From the archive:",
] as const;

/** `count` galleries of 5 to 16 neighbouring images; the fourth has 45, for several pages. */
export function createGalleries(count: number, world: World): Source<Gallery> {
  const { seed, organisationId, images, files } = world;
  const { at: idAt, indexOf } = world.idsOf("gallery", seed);
  const make = (index: number): Gallery => {
    const throws = dice(seed, index, 21);
    const round = Math.floor(index / (themes.length * places.length));
    const place = places[(index + seed) % places.length] ?? "";
    const title = `${themes[index % themes.length]} ${place}${round ? `, part ${round + 1}` : ""}`;
    const publishedAt = spread(index, count, seed + 1);
    const size = index === 3 ? 45 : 5 + throws.roll(12);
    return {
      id: idAt(index),
      organisationId,
      title,
      slug: slugOf(title),
      publishedAt,
      createdAt: publishedAt - 50 * hour,
      tags: throws.some(tags.slice(0, -1), 1 + throws.roll(3)).map(([slug]) => slug),
      images: attachedImages(images, Math.floor((index * images.count) / count), size),
      videos: index % 5 === 1 ? files.videos.slice(0, 1).map(({ id }) => id) : [],
      audio: index % 7 === 2 ? files.audio.slice(-1).map(({ id }) => id) : [],
    };
  };
  return { count, make, indexOf };
}

/** Ids of up to `size` public images from an index on. */
export function attachedImages(images: ImageSource, start: number, size: number): string[] {
  const found: string[] = [];
  for (let step = 0; step < images.count && found.length < size; step += 1) {
    const index = (start + step) % images.count;
    if (!images.isPrivate(index)) found.push(images.idAt(index));
  }
  return found;
}
