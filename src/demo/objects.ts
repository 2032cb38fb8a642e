/** The API's objects from the records behind them, with the links and liberties of one origin. */
import { mix } from "../lib/random.ts";
import { textKey } from "./ids.ts";
import { Decimal } from "./json.ts";
import type { Links } from "./links.ts";
import type { Article, Content, FileKind, Gallery, Image, MediaFile } from "./model.ts";
import type { OriginOptions } from "./options.ts";
import { indexTime, singleTime } from "./times.ts";

export interface Source {
  content: Content;
  options: OriginOptions;
  links: Links;
}

/** In the order they are written; undefined ones are left out. */
type Fields = Record<string, unknown>;
export type Form = "index" | "single";
type Owner = Article | Gallery;

export function articleObject(source: Source, one: Article, form: Form) {
  const { content, options, links } = source;
  const category = content.categories.find(({ id }) => id === one.categoryId);
  const hidden = form === "index" && chance(one.id, 3, options.irregular.nullCategoryIds);
  const all = form === "index" || options.singleRepeatsAll;
  const body = (): string => (typeof one.body === "string" ? one.body : one.body(links));
  const rating = { average: new Decimal(one.rating.average), count: one.rating.count };
  return withExtra(source, "article", {
    ...headOf(one),
    slug: one.slug,
    synopsis: all ? one.synopsis : undefined,
    ...(form === "single" ? nested(options.bodyField, body()) : {}),
    published_at: timeIn(form, options, one.publishedAt),
    created_at: timeIn(form, options, one.createdAt),
    category: category ? { id: hidden ? null : category.id, title: category.title } : null,
    tags: one.tags,
    links: { view: links.view("articles", one.slug), thumbnail: thumbnailOf(source, one, form) },
    attachments: countsOf(source, one),
    rating: all ? rating : undefined,
  });
}

export function galleryObject(source: Source, one: Gallery, form: Form) {
  const { options, links } = source;
  return withExtra(source, "gallery", {
    ...headOf(one),
    slug: one.slug,
    links: { view: links.view("galleries", one.slug), thumbnail: thumbnailOf(source, one, form) },
    attachments: countsOf(source, one),
    published_at: timeIn(form, options, one.publishedAt),
    created_at: timeIn(form, options, one.createdAt),
  });
}

export function imageObject({ options, links }: Source, one: Image, form: Form): Fields {
  const { privateMarker, extraFields } = options;
  return {
    ...headOf(one),
    caption: one.caption,
    dimensions: { width: one.width, height: one.height },
    filesize: filesizeOf(one, options),
    meta: extraFields === "odd" ? oddly(one.meta, ["2", "__proto__", "10"]) : one.meta,
    links: {
      view: links.view("images", one.id),
      thumbnail: links.thumbnails(one.id),
      web: links.web(one.id),
      download: links.download("images", one.id),
    },
    ...(privateMarker === null ? {} : { [privateMarker]: one.private }),
    mime_type: extraFields === "none" ? undefined : one.mime,
    created_at: timeIn(form, options, one.createdAt),
  };
}

export function fileObject({ options, links }: Source, one: MediaFile, kind: FileKind): Fields {
  const url = links.download(kind, one.id);
  const flatName = { videos: "url", documents: "download_url", audio: "file" }[kind];
  return {
    ...headOf(one),
    caption: one.caption,
    filesize: filesizeOf(one, options),
    mime_type: one.mime,
    duration: kind === "documents" ? undefined : one.seconds,
    ...(options.fileAddress === "flat"
      ? { [flatName]: url }
      : { links: { view: links.view(kind, one.id), download: url } }),
    created_at: fileTime(options, one.createdAt),
  };
}

export function categoryObjects({ content }: Source, counts: Map<string, number>): Fields[] {
  return content.categories.map((one) => ({ ...one, articles_count: counts.get(one.id) ?? 0 }));
}

type TagCounts = Record<"articles" | "galleries", Map<string, number>>;

