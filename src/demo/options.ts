/** Everything the API document leaves open is an option of the demo origin. */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { FileKind } from "./model.ts";

/** "http://host/path", "//host/path" or "/path". */
export type LinkForm = "absolute" | "host" | "path";
type LinkForms = Record<"api" | "view" | "binaries", LinkForm>;

/** What a reader of the document expects. */
export const defaultOptions = {
  /** Where the API lives, without a slash at the end; "" for the root. */
  basePath: "/api/v1",
  tokens: { organisation: "demo-organisation-token", user: "demo-user-token" },
  secret: "demo-signing-key",
  linkSeconds: 12 * 3600,
  signatures: "hex" as "hex" | "base64",
  /** In seconds since 1970, or ISO 8601. */
  expires: "seconds" as "seconds" | "iso",
  /** Below the base path. */
  filePaths: {
    videos: "/videos/{id}/download",
    documents: "/documents/{id}/download",
    audio: "/audio/{id}/download",
  },
  /** Below the base path; null = no such endpoint (404). */
  paths: {
    ...attachmentPaths("/articles/{id}", "/galleries/{id}"),
    image: "/images/{id}",
    videos: "/videos",
    documents: "/documents",
    audio: "/audio",
  } as Record<keyof ReturnType<typeof attachmentPaths> | "image" | FileKind, string | null>,
  /** With dots where it lies deeper. */
  bodyField: "body",
  pageSize: 20,
  /** null = as in the indexes. */
  attachmentPageSize: null as number | null,
  /** An empty list with 200, or 404. */
  behindLastPage: "empty" as "empty" | "404",
  /** Items of equal times come in another order with each request. */
  unstableOrder: false,
  /** Page URLs begin with the page, labels have entities, and a `next` to nowhere is left out. */
  otherPager: false,
  /** In any such span of time; null = no limit, no rate headers. */
  rate: null as { requests: number; perSeconds: number } | null,
  rateHeaders: "x-ratelimit" as "x-ratelimit" | "ratelimit" | "none",
  retryAfter: "seconds" as "seconds" | "date" | "none",
  /** Of the year and month filters, and of the offsets in single responses. */
  timezone: "UTC",
  /** Offsets in single responses: "+13:00" or "+1300". */
  offsets: "colon" as "colon" | "plain",
  /** Times in index responses, with fractions of a second or without. */
  indexTimes: "fraction" as "fraction" | "seconds",
  /** Times of a single image: as in the index, or with an offset as in other single responses. */
  imageTimes: "index" as "index" | "single",
  /** Times of tags and files have no seconds. */
  withoutSeconds: false,
  tagMatch: "any" as "any" | "all",
  imageOrder: "newest" as "newest" | "oldest",
  /** Whose articles a user token lists. */
  userSees: "organisation" as "organisation" | "everything",
  errors: "json" as "json" | "text" | "html",
  /** Attachment lists (and counts) include private images. */
  privateInAttachments: false,
  /** Counts include private images also where the lists leave them out. */
  countsIncludePrivate: false,
  /** Percentage of owners whose first attachment of each kind has a second row at the end. */
  doubledAttachments: 0,
  /** Address of a file: in `links.download`, or in a field of its own for each kind. */
  fileAddress: "links" as "links" | "flat",
  linkForms: { api: "absolute", view: "absolute", binaries: "absolute" } as LinkForms,
  /** Name of a boolean field of image objects that tells private ones; null = no such field. */
  privateMarker: null as string | null,
  filesizes: "exact" as "exact" | "rounded" | "zero",
  /** Percentages: index items with a thumbnail object, single ones with all three, articles with a null category id. */
  irregular: { thumbnailObjects: 30, fullThumbnails: 30, nullCategoryIds: 8 },
  /** links.thumbnail of something without images. */
  noThumbnail: "null" as "null" | "absent",
  /** links.thumbnail in single responses: an object, or the square one's URL. */
  singleThumbnail: "object" as "object" | "string",
  /** Single articles repeat synopsis and rating, which the document promises for the index only. */
  singleRepeatsAll: true,
  /** Galleries show a `documents` count, as the document's samples do. */
  galleryDocumentsCount: true,
  /** Fields that the document does not mention: none, a few, or keys that trip parsers. */
  extraFields: "some" as "none" | "some" | "odd",
  json: { pretty: false, escapeSlashes: false, escapeUnicode: false, decimals: false },
  /** Send an ETag (blind to signatures) with JSON and answer If-None-Match with 304. */
  etags: false,
  /** The same with originals and other files. */
  fileEtags: false,
  /** Call originals and other files "application/octet-stream", and give them no name. */
  untypedFiles: false,
  /** Send JSON in chunks, without its length. */
  chunked: false,
  web: { width: 1600, quality: 82 },
  thumbs: { square: [300, 300], portrait: [300, 400], landscape: [400, 300] } as Record<
    "square" | "portrait" | "landscape",
    readonly [number, number]
  >,
  latencyMs: 0,
  now: () => new Date(),
  /** Sees every request first; true means that it has answered or destroyed it. */
  intercept: null as ((request: IncomingMessage, response: ServerResponse) => boolean) | null,
};

