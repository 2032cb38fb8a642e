import { percentDecoded } from "../lib/urls.ts";
import type { Links } from "./links.ts";
import type { Lists, TokenKind } from "./lists.ts";
import type { Article, Content, FileKind, Gallery } from "./model.ts";
import type { Objects } from "./objects.ts";
import type { OriginOptions } from "./options.ts";
import { envelope, pageOf } from "./paging.ts";

/** A request to a JSON endpoint that carried a right token. */
export interface Ask {
  /** Decoded `{id}` of the path, "" where it has none. */
  id: string;
  /** Path below the base path. */
  path: string;
  query: URLSearchParams;
  token: TokenKind;
}

/** Gives the JSON value to answer with; undefined = 404. */
export type Handler = (ask: Ask) => unknown;

/** The JSON endpoints of the API document, at the paths that the options give them. */
export function jsonEndpoints(
  content: Content,
  options: OriginOptions,
  { lists, objects, links }: { lists: Lists; objects: Objects; links: Links },
): [template: string, handler: Handler][] {
  const paged = <T>(ask: Ask, items: T[], write: (item: T) => unknown, pageSize: number) => {
    const request = { ...options, path: links.api(ask.path), query: ask.query, pageSize };
    return envelope(pageOf(items, request).map(write), items.length, request);
  };
  const index =
    <T>(items: (ask: Ask) => T[], write: (item: T) => unknown): Handler =>
    (ask) =>
      paged(ask, items(ask), write, options.pageSize);
  const single =
    <T>(find: (ask: Ask) => T | undefined, write: (item: T) => unknown): Handler =>
    (ask) => {
      const found = find(ask);
      return found && { data: write(found) };
    };
  const attachments =
    <O, T>(
      owner: (ask: Ask) => O | undefined,
      items: (owner: O) => T[],
      write: (item: T) => unknown,
    ): Handler =>
    (ask) => {
      const found = owner(ask);
      const pageSize = options.attachmentPageSize ?? options.pageSize;
      return found && paged(ask, items(found), write, pageSize);
    };

  const article = ({ id, token }: Ask): Article | undefined => {
    const own = content.articles.get(id);
    if (own || token === "organisation" || options.userSees === "organisation") return own;
    return content.neighbours.get(id);
  };
  const gallery = ({ id }: Ask): Gallery | undefined => content.galleries.get(id);
  const image = ({ id, token }: Ask) => {
    const found = content.images.get(id);
    return found?.private && token !== "organisation" ? undefined : found;
  };
  const withPrivate = ({ query, token }: Ask): boolean =>
    token === "organisation" && ["1", "true"].includes(query.get("private") ?? "");
  const imagesOf = (owner: (ask: Ask) => Article | Gallery | undefined): Handler =>
    attachments(owner, objects.attachedImages, objects.image);
  const filesOf = (kind: FileKind, owner: (ask: Ask) => Article | Gallery | undefined): Handler =>
    attachments(
      owner,
      (one) => objects.attachedFiles(kind, one),
      (file) => objects.file(kind, file),
    );
  const files = (kind: FileKind): Handler =>
    index(
      () => [...content[kind]],
      (file) => objects.file(kind, file),
    );

  const { paths } = options;
  const endpoints: [template: string | null, handler: Handler][] = [
    ["/articles", index(({ token, query }) => lists.articles(token, query), objects.articleItem)],
    ["/articles/{id}", single(article, objects.articleSingle)],
    ["/galleries", index(({ query }) => lists.galleries(query), objects.galleryItem)],
    ["/galleries/{id}", single(gallery, objects.gallerySingle)],
    ["/images", index((ask) => lists.images(withPrivate(ask)), objects.image)],
    ["/categories", ({ token }) => ({ data: objects.categories(lists.categoryCounts(token)) })],
    ["/tags", () => ({ data: objects.tags(lists.tagCounts()) })],
    [paths.articleImages, imagesOf(article)],
    [paths.articleVideos, filesOf("videos", article)],
    [paths.articleDocuments, filesOf("documents", article)],
    [paths.articleAudio, filesOf("audio", article)],
    [paths.galleryImages, imagesOf(gallery)],
    [paths.galleryVideos, filesOf("videos", gallery)],
    [paths.galleryAudio, filesOf("audio", gallery)],
    [paths.image, single(image, objects.imageSingle)],
    [paths.videos, files("videos")],
    [paths.documents, files("documents")],
    [paths.audio, files("audio")],
  ];
  return endpoints.filter((one): one is [string, Handler] => one[0] !== null);
}

/** Finds the first template that a path fits, with its decoded `{id}`. */
export function matcher<T>(
  endpoints: readonly (readonly [template: string, value: T])[],
): (path: string) => { value: T; id: string } | undefined {
  const compiled = endpoints.map(([template, value]) => {
    const escaped = template.replace(/[.*+?^$()|[\]\\]/g, "\\$&");
    return { pattern: new RegExp(`^${escaped.replace("{id}", "([^/]+)")}/?$`), value };
  });
  return (path) => {
    for (const { pattern, value } of compiled) {
      const match = pattern.exec(path);
      if (match) return { value, id: percentDecoded(match[1] ?? "") };
    }
    return undefined;
  };
}
