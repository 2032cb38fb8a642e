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

/** Objects of a content with the links and liberties of one origin. */
export function createObjects(content: Content, options: OriginOptions, links: Links) {
  const { irregular } = options;
  // Which items are irregular depends on their ids alone, so that it stays the same.
  const chance = (id: string, reason: number, percent: number): boolean =>
    mix(textKey(id), reason) % 100 < percent;
  const single = (time: number): string => singleTime(time, options.timezone, options.offsets);
  const index = (time: number): string => indexTime(time, options.indexTimes);
  const fileTime = (time: number): string =>
    options.withoutSeconds ? indexTime(time, "minutes") : index(time);

  /** Rows of an attachment list; the first item of some owners has a second row at the end. */
  const rowsOf = (owner: Article | Gallery, ids: string[]): string[] =>
    chance(owner.id, 4, options.doubledAttachments) ? [...ids, ...ids.slice(0, 1)] : ids;

  const imagesOf = (owner: Article | Gallery, withPrivate: boolean): Image[] =>
    rowsOf(owner, owner.images).flatMap((id) => {
      const image = content.images.get(id);
      return image && (!image.private || withPrivate) ? [image] : [];
    });

  const attachedImages = (owner: Article | Gallery): Image[] =>
    imagesOf(owner, options.privateInAttachments);

  const attachedFiles = (kind: FileKind, owner: Article | Gallery): MediaFile[] => {
    const ids = kind in owner ? (owner as Article)[kind] : [];
    return rowsOf(owner, ids).flatMap((id) => content[kind].get(id) ?? []);
  };

  const counts = (owner: Article | Gallery) => ({
    images: imagesOf(owner, options.privateInAttachments || options.countsIncludePrivate).length,
    videos: rowsOf(owner, owner.videos).length,
    ...("documents" in owner ? { documents: rowsOf(owner, owner.documents).length } : {}),
    ...(!("documents" in owner) && options.galleryDocumentsCount ? { documents: 0 } : {}),
    audio: rowsOf(owner, owner.audio).length,
  });

  const thumbnail = (
    owner: Article | Gallery,
    first: Image | undefined,
    form: "index" | "single",
  ): unknown => {
    if (!first) return options.noThumbnail === "null" ? null : undefined;
    if (form === "index") {
      if (!chance(owner.id, 1, irregular.thumbnailObjects))
        return links.thumbnail(first.id, "square");
      return links.thumbnails(first.id);
    }
    if (options.singleThumbnail === "string") return links.thumbnail(first.id, "square");
    if (chance(owner.id, 2, irregular.fullThumbnails)) return links.thumbnails(first.id);
    return { square: links.thumbnail(first.id, "square") };
  };

  const article = (one: Article, form: "index" | "single"): Record<string, unknown> => {
    const category = content.categories.find(({ id }) => id === one.categoryId);
    const hidden = form === "index" && chance(one.id, 3, irregular.nullCategoryIds);
    const all = form === "index" || options.singleRepeatsAll;
    const images = attachedImages(one);
    const time = form === "index" ? index : single;
    return {
      id: one.id,
      organisation_id: one.organisationId,
      title: one.title,
      slug: one.slug,
      ...(all ? { synopsis: one.synopsis } : {}),
      ...(form === "single" ? nested(options.bodyField, bodyOf(one, links)) : {}),
      published_at: time(one.publishedAt),
      created_at: time(one.createdAt),
      category: category ? { id: hidden ? null : category.id, title: category.title } : null,
      tags: one.tags,
      links: { view: links.view("articles", one.slug), thumbnail: thumbnail(one, images[0], form) },
      attachments: counts(one),
      ...(all
        ? { rating: { average: new Decimal(one.rating.average), count: one.rating.count } }
        : {}),
    };
  };

  const gallery = (one: Gallery, form: "index" | "single"): Record<string, unknown> => {
    const images = attachedImages(one);
    const time = form === "index" ? index : single;
    return {
      id: one.id,
      organisation_id: one.organisationId,
      title: one.title,
      slug: one.slug,
      links: {
        view: links.view("galleries", one.slug),
        thumbnail: thumbnail(one, images[0], form),
      },
      attachments: counts(one),
      published_at: time(one.publishedAt),
      created_at: time(one.createdAt),
    };
  };

  const filesize = (bytes: number): number => {
    if (options.filesizes === "zero") return 0;
    return options.filesizes === "exact" ? bytes : Math.round(bytes / 1024) * 1024;
  };

  const imageObject = (one: Image, time: (time: number) => string): Fields => ({
    id: one.id,
    organisation_id: one.organisationId,
    title: one.title,
    caption: one.caption,
    dimensions: { width: one.width, height: one.height },
    filesize: filesize(one.filesize),
    meta: options.extraFields === "odd" ? oddly(one.meta, ["2", "__proto__", "10"]) : one.meta,
    links: {
      view: links.view("images", one.id),
      thumbnail: links.thumbnails(one.id),
      web: links.web(one.id),
      download: links.download("images", one.id),
    },
    ...(options.privateMarker === null ? {} : { [options.privateMarker]: one.private }),
    ...(options.extraFields === "none" ? {} : { mime_type: one.mime }),
    created_at: time(one.createdAt),
  });

  const file = (kind: FileKind, one: MediaFile): Fields => ({
    id: one.id,
    organisation_id: one.organisationId,
    title: one.title,
    caption: one.caption,
    filesize: filesize(one.filesize),
    mime_type: one.mime,
    ...(kind === "documents" ? {} : { duration: one.seconds }),
    ...address(kind, one.id),
    created_at: fileTime(one.createdAt),
  });

  const address = (kind: FileKind, id: string): Fields => {
    const url = links.download(kind, id);
    if (options.fileAddress === "links") {
      return { links: { view: links.view(kind, id), download: url } };
    }
    return { [{ videos: "url", documents: "download_url", audio: "file" }[kind]]: url };
  };

  return {
    articleItem: (one: Article) => withExtra(article(one, "index"), options.extraFields, "article"),
    articleSingle: (one: Article) =>
      withExtra(article(one, "single"), options.extraFields, "article"),
    galleryItem: (one: Gallery) => withExtra(gallery(one, "index"), options.extraFields, "gallery"),
    gallerySingle: (one: Gallery) =>
      withExtra(gallery(one, "single"), options.extraFields, "gallery"),
    image: (one: Image) => imageObject(one, index),
    imageSingle: (one: Image) => imageObject(one, options.imageTimes === "index" ? index : single),
    file,
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
    attachedImages,
    attachedFiles,
  };
}

/** HTML of an article with links that are valid now. */
export function bodyOf({ body }: Article, links: Links): string {
  return typeof body === "string" ? body : body(links);
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
