/** What an origin knows about its content. Times are milliseconds since 1970, sizes are pixels. */
import type { Collection } from "./collection.ts";

export interface BodyLinks {
  /** Web address of an article, gallery, image or file in the reading UI. */
  view(kind: "articles" | "galleries" | "images" | FileKind, slugOrId: string): string;
  /** Signed URL of the web version; `scaling` is appended as a query ("width=640"). */
  web(imageId: string, scaling?: string): string;
  thumbnail(imageId: string, shape: "square" | "portrait" | "landscape"): string;
  /** Signed URL of the original of an image, video, document or audio file. */
  download(kind: "images" | FileKind, id: string): string;
}

export type FileKind = "videos" | "documents" | "audio";

export interface Gallery {
  id: string;
  organisationId: string;
  title: string;
  slug: string;
  publishedAt: number;
  createdAt: number;
  /** Tag slugs. */
  tags: string[];
  /** Ids of the attachments, in order; the first public image is the thumbnail. */
  images: string[];
  videos: string[];
  audio: string[];
}

export interface Article extends Gallery {
  synopsis: string;
  categoryId: string;
  documents: string[];
  rating: { average: number; count: number };
  /** HTML, or a function that writes it with the links of the moment. */
  body: string | ((links: BodyLinks) => string);
}

export interface MediaFile {
  id: string;
  organisationId: string;
  title: string;
  caption: string;
  filesize: number;
  mime: string;
  /** Status of requests for its file: there is a record, but no file. */
  absent?: 404 | 410;
  createdAt: number;
  /** Null when unknown or without meaning. */
  seconds: number | null;
  read(): Promise<Buffer>;
}

export interface Image extends Omit<MediaFile, "seconds"> {
  /** Of the upright picture; 0 when the file cannot be read. */
  width: number;
  height: number;
  meta: Record<string, string>;
  private: boolean;
}

export interface Category {
  id: string;
  title: string;
  slug: string;
  order: number;
}

export interface Tag {
  slug: string;
  title: string;
  createdAt: number;
  productsCount: number;
}

/** Everything an origin serves. Collections change with their own methods, categories and tags in place. */
export interface Content extends Readonly<Record<FileKind, Collection<MediaFile>>> {
  readonly articles: Collection<Article>;
  /** Articles of other organisations: a user token counts them in the categories. */
  readonly neighbours: Collection<Article>;
  readonly galleries: Collection<Gallery>;
  readonly images: Collection<Image>;
  categories: Category[];
  tags: Tag[];
}
