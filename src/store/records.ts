import type { z } from "zod";
import {
  readItem,
  WireArticle,
  WireCategory,
  WireGallery,
  WireMedia,
  WireTag,
} from "../api/schema.ts";
import { type MediaKind, mediaKinds, type Parent } from "../routes/table.ts";
import { locateBody } from "./body.ts";
import { locateMediaLink, type MediaLinkOrigin } from "./media-link.ts";

/** Of the normalised forms below; after a change, every object is written anew. */
export const normalVersion = 1;

/** Attachments that an article or gallery is said to have; null where the origin does not say. */
export type AttachmentCounts = Record<MediaKind, number | null>;

/** Article in index or single form. Times are ISO 8601 in UTC, URLs carry no signature. */
export type Article = ReturnType<typeof articleOf>;
export type Gallery = ReturnType<typeof galleryOf>;
/** Image, video, document or audio file. */
export type Media = ReturnType<typeof mediaOf>;
export type Tag = ReturnType<typeof tagOf>;

/** The ordered attachments of one kind of one article or gallery. Its id is `articles/{id}/images`. */
export interface AttachmentList {
  parent: Parent;
  parentId: string;
  kind: MediaKind;
  /** Id and digest. */
  items: [string, string][];
}

/** What is kept of an item that left the archive because the origin has removed it. Its id is `articles/{id}`. */
export interface Tombstone {
  index: "articles" | "galleries" | "images";
  id: string;
  title: string;
  /** ISO 8601 in UTC: when the crawl found it gone. */
  removedAt: string;
  /** Digest of its last index form. */
  last: string;
}

/** Id of an attachment list's record. */
export function attachmentsId(parent: string, parentId: string, kind: MediaKind): string {
  return `${parent}/${parentId}/${kind}`;
}

/** What the id of an attachment list's record names. */
export function parseAttachmentsId(text: string): { parent: Parent; id: string; kind: MediaKind } {
  const [, parent, id = "", kind] = /^([^/]*)\/(.*)\/([^/]*)$/s.exec(text) ?? [];
  return { parent: parent as Parent, id, kind: kind as MediaKind };
}

/** `unread` describes members that count as empty because they are not what they should be. */
type Normalised<N> = { id: string; normal: N; unread?: string | undefined } | { error: string };

/**
 * What stillpress understands of an object of the API, or the issues with their JSON paths where it has no key.
 *
 * @param bodyField name or path with dots of the body's member, or "auto"
 * @param origin whose links to files are looked for; without it, only the documented members count
 */
export function normalise<C extends ItemCollection>(
  collection: C,
  object: unknown,
  bodyField: string,
  origin?: MediaLinkOrigin,
): Normalised<Normals[C]> {
  const result = parsers[collection](object, bodyField) as Normalised<Normals[C]>;
  if (origin === undefined || !isMediaKind(collection) || "error" in result) return result;
  const normal = result.normal as Media;
  if (normal.download !== null || (collection === "images" && normal.web !== null)) return result;
  normal.download = locateMediaLink(collection, object, origin).url;
  return result;
}

/** Whether the objects of a collection have files. */
export function isMediaKind(collection: Collection): collection is MediaKind {
  return (mediaKinds as readonly string[]).includes(collection);
}

type Parser<N> = (object: unknown, bodyField: string) => Normalised<N>;

function parser<S extends z.ZodType, N extends { id: string } | { slug: string }>(
  schema: S,
  map: (wire: z.infer<S>, object: unknown, bodyField: string) => N,
): Parser<N> {
  return (object, bodyField) => {
    const { data, unread, error = "" } = readItem(schema, object);
    if (data === undefined) return { error };
    const normal = map(data, object, bodyField);
    return { id: "id" in normal ? normal.id : normal.slug, normal, unread };
  };
}

const media = parser(WireMedia, mediaOf);
const gallery = parser(WireGallery, galleryOf);

const parsers = {
  articles: parser(WireArticle, (wire) => articleOf(wire, null)),
  "articles.single": parser(WireArticle, (wire, object, bodyField) =>
    articleOf(wire, locateBody(object, bodyField).path),
  ),
  galleries: gallery,
  "galleries.single": gallery,
  images: media,
  videos: media,
  documents: media,
  audio: media,
  categories: parser(WireCategory, categoryOf),
  tags: parser(WireTag, tagOf),
};

/** Collections of the origin's own objects. */
export type ItemCollection = keyof typeof parsers;
/** What one stored line can be: an index form, a single form, an attachment list, or a tombstone. */
export type Collection = ItemCollection | "attachments" | "tombstones";
export const collections = [...Object.keys(parsers), "attachments", "tombstones"] as Collection[];

/** The normalised form of each collection. */
export type Normals = { attachments: AttachmentList; tombstones: Tombstone } & {
  [C in ItemCollection]: (typeof parsers)[C] extends Parser<infer N> ? N : never;
};

// Digests are made of these forms as text: the order of their members is a part of them.

function articleOf(wire: z.infer<typeof WireArticle>, bodyPath: string[] | null) {
  return {
    id: wire.id,
    title: wire.title,
    slug: wire.slug,
    synopsis: wire.synopsis,
    publishedAt: wire.published_at,
    createdAt: wire.created_at,
    category: wire.category && { id: wire.category.id, title: wire.category.title },
    /** Slugs. */
    tags: wire.tags,
    /** Web page of the article at the origin. */
    view: wire.links.view,
    thumbnail: bestThumbnail(wire.links.thumbnail),
    attachments: wire.attachments,
    rating:
      wire.rating && wire.rating.average !== null
        ? { average: wire.rating.average, count: wire.rating.count }
        : null,
    /** Where the body stands in the raw object; single form only, null where none was found. */
    bodyPath,
  };
}

function galleryOf(wire: z.infer<typeof WireGallery>) {
  return {
    id: wire.id,
    title: wire.title,
    slug: wire.slug,
    publishedAt: wire.published_at,
    createdAt: wire.created_at,
    view: wire.links.view,
    thumbnail: bestThumbnail(wire.links.thumbnail),
    attachments: wire.attachments,
  };
}

function mediaOf(wire: z.infer<typeof WireMedia>) {
  return {
    id: wire.id,
    title: wire.title,
    caption: wire.caption,
    /** Pixels of the original; 0 or null where the origin does not say. */
    width: wire.dimensions?.width ?? null,
    height: wire.dimensions?.height ?? null,
    /** Of the original, as the origin says; 0 where it does not. */
    bytes: wire.filesize,
    meta: wire.meta,
    view: wire.links.view,
    /** URLs without their signatures: they cannot be requested, only recognised. */
    web: wire.links.web,
    download: wire.links.download,
    createdAt: wire.created_at,
  };
}

function categoryOf(wire: z.infer<typeof WireCategory>) {
  return {
    id: wire.id,
    title: wire.title,
    slug: wire.slug,
    order: wire.order,
    articlesCount: wire.articles_count,
  };
}

function tagOf(wire: z.infer<typeof WireTag>) {
  return {
    slug: wire.slug,
    title: wire.title,
    createdAt: wire.created_at,
    articlesCount: wire.articles_count,
    galleriesCount: wire.galleries_count,
  };
}

/** Best URL of a thumbnail; resolve it with the route table. */
function bestThumbnail(thumbnail: z.infer<typeof WireArticle>["links"]["thumbnail"]) {
  if (thumbnail === null) return null;
  const { square, landscape, portrait } = thumbnail as Record<string, string | null | undefined>;
  return landscape ?? square ?? portrait ?? null;
}
