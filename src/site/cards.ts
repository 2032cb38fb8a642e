import { anchors, sitePaths } from "../routes/site.ts";
import type { Ref } from "../store/snapshots.ts";
import { altOf, altOfImage } from "./captions.ts";
import {
  type Link,
  type PictureWish,
  pictureOf,
  ratioClass,
  type SharedPicture,
} from "./pictures.ts";
import { readable, titleClass } from "./plain-text.ts";
import type { KeyParts, Site } from "./site.ts";
import { galleryCardSizes, listCardSizes, type SizesOf } from "./sizes.ts";
import { type ArticleSummary, type Group, type Named, type Summary, titleOf } from "./summaries.ts";
import type * as views from "./views.ts";

/** What may have no page. */
type Pathless = { title: string; path: string | null };

/** Null where the origin says no time. */
export function momentOf(site: Site, iso: string | null): views.Moment | null {
  return iso === null ? null : { iso, text: site.formats.date(iso) };
}

export function referenceOf(item: Named, link: Link): views.PageLink;
export function referenceOf(item: Pathless, link: Link): views.Reference;
export function referenceOf({ title, path }: Pathless, link: Link): views.Reference {
  return { title, href: path === null ? null : link(path) };
}

export interface Neighbours {
  newer?: Named | undefined;
  older?: Named | undefined;
}

/** Holds only three items at a time. */
export function* withNeighbours<T extends Named>(items: Iterable<T>): Generator<[T, Neighbours]> {
  let newer: T | undefined;
  let current: T | undefined;
  for (const older of items) {
    if (current !== undefined) yield [current, { newer, older }];
    newer = current;
    current = older;
  }
  if (current !== undefined) yield [current, { newer, older: undefined }];
}

export function neighboursKey({ newer, older }: Neighbours): KeyParts {
  return [newer?.title, newer?.path, older?.title, older?.path];
}

export function neighbourLinks({ newer, older }: Neighbours, link: Link): views.Neighbours {
  return { newer: newer && referenceOf(newer, link), older: older && referenceOf(older, link) };
}

/** An article as a line of a list. */
export function lineOf(site: Site, article: ArticleSummary, link: Link): views.Line {
  return { ...referenceOf(article, link), date: momentOf(site, article.publishedAt) };
}

export function groupEntry({ title, path, articles }: Group, link: Link): views.Group {
  return { title, href: link(path), count: articles.length };
}

/** @param most articles of any such period */
export function periodEntry({ path, articles }: Group, name: string, most: number, link: Link) {
  const count = articles.length;
  return { name, count, heat: Math.ceil((count / most) * 4), href: link(path) };
}

/** For lists of one period. */
export function besidesOf(near: Neighbours, link: Link) {
  const { newer: later, older: earlier } = neighbourLinks(near, link);
  return { later, earlier };
}

function cardOf(site: Site, item: Summary, link: Link, sizes: SizesOf): views.GalleryCard {
  return {
    title: item.title,
    href: link(item.path),
    date: momentOf(site, item.publishedAt),
    picture: thumbPicture(site, item, link, { width: 640, sizes }),
    counts: item.counts,
  };
}

export function articleCard(
  site: Site,
  article: ArticleSummary,
  link: Link,
  sizes = listCardSizes,
): views.Card {
  const category = categoryOf(site, article);
  return {
    ...cardOf(site, article, link, sizes),
    titleClass: titleClass(article.title),
    category: category && referenceOf(category, link),
    synopsis: article.synopsis,
  };
}

export function galleryCard(site: Site, gallery: Summary, link: Link): views.GalleryCard {
  return cardOf(site, gallery, link, galleryCardSizes);
}

/** Null where no category is known; its path is null where it has no page. */
export function categoryOf(site: Site, { category, otherCategory }: ArticleSummary) {
  const known = category === null ? undefined : site.lists.categories.get(category);
  if (known !== undefined) return known;
  return otherCategory === "" ? null : { title: otherCategory, path: null };
}

/** The tags of an article, named by their slugs where they are unknown; their path is null where they have no page. */
export function tagsOf({ lists }: Site, { tags }: ArticleSummary) {
  return tags.map((slug): Pathless => lists.tags.get(slug) ?? { title: slug, path: null });
}

export const tagTitles = (site: Site, article: ArticleSummary): string[] =>
  tagsOf(site, article).map(({ title }) => title);

/** The image that stands for an item; null where it has none. */
export function thumbPicture(
  { catalogue }: Site,
  { thumb }: { thumb?: string | undefined },
  link: Link,
  wish: PictureWish,
): views.Picture | null {
  const entry = thumb === undefined ? undefined : catalogue.media("images", thumb);
  return (entry && pictureOf(catalogue, entry, link, wish)) ?? null;
}

/** The picture of an image for programs that show one; undefined where it has no file. */
export function sharedPicture({ catalogue }: Site, imageId: string): SharedPicture | undefined {
  const entry = catalogue.media("images", imageId);
  const path = entry && catalogue.renditionPath(entry, { width: 1280 });
  if (entry === undefined || path === undefined) return undefined;
  const { routes } = catalogue;
  const rendition = entry.renditions.find(
    ({ slot, format }) => path === routes.linkedFileOfImage(entry.id, slot, format),
  );
  const type = rendition === undefined ? entry.original.type : `image/${rendition.format}`;
  const { bytes, width, height } = rendition ?? entry.original;
  const alt = altOfImage(catalogue, entry.id);
  return { id: entry.id, path, blob: rendition?.blob, type, bytes, width, height, alt };
}

/** The picture of the first of some items that has one. */
export function firstPicture(site: Site, items: readonly Pick<Summary, "thumb">[]) {
  for (const { thumb } of items) {
    const picture = thumb === undefined ? undefined : sharedPicture(site, thumb);
    if (picture !== undefined) return picture;
  }
  return undefined;
}

/**
 * An image in a justified grid; its picture is null without a file or a preview.
 *
 * @param grid with the gallery that it shows, by its id: the image's page then shows its position in that one
 */
export function tileOf(
  site: Site,
  ref: Ref,
  link: Link,
  { sizes, gallery }: { sizes: SizesOf; gallery?: string },
): views.Tile {
  const { catalogue } = site;
  const { normal } = catalogue.snapshot.read("images", ref);
  const entry = catalogue.media("images", ref.id);
  const wish = { width: 640, sizes };
  const picture = (entry && pictureOf(catalogue, entry, link, wish)) ?? null;
  const page = link(sitePaths.image(ref.id));
  const original = entry && catalogue.originalPath(entry);
  const alt = altOf(normal);
  const caption = readable(normal.caption);
  return {
    href: gallery === undefined ? page : `${page}#${anchors.position(gallery)}`,
    anchor: anchors.tile(ref.id),
    viewed: anchors.viewed(ref.id),
    title: titleOf(normal.title, site.formats),
    alt,
    caption: caption === alt ? "" : caption,
    picture,
    original: original === undefined ? null : link(original),
    kept: entry !== undefined,
    ratio: picture === null ? "r15" : ratioClass(picture.width, picture.height),
  };
}
