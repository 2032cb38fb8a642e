import { encodeSegment } from "../routes/segments.ts";
import { sitePaths } from "../routes/site.ts";
import type { MediaKind } from "../routes/table.ts";
import type { AttachmentCounts, Media } from "../store/records.ts";
import type { Ref } from "../store/snapshots.ts";
import { type Link, type Picture, pictureOf, ratioClass, thumbPicture } from "./pictures.ts";
import { type Site, titleOf } from "./site.ts";
import type { ArticleSummary, GallerySummary } from "./summaries.ts";

/** A time with its text; null where the origin says none. */
export interface Moment {
  iso: string;
  text: string;
}

export interface Reference {
  title: string;
  href: string;
}

/** An item of a list, ready for its template. */
export interface Card {
  title: string;
  href: string;
  date: Moment | null;
  category: { title: string; href: string | null } | null;
  synopsis: string;
  picture: Picture | null;
  /** Null where the origin does not say how many there are. */
  counts: AttachmentCounts;
}

export function momentOf(site: Site, iso: string | null): Moment | null {
  return iso === null ? null : { iso, text: site.formats.date(iso) };
}

export function articleCard(site: Site, article: ArticleSummary, link: Link): Card {
  const { normal } = site.catalogue.snapshot.read("articles", article);
  return {
    title: titleOf(article.title),
    href: link(article.path),
    date: momentOf(site, article.publishedAt),
    category: categoryOf(site, article, normal.category?.title, link),
    synopsis: normal.synopsis.trim(),
    picture: article.thumb ? thumbPicture(site.catalogue, article.thumb, link) : null,
    counts: normal.attachments,
  };
}

export function categoryOf(
  site: Site,
  article: ArticleSummary,
  title: string | undefined,
  link: Link,
): Card["category"] {
  const known = article.category === null ? undefined : site.lists.categories.get(article.category);
  if (known !== undefined) {
    return { title: titleOf(known.title), href: link(sitePaths.category(known.name, 1)) };
  }
  return title === undefined || title.trim() === "" ? null : { title: title.trim(), href: null };
}

export function galleryCard(site: Site, gallery: GallerySummary, link: Link): Card {
  const { normal } = site.catalogue.snapshot.read("galleries", gallery);
  return {
    title: titleOf(gallery.title),
    href: link(gallery.path),
    date: momentOf(site, gallery.publishedAt),
    category: null,
    synopsis: "",
    picture: gallery.thumb ? thumbPicture(site.catalogue, gallery.thumb, link) : null,
    counts: normal.attachments,
  };
}

/** The thumb of a card in a larger size, for a card that leads a page. */
export function largePicture(
  site: Site,
  item: ArticleSummary | GallerySummary,
  link: Link,
  sizes: string,
): Picture | null {
  const entry = item.thumb && site.catalogue.media("images", item.thumb.id);
  return (entry && pictureOf(site.catalogue, entry, link, { sizes })) ?? null;
}

/** An image in a justified grid. */
export interface Tile {
  href: string;
  title: string;
  alt: string;
  caption: string;
  /** Null where its file could not be had, or has no preview. */
  picture: Picture | null;
  /** Whether the archive has its file. */
  kept: boolean;
  ratio: string;
}

export function tileOf(site: Site, ref: Ref, link: Link): Tile {
  const { catalogue } = site;
  const { normal } = catalogue.snapshot.read("images", ref);
  const entry = catalogue.media("images", ref.id);
  const wish = { scaling: { width: 640 }, sizes: "(min-width: 48rem) 24rem, 60vw" };
  const picture = (entry && pictureOf(catalogue, entry, link, wish)) ?? null;
  return {
    href: link(sitePaths.image(ref.id)),
    title: titleOf(normal.title),
    alt: altOf(normal),
    caption: normal.caption.trim(),
    picture,
    kept: entry !== undefined,
    ratio: picture === null ? "r15" : ratioClass(picture.width, picture.height),
  };
}

export function altOf({ title, caption }: Media): string {
  return title.trim() || caption.trim();
}

/** A video, audio file or document that is attached to something. */
export interface Attachment {
  title: string;
  caption: string;
  /** Null where its file could not be had. */
  href: string | null;
  type: string;
  /** Such as "PDF". */
  form: string;
  bytes: number;
  /** Name to save it under, where a browser must not show it; otherwise null. */
  download: string | null;
}

export function attachmentOf(
  site: Site,
  kind: Exclude<MediaKind, "images">,
  ref: Ref,
  link: Link,
): Attachment {
  const { normal } = site.catalogue.snapshot.read(kind, ref);
  const entry = site.catalogue.media(kind, ref.id);
  const path = entry && site.catalogue.originalPath(entry);
  const extension = /^[a-z0-9]{1,8}$/.exec(entry?.original.extension ?? "")?.[0] ?? "bin";
  const shown = path === undefined || path.endsWith(`.${extension}`);
  return {
    title: titleOf(normal.title),
    caption: normal.caption.trim(),
    href: path === undefined ? null : link(path),
    type: entry?.original.type ?? "",
    form: entry === undefined ? "" : extension.toUpperCase(),
    bytes: entry?.original.bytes ?? normal.bytes,
    download: shown ? null : `${encodeSegment(ref.id)}.${extension}`,
  };
}

/** Key of attached files: their records and what the store holds of them. */
export function attachmentsKey(site: Site, kind: MediaKind, refs: readonly Ref[]): string {
  return refs
    .map(({ id, digest }) => `${digest} ${site.entryKey(site.catalogue.media(kind, id))}`)
    .join("\n");
}
