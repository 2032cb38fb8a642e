/** Everything the API document does not show, or leaves open, is an option of the demo origin. */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { GenerateOptions } from "./content.ts";
import type { Content, FileKind } from "./model.ts";

/** Paths below the base path, `{id}` standing for the id; null = there is no such endpoint (404). */
export interface OriginPaths {
  articleImages: string | null;
  articleVideos: string | null;
  articleDocuments: string | null;
  articleAudio: string | null;
  galleryImages: string | null;
  galleryVideos: string | null;
  galleryAudio: string | null;
  image: string | null;
  videos: string | null;
  documents: string | null;
  audio: string | null;
}

/** "http://host/path", "//host/path" or "/path". */
export type LinkForm = "absolute" | "host" | "path";

export interface OriginOptions {
  /** What to serve. Default: `generateContent` with 120 articles, 15 galleries, 200 images. */
  content: Content | null;
  /** Port on 127.0.0.1; 0 = a free one. */
  port: number;
  /** Where the API lives, without a slash at the end; "" for the root. */
  basePath: string;
  /**
   * Serve binaries from a second listener, another port on 127.0.0.1: links lead there, or lead to
   * the API and are redirected from there.
   */
  binaryHost: boolean | "redirected";
  tokens: { organisation: string; user: string };
  /** Key of the signatures. */
  secret: string;
  /** Validity of signed links, in seconds. */
  linkSeconds: number;
  /** Form of `signature` and of `expires` in signed links: hexadecimal digits or base64; seconds since 1970 or ISO 8601. */
  signatures: "hex" | "base64";
  expires: "seconds" | "iso";
  /** Paths of videos, documents and audio files below the base path, with `{id}`. */
  filePaths: Record<FileKind, string>;
  paths: OriginPaths;
  /** Name of the field with the article's HTML, with dots where it lies deeper. */
  bodyField: string;
  pageSize: number;
  /** Items per page of attachment lists; null = as many as on the pages of the indexes. */
  attachmentPageSize: number | null;
  /** Answer behind the last page: an empty list with 200, or 404. */
  behindLastPage: "empty" | "404";
  /** Items of equal times come in another order with each request: ORDER BY without a tie-break. */
  unstableOrder: boolean;
  /** Refuse the image index and single images with 403, as a token of another kind meets them. */
  imagesRefused: boolean;
  /** URLs of pages begin with the page, labels have entities, and a `next` that leads nowhere is left out. */
  otherPager: boolean;
  /** Write meta.per_page as a string, which the document does not allow. */
  perPageAsString: boolean;
  /** Requests of any kind in any `perSeconds` seconds; null = no limit, no rate headers. */
  rate: { requests: number; perSeconds: number } | null;
  rateHeaders: "x-ratelimit" | "ratelimit" | "none";
  retryAfter: "seconds" | "date" | "none";
  /** Of the year and month filters, and of the offsets in single responses. */
  timezone: string;
  /** Offsets in single responses: "+13:00" or "+1300". */
  offsets: "colon" | "plain";
  /** Times in index responses, with fractions of a second or without. */
  indexTimes: "fraction" | "seconds";
  /** Times of a single image: as in the index, or with an offset as in other single responses. */
  imageTimes: "index" | "single";
  /** Times of tags and files have no seconds. */
  withoutSeconds: boolean;
  tagMatch: "any" | "all";
  /** Order of /images by upload date. */
  imageOrder: "newest" | "oldest";
  /** Which articles a user token lists: its organisation's, or everybody's. */
  userSees: "organisation" | "everything";
  errors: "json" | "problem" | "text" | "html";
  /** Attachment lists (and counts) include private images. */
  privateInAttachments: boolean;
  /** Counts include private images also where the lists leave them out. */
  countsIncludePrivate: boolean;
  /** Share, in percent, of articles and galleries whose first attachment of each kind has a second row at the end. */
  doubledAttachments: number;
  /**
   * Address of a video, document or audio file, whose fields the document does not show: all in
   * `links.download`, or a video's in `url`, a document's in `download_url`, an audio file's in `file`.
   */
  fileAddress: "links" | "flat";
  /** How the links to each kind of target are written. */
  linkForms: Record<"api" | "view" | "binaries", LinkForm>;
  /** Name of a boolean field of image objects that tells private ones; null = no such field. */
  privateMarker: string | null;
  filesizes: "exact" | "rounded" | "zero";
  /** Shares, in percent, of items with each allowed irregularity. */
  irregular: {
    /** Articles and galleries whose index item has a thumbnail object instead of a string. */
    thumbnailObjects: number;
    /** Articles and galleries whose single response has all three thumbnails, not only square. */
    fullThumbnails: number;
    /** Articles whose index item has a null category id. */
    nullCategoryIds: number;
  };
  /** links.thumbnail of something without images. */
  noThumbnail: "null" | "absent";
  /** links.thumbnail in single responses: an object, or the square one's URL. */
  singleThumbnail: "object" | "string";
  /** Single articles repeat synopsis and rating, which the document promises for the index only. */
  singleRepeatsAll: boolean;
  /** Galleries show a `documents` count, as the document's samples do. */
  galleryDocumentsCount: boolean;
  /** Fields that the document does not mention: none, a few, or keys that trip parsers. */
  extraFields: "none" | "some" | "odd";
  json: { pretty: boolean; escapeSlashes: boolean; escapeUnicode: boolean; decimals: boolean };
  /** Send an ETag (blind to signatures) with JSON and answer If-None-Match with 304. */
  etags: boolean;
  /** Send an ETag with originals and other files and answer If-None-Match with 304. */
  fileEtags: boolean;
  /** Call originals and other files "application/octet-stream", and give them no name. */
  untypedFiles: boolean;
  /** Send JSON in chunks, without its length. */
  chunked: boolean;
  web: { width: number; quality: number };
  /** Width and height of the thumbnails. */
  thumbs: Record<"square" | "portrait" | "landscape", readonly [number, number]>;
  /** Memory for scaled images, in bytes. */
  imageCacheBytes: number;
  /** Wait before every answer, in milliseconds. */
  latencyMs: number;
  /** The log of requests keeps the newest ones; 0 = no log. */
  logLimit: number;
  now: () => Date;
  /**
   * Sees every request first; returning true means that it has answered (or destroyed) it itself.
   * For failures of every kind: 503, cut connections, slow drips.
   */
  intercept: ((request: IncomingMessage, response: ServerResponse) => boolean) | null;
}

