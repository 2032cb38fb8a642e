import { Decimal } from "./json.ts";
import type { Links } from "./links.ts";
import type { Lists } from "./lists.ts";
import type { Article, Content, FileKind, Gallery, Image, MediaFile } from "./model.ts";
import type { OriginOptions } from "./options.ts";
import { mix, textKey } from "./random.ts";
import { indexTime, singleTime } from "./times.ts";

/** An API object: fields in the order they are written. */
export type Fields = Record<string, unknown> | Map<string, unknown>;

/** Writers of the API's objects from the records behind them. */
export type Objects = ReturnType<typeof createObjects>;

/** What the objects of one origin depend on besides their records. */
interface Source {
  content: Content;
  options: OriginOptions;
  links: Links;
}

type Form = "index" | "single";
type Owner = Article | Gallery;

/** Objects of a content with the links and liberties of one origin. */
export function createObjects(content: Content, options: OriginOptions, links: Links) {
  const source: Source = { content, options, links };
  const { extraFields: extra } = options;
  const fileTime = (time: number): string =>
    options.withoutSeconds ? indexTime(time, "minutes") : indexTime(time, options.indexTimes);
  return {
    articleItem: (one: Article) => withExtra(articleObject(one, "index", source), extra, "article"),
    articleSingle: (one: Article) =>
      withExtra(articleObject(one, "single", source), extra, "article"),
    galleryItem: (one: Gallery) => withExtra(galleryObject(one, "index", source), extra, "gallery"),
    gallerySingle: (one: Gallery) =>
      withExtra(galleryObject(one, "single", source), extra, "gallery"),
    image: (one: Image) => imageObject(one, "index", source),
    imageSingle: (one: Image) => imageObject(one, options.imageTimes, source),
    file: (kind: FileKind, one: MediaFile): Fields => ({
      id: one.id,
      organisation_id: one.organisationId,
      title: one.title,
      caption: one.caption,
      filesize: filesizeOf(one, options),
      mime_type: one.mime,
      ...(kind === "documents" ? {} : { duration: one.seconds }),
      ...addressOf(kind, one.id, source),
      created_at: fileTime(one.createdAt),
    }),
    categories: (counts: Map<string, number>): Fields[] =>
      content.categories.map((one) => ({ ...one, articles_count: counts.get(one.id) ?? 0 })),
    tags: ({ articles, galleries }: ReturnType<Lists["tagCounts"]>): Fields[] =>
      content.tags
        .filter(({ organisationId }) => organisationId === content.organisationId)
        .map((one) => ({
          title: one.title,
          slug: one.slug,
          created_at: fileTime(one.createdAt),
          articles_count: articles.get(one.slug) ?? 0,
          galleries_count: galleries.get(one.slug) ?? 0,
          products_count: one.productsCount,
        })),
    attachedImages: (owner: Owner) => attachedImages(owner, source),
    attachedFiles: (kind: FileKind, owner: Owner): MediaFile[] => {
      const ids = kind in owner ? (owner as Article)[kind] : [];
      return rowsOf(owner, ids, options).flatMap((id) => content[kind].get(id) ?? []);
    },
  };
}

/** Which items are irregular depends on their ids alone, so that it stays the same. */
function chance(id: string, reason: number, percent: number): boolean {
  return mix(textKey(id), reason) % 100 < percent;
}

function timeIn(form: Form, { timezone, offsets, indexTimes }: OriginOptions, time: number) {
  return form === "index" ? indexTime(time, indexTimes) : singleTime(time, timezone, offsets);
}

/** Rows of an attachment list; the first item of some owners has a second row at the end. */
function rowsOf(owner: Owner, ids: string[], { doubledAttachments }: OriginOptions): string[] {
  return chance(owner.id, 4, doubledAttachments) ? [...ids, ...ids.slice(0, 1)] : ids;
}

function attachedImages(
  owner: Owner,
  { content, options }: Source,
  withPrivate = options.privateInAttachments,
): Image[] {
  return rowsOf(owner, owner.images, options).flatMap((id) => {
    const image = content.images.get(id);
    return image && (!image.private || withPrivate) ? [image] : [];
  });
}

function countsOf(owner: Owner, source: Source) {
  const { options } = source;
  const withPrivate = options.privateInAttachments || options.countsIncludePrivate;
  const count = (ids: string[]): number => rowsOf(owner, ids, options).length;
  return {
    images: attachedImages(owner, source, withPrivate).length,
    videos: count(owner.videos),
    ...("documents" in owner ? { documents: count(owner.documents) } : {}),
    ...(!("documents" in owner) && options.galleryDocumentsCount ? { documents: 0 } : {}),
    audio: count(owner.audio),
  };
}

