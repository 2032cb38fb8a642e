import type { Links } from "./links.ts";
import type { List, Lists, TokenKind } from "./lists.ts";
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

/** Path template below the base path, and what answers there. First match wins. */
export type Endpoint = readonly [template: string, handler: Handler];

/** The JSON endpoints of the API document, at the paths that the options give them. */
export function jsonEndpoints(
  content: Content,
  options: OriginOptions,
  lists: Lists,
  objects: Objects,
  links: Links,
): Endpoint[] {
  const paged = <T>(
    ask: Ask,
    list: List<T>,
    write: (item: T) => unknown,
    pageSize = options.pageSize,
  ): unknown => {
    const request = { ...options, path: links.api(ask.path), query: ask.query, pageSize };
    return envelope(pageOf(list, request).map(write), list.length, request);
  };
  const attachmentPageSize = options.attachmentPageSize ?? options.pageSize;

  const visible = ({ id, token }: Ask): Article | undefined => {
    const own = content.articles.get(id);
    if (own || token === "organisation" || options.userSees === "organisation") return own;
    return content.neighbours.get(id);
  };

  const images =
    (owner: (ask: Ask) => Article | Gallery | undefined): Handler =>
    (ask) => {
      const found = owner(ask);
      if (!found) return undefined;
      const rows = objects.attachedImages(found);
      return paged(ask, listOf(rows), objects.image, attachmentPageSize);
    };

  const files =
    (
      kind: FileKind,
      owner: (ask: Ask) => (Partial<Record<FileKind, string[]>> & { id: string }) | undefined,
    ): Handler =>
    (ask) => {
      const found = owner(ask);
      if (!found) return undefined;
      const rows = objects.rowsOf(found.id, found[kind] ?? []);
      const files = rows.flatMap((id) => content[kind].get(id) ?? []);
      return paged(ask, listOf(files), (one) => objects.file(kind, one), attachmentPageSize);
    };

  const gallery = ({ id }: Ask): Gallery | undefined => content.galleries.get(id);
  const standalone =
    (kind: FileKind): Handler =>
    (ask) =>
      paged(ask, content[kind], (one) => objects.file(kind, one));

  const withPrivate = ({ query, token }: Ask): boolean =>
    token === "organisation" && ["1", "true"].includes(query.get("private") ?? "");

  const { paths } = options;
  const endpoints: (readonly [template: string | null, handler: Handler])[] = [
    ["/articles", (ask) => paged(ask, lists.articles(ask.token, ask.query), objects.articleItem)],
    ["/articles/{id}", (ask) => wrap(visible(ask), objects.articleSingle)],
    ["/galleries", (ask) => paged(ask, lists.galleries(ask.query), objects.galleryItem)],
    ["/galleries/{id}", (ask) => wrap(gallery(ask), objects.gallerySingle)],
    ["/images", (ask) => paged(ask, lists.images(withPrivate(ask)), objects.image)],
    [
      "/categories",
      ({ token }) => ({
        data: content.categories.map((one) => objects.category(one, lists.counts(), token)),
      }),
    ],
    [
      "/tags",
      () => ({
        data: content.tags
          .filter(({ organisationId }) => organisationId === content.organisationId)
          .map((one) => objects.tag(one, lists.counts())),
      }),
    ],
    [paths.articleImages, images(visible)],
    [paths.articleVideos, files("videos", visible)],
    [paths.articleDocuments, files("documents", visible)],
    [paths.articleAudio, files("audio", visible)],
    [paths.galleryImages, images(gallery)],
    [paths.galleryVideos, files("videos", gallery)],
    [paths.galleryAudio, files("audio", gallery)],
    [
      paths.image,
      ({ id, token }) => {
        const image = content.images.get(id);
        if (image?.private && token !== "organisation") return undefined;
        return wrap(image, objects.imageSingle);
      },
    ],
    [paths.videos, standalone("videos")],
    [paths.documents, standalone("documents")],
    [paths.audio, standalone("audio")],
  ];
  return endpoints.flatMap(([template, handler]) =>
    template === null ? [] : [[template, handler] as const],
  );
}

function wrap<T>(item: T | undefined, write: (item: T) => unknown): unknown {
  return item && { data: write(item) };
}

function listOf<T>(items: T[]): List<T> {
  return { length: items.length, at: (place) => items[place] };
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
      if (match) return { value, id: decoded(match[1] ?? "") };
    }
    return undefined;
  };
}

/** A path segment without its percent escapes; unchanged if they are broken. */
function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