export const defaultOptions: OriginOptions = {
  content: null,
  port: 0,
  basePath: "/api/v1",
  binaryHost: false,
  tokens: { organisation: "demo-organisation-token", user: "demo-user-token" },
  secret: "demo-signing-key",
  linkSeconds: 12 * 3600,
  signatures: "hex",
  expires: "seconds",
  filePaths: {
    videos: "/videos/{id}/download",
    documents: "/documents/{id}/download",
    audio: "/audio/{id}/download",
  },
  paths: {
    articleImages: "/articles/{id}/images",
    articleVideos: "/articles/{id}/videos",
    articleDocuments: "/articles/{id}/documents",
    articleAudio: "/articles/{id}/audio",
    galleryImages: "/galleries/{id}/images",
    galleryVideos: "/galleries/{id}/videos",
    galleryAudio: "/galleries/{id}/audio",
    image: "/images/{id}",
    videos: "/videos",
    documents: "/documents",
    audio: "/audio",
  },
  bodyField: "body",
  pageSize: 20,
  attachmentPageSize: null,
  behindLastPage: "empty",
  unstableOrder: false,
  imagesRefused: false,
  otherPager: false,
  perPageAsString: false,
  rate: null,
  rateHeaders: "x-ratelimit",
  retryAfter: "seconds",
  timezone: "UTC",
  offsets: "colon",
  indexTimes: "fraction",
  imageTimes: "index",
  withoutSeconds: false,
  tagMatch: "any",
  imageOrder: "newest",
  userSees: "organisation",
  errors: "json",
  privateInAttachments: false,
  countsIncludePrivate: false,
  doubledAttachments: 0,
  fileAddress: "links",
  linkForms: { api: "absolute", view: "absolute", binaries: "absolute" },
  privateMarker: null,
  filesizes: "exact",
  irregular: { thumbnailObjects: 30, fullThumbnails: 30, nullCategoryIds: 8 },
  noThumbnail: "null",
  singleThumbnail: "object",
  singleRepeatsAll: true,
  galleryDocumentsCount: true,
  extraFields: "some",
  json: { pretty: false, escapeSlashes: false, escapeUnicode: false, decimals: false },
  etags: false,
  fileEtags: false,
  untypedFiles: false,
  chunked: false,
  web: { width: 1600, quality: 82 },
  thumbs: { square: [300, 300], portrait: [300, 400], landscape: [400, 300] },
  imageCacheBytes: 64 * 1024 * 1024,
  latencyMs: 0,
  logLimit: 100_000,
  now: () => new Date(),
  intercept: null,
};

export type Personality = "plain" | "odd" | "strict";

/**
 * Three services that follow the document: "plain" does what a reader of it expects, "odd" takes
 * liberties that it leaves, "strict" has the opposite of every habit that those two share. Pass one
 * to `startOrigin`, alone or spread under other options.
 */
export const personalities: Record<Personality, Partial<OriginOptions>> = {
  plain: {},
  odd: {
    basePath: "/v2/content",
    paths: {
      articleImages: "/articles/{id}/media/pictures",
      articleVideos: "/articles/{id}/media/films",
      articleDocuments: "/articles/{id}/media/papers",
      articleAudio: "/articles/{id}/media/sounds",
      galleryImages: "/galleries/{id}/contents/pictures",
      galleryVideos: "/galleries/{id}/contents/films",
      galleryAudio: "/galleries/{id}/contents/sounds",
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
      articleImages: "/attachments/articles/{id}/images",
      articleVideos: "/attachments/articles/{id}/videos",
      articleDocuments: "/attachments/articles/{id}/documents",
      articleAudio: "/attachments/articles/{id}/audio",
      galleryImages: "/attachments/galleries/{id}/images",
      galleryVideos: "/attachments/galleries/{id}/videos",
      galleryAudio: "/attachments/galleries/{id}/audio",
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

/** What the generated content of each personality is like; the demonstration shows no hard cases. */
export const generated: Record<Personality, Partial<GenerateOptions>> = {
  plain: { hardArticles: false },
  odd: {},
  strict: { brokenFiles: true, idForms: "mixed", batch: 30, uncategorised: true },
};