function thumbnailOf(owner: Owner, form: Form, source: Source): unknown {
  const { options, links } = source;
  const { irregular } = options;
  const [first] = attachedImages(owner, source);
  if (!first) return options.noThumbnail === "null" ? null : undefined;
  const square = links.thumbnail(first.id, "square");
  if (form === "index") {
    return chance(owner.id, 1, irregular.thumbnailObjects) ? links.thumbnails(first.id) : square;
  }
  if (options.singleThumbnail === "string") return square;
  return chance(owner.id, 2, irregular.fullThumbnails) ? links.thumbnails(first.id) : { square };
}

function articleObject(one: Article, form: Form, source: Source): Record<string, unknown> {
  const { content, options, links } = source;
  const category = content.categories.find(({ id }) => id === one.categoryId);
  const hidden = form === "index" && chance(one.id, 3, options.irregular.nullCategoryIds);
  const all = form === "index" || options.singleRepeatsAll;
  const body = (): string => (typeof one.body === "string" ? one.body : one.body(links));
  const rating = { average: new Decimal(one.rating.average), count: one.rating.count };
  return {
    id: one.id,
    organisation_id: one.organisationId,
    title: one.title,
    slug: one.slug,
    ...(all ? { synopsis: one.synopsis } : {}),
    ...(form === "single" ? nested(options.bodyField, body()) : {}),
    published_at: timeIn(form, options, one.publishedAt),
    created_at: timeIn(form, options, one.createdAt),
    category: category ? { id: hidden ? null : category.id, title: category.title } : null,
    tags: one.tags,
    links: { view: links.view("articles", one.slug), thumbnail: thumbnailOf(one, form, source) },
    attachments: countsOf(one, source),
    ...(all ? { rating } : {}),
  };
}

function galleryObject(one: Gallery, form: Form, source: Source): Record<string, unknown> {
  const { options, links } = source;
  return {
    id: one.id,
    organisation_id: one.organisationId,
    title: one.title,
    slug: one.slug,
    links: { view: links.view("galleries", one.slug), thumbnail: thumbnailOf(one, form, source) },
    attachments: countsOf(one, source),
    published_at: timeIn(form, options, one.publishedAt),
    created_at: timeIn(form, options, one.createdAt),
  };
}

function imageObject(one: Image, form: Form, { options, links }: Source): Fields {
  return {
    id: one.id,
    organisation_id: one.organisationId,
    title: one.title,
    caption: one.caption,
    dimensions: { width: one.width, height: one.height },
    filesize: filesizeOf(one, options),
    meta: options.extraFields === "odd" ? oddly(one.meta, ["2", "__proto__", "10"]) : one.meta,
    links: {
      view: links.view("images", one.id),
      thumbnail: links.thumbnails(one.id),
      web: links.web(one.id),
      download: links.download("images", one.id),
    },
    ...(options.privateMarker === null ? {} : { [options.privateMarker]: one.private }),
    ...(options.extraFields === "none" ? {} : { mime_type: one.mime }),
    created_at: timeIn(form, options, one.createdAt),
  };
}

function filesizeOf({ filesize }: { filesize: number }, { filesizes }: OriginOptions): number {
  if (filesizes === "zero") return 0;
  return filesizes === "exact" ? filesize : Math.round(filesize / 1024) * 1024;
}

function addressOf(kind: FileKind, id: string, { options, links }: Source): Fields {
  const url = links.download(kind, id);
  if (options.fileAddress === "links") {
    return { links: { view: links.view(kind, id), download: url } };
  }
  return { [{ videos: "url", documents: "download_url", audio: "file" }[kind]]: url };
}

/** An object with one member, or with objects around it: "content.rendered". */
function nested(path: string, value: string): Record<string, unknown> {
  const [first = "", ...rest] = path.split(".");
  return { [first]: rest.length > 0 ? nested(rest.join("."), value) : value };
}

function withExtra(
  fields: Record<string, unknown>,
  extra: OriginOptions["extraFields"],
  type: string,
): Fields {
  if (extra === "none") return fields;
  if (extra === "some") return { ...fields, type };
  return oddly(fields, ["10", "constructor", "__proto__"]);
}

/** The fields with some more between them, which only a Map can hold in this order. */
function oddly(fields: Record<string, unknown>, keys: string[]): Map<string, unknown> {
  const map = new Map<string, unknown>();
  for (const [key, value] of Object.entries(fields)) {
    map.set(key, value);
    const extra = keys[map.size >> 1];
    if (extra !== undefined && map.size % 2 === 1) map.set(extra, `the value of ${extra}`);
  }
  return map;
}