export type OriginOptions = typeof defaultOptions;

function attachmentPaths(
  article: string,
  gallery: string,
  names = "images videos documents audio",
) {
  const [images, videos, documents, audio] = names.split(" ");
  return {
    articleImages: `${article}/${images}`,
    articleVideos: `${article}/${videos}`,
    articleDocuments: `${article}/${documents}`,
    articleAudio: `${article}/${audio}`,
    galleryImages: `${gallery}/${images}`,
    galleryVideos: `${gallery}/${videos}`,
    galleryAudio: `${gallery}/${audio}`,
  };
}

const otherNames = "pictures films papers sounds";

export type Personality = "plain" | "odd" | "strict";

/**
 * "plain" does what a reader of the document expects, "odd" takes liberties that it leaves, "strict" has the opposite of
 * every habit that those two share. For `startOrigin`, alone or spread under other options.
 */
export const personalities: Record<Personality, Partial<OriginOptions>> = {
  plain: {},
  odd: {
    basePath: "/v2/content",
    paths: {
      ...attachmentPaths("/articles/{id}/media", "/galleries/{id}/contents", otherNames),
      image: "/image-records/{id}",
      videos: "/media/films",
      documents: null,
      audio: null,
    },
    bodyField: "content_html",
    pageSize: 7,
    rate: { requests: 100, perSeconds: 1 },
    rateHeaders: "ratelimit",
    retryAfter: "date",
    timezone: "Pacific/Auckland",
    offsets: "plain",
    tagMatch: "all",
    imageOrder: "oldest",
    userSees: "everything",
    errors: "text",
    privateInAttachments: true,
    privateMarker: "is_private",
    irregular: { thumbnailObjects: 60, fullThumbnails: 10, nullCategoryIds: 40 },
    noThumbnail: "absent",
    singleRepeatsAll: false,
    galleryDocumentsCount: false,
    extraFields: "odd",
    json: { pretty: true, escapeSlashes: true, escapeUnicode: true, decimals: true },
    etags: true,
  },
  strict: {
    basePath: "",
    signatures: "base64",
    expires: "iso",
    filePaths: {
      videos: "/assets/{id}/film.webm",
      documents: "/assets/{id}/paper.pdf",
      audio: "/assets/{id}/sound.wav",
    },
    paths: {
      ...attachmentPaths("/attachments/articles/{id}", "/attachments/galleries/{id}"),
      image: "/images/{id}",
      videos: null,
      documents: "/papers",
      audio: null,
    },
    bodyField: "content.rendered",
    pageSize: 24,
    attachmentPageSize: 10,
    behindLastPage: "404",
    unstableOrder: true,
    otherPager: true,
    rate: { requests: 200, perSeconds: 1 },
    rateHeaders: "none",
    timezone: "America/St_Johns",
    indexTimes: "seconds",
    imageTimes: "single",
    withoutSeconds: true,
    errors: "html",
    countsIncludePrivate: true,
    doubledAttachments: 40,
    fileAddress: "flat",
    linkForms: { api: "path", view: "path", binaries: "host" },
    filesizes: "rounded",
    irregular: { thumbnailObjects: 100, fullThumbnails: 0, nullCategoryIds: 100 },
    singleThumbnail: "string",
    extraFields: "none",
    fileEtags: true,
    untypedFiles: true,
    chunked: true,
    web: { width: 900, quality: 75 },
    thumbs: { square: [160, 160], portrait: [150, 200], landscape: [240, 150] },
  },
};