export function tagObjects({ content, options }: Source, counts: TagCounts): Fields[] {
  return content.tags.map((one) => ({
    title: one.title,
    slug: one.slug,
    created_at: fileTime(options, one.createdAt),
    articles_count: counts.articles.get(one.slug) ?? 0,
    galleries_count: counts.galleries.get(one.slug) ?? 0,
    products_count: one.productsCount,
  }));
}

export function attachedImages(
  { content, options }: Source,
  owner: Owner,
  withPrivate = options.privateInAttachments,
): Image[] {
  return rowsOf(owner, owner.images, options).flatMap((id) => {
    const image = content.images.get(id);
    return image && (!image.private || withPrivate) ? [image] : [];
  });
}

export function attachedFiles({ content, options }: Source, owner: Owner, kind: FileKind) {
  const ids = kind in owner ? (owner as Article)[kind] : [];
  return rowsOf(owner, ids, options).flatMap((id) => content[kind].get(id) ?? []);
}

function headOf({ id, organisationId, title }: Owner | Image | MediaFile): Fields {
  return { id, organisation_id: organisationId, title };
}

/** Depends on the id alone, so that it stays the same. */
function chance(id: string, reason: number, percent: number): boolean {
  return mix(textKey(id), reason) % 100 < percent;
}

function timeIn(form: Form, { timezone, offsets, indexTimes }: OriginOptions, time: number) {
  return form === "index" ? indexTime(time, indexTimes) : singleTime(time, timezone, offsets);
}

function fileTime({ withoutSeconds, indexTimes }: OriginOptions, time: number): string {
  return indexTime(time, withoutSeconds ? "minutes" : indexTimes);
}

/** The first item of some owners has a second row at the end. */
function rowsOf(owner: Owner, ids: string[], { doubledAttachments }: OriginOptions): string[] {
  return chance(owner.id, 4, doubledAttachments) ? [...ids, ...ids.slice(0, 1)] : ids;
}

function countsOf(source: Source, owner: Owner): Fields {
  const { privateInAttachments, countsIncludePrivate, galleryDocumentsCount } = source.options;
  const count = (ids: string[]): number => rowsOf(owner, ids, source.options).length;
  const ofGallery = galleryDocumentsCount ? 0 : undefined;
  return {
    images: attachedImages(source, owner, privateInAttachments || countsIncludePrivate).length,
    videos: count(owner.videos),
    documents: "documents" in owner ? count(owner.documents) : ofGallery,
    audio: count(owner.audio),
  };
}

function thumbnailOf(source: Source, owner: Owner, form: Form): unknown {
  const { options, links } = source;
  const { irregular } = options;
  const [first] = attachedImages(source, owner);
  if (!first) return options.noThumbnail === "null" ? null : undefined;
  const square = links.thumbnail(first.id, "square");
  if (form === "index") {
    return chance(owner.id, 1, irregular.thumbnailObjects) ? links.thumbnails(first.id) : square;
  }
  if (options.singleThumbnail === "string") return square;
  return chance(owner.id, 2, irregular.fullThumbnails) ? links.thumbnails(first.id) : { square };
}

function filesizeOf({ filesize }: { filesize: number }, { filesizes }: OriginOptions): number {
  if (filesizes === "zero") return 0;
  return filesizes === "exact" ? filesize : Math.round(filesize / 1024) * 1024;
}

/** An object with one member, or with objects around it: "content.rendered". */
function nested(path: string, value: string): Fields {
  const [first = "", ...rest] = path.split(".");
  return { [first]: rest.length > 0 ? nested(rest.join("."), value) : value };
}

function withExtra({ options }: Source, type: string, fields: Fields) {
  if (options.extraFields === "none") return fields;
  if (options.extraFields === "some") return { ...fields, type };
  return oddly(fields, ["10", "constructor", "__proto__"]);
}

/** The fields with some more between them, which only a Map can hold in this order. */
function oddly(fields: Fields, keys: string[]): Map<string, unknown> {
  const map = new Map<string, unknown>();
  for (const [key, value] of Object.entries(fields)) {
    if (value === undefined) continue;
    map.set(key, value);
    const extra = keys[map.size >> 1];
    if (extra !== undefined && map.size % 2 === 1) map.set(extra, `the value of ${extra}`);
  }
  return map;
}
