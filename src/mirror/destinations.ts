import type { Catalogue } from "../catalogue/catalogue.ts";
import type { Config } from "../config.ts";
import { cached } from "../lib/cached.ts";
import { printable } from "../lib/secrets.ts";
import { bodyHash, urlPath } from "../routes/site.ts";
import { isAnswered } from "../routes/slots.ts";
import type { ApiRequest, JsonRequest } from "../routes/table.ts";
import type { MediaEntry } from "../store/media.ts";

export type LinkConfig = Pick<Config, "origin" | "site" | "mirror">;

/** Number of pages that the mirror has of a list; 0 where it has no such list. */
export type PagesOf = (list: Extract<JsonRequest, { route: "index" | "attachments" }>) => number;

/**
 * Where a URL leads, relative to the publish root and as a URL writes it; null for a file that may not be named or is missing; undefined for
 * a URL that the archive does not know.
 */
type Destination = string | null | undefined;

interface Guide {
  catalogue: Catalogue;
  config: LinkConfig;
  pagesOf: PagesOf;
  entryOf(id: string): MediaEntry | undefined;
}

/** Makes the function that says where a URL leads, as the origin's answers write it. */
export function destinationFinder(
  catalogue: Catalogue,
  config: LinkConfig,
  pagesOf: PagesOf,
): (written: string) => Destination {
  const guide: Guide = {
    catalogue,
    config,
    pagesOf,
    // An image's five links come in a row. Its entry is large.
    entryOf: cached(16, (id: string) => catalogue.media("images", id)),
  };
  return cached(2048, (written) => destinationOf(guide, written));
}

function destinationOf(guide: Guide, written: string): Destination {
  const { catalogue, config } = guide;
  const { baseUrl } = config.origin;
  if (written.startsWith("/") && !URL.canParse(written, baseUrl)) return undefined;
  const url = written.startsWith("/") ? new URL(written, baseUrl).href : written;
  const request = catalogue.routes.resolve(url);
  if (request?.route === "binary" || request?.route === "download") {
    return destinationOfImage(guide, request, url);
  }
  const isHere = request !== undefined && isAnsweredHere(guide, request);
  const file = isHere ? catalogue.routes.fileOf(request) : undefined;
  if (file !== undefined) return placed(guide, file, url);
  const located =
    catalogue.locate(url) ?? (url === written ? undefined : catalogue.locate(written));
  if (located !== undefined) {
    const hash = /#.*$/s.exec(written)?.[0] ?? "";
    // In HTML, an ampersand may begin a reference. A file keeps its hash, such as `#page=12`.
    const inPage = bodyHash(hash).replace(/&(?!text=)/g, "%26");
    const fragment = { page: inPage, file: hash, image: "" }[located.type];
    const asked = located.type === "file" && located.asked ? url : undefined;
    return placed(guide, urlPath(located.path) + fragment, asked);
  }
  return catalogue.mayName(url) ? undefined : null;
}

function destinationOfImage(
  guide: Guide,
  request: Extract<ApiRequest, { route: "binary" | "download" }>,
  url: string,
): Destination {
  const { catalogue } = guide;
  const { routes } = catalogue;
  const { id } = request;
  if (!catalogue.shows("images", id)) return null;
  const entry = guide.entryOf(id);
  if (entry === undefined) return isAbsent(catalogue, id) ? null : undefined;
  const original = request.route === "download" ? catalogue.originalPath(entry) : undefined;
  if (original !== undefined) return placed(guide, original, url);
  const scaling = request.route === "binary" ? request.scaling : {};
  const path = catalogue.renditionPath(entry, scaling) ?? null;
  // Without renditions, it is an original that browsers show. No URL of the API answers with that.
  if (path === null || entry.renditions.length === 0) return path;
  // No file answers the download of an original that is not published, or a box that no rendition is near.
  const answered =
    request.route === "download"
      ? routes.urlOf({ route: "binary", id, scaling })
      : isAnswered(routes.rules.slots, scaling)
        ? url
        : undefined;
  return placed(guide, path, answered);
}

function isAbsent(catalogue: Catalogue, id: string): boolean {
  return (["images", "images.unlisted"] as const).some((list) => {
    const digest = catalogue.snapshot.digestOf(list, id);
    return digest !== undefined && catalogue.absent("images", { id, digest });
  });
}

function isAnsweredHere({ catalogue, pagesOf }: Guide, request: JsonRequest): boolean {
  if (request.route === "all") return catalogue.snapshot.list(request.index) !== undefined;
  if (request.route !== "single") return request.page <= pagesOf(request);
  if (request.index === "images") return catalogue.shows("images", request.id);
  return catalogue.snapshot.digestOf(`${request.index}.single`, request.id) !== undefined;
}

/** @param url that the mirror answers with the same file; undefined where it answers none */
function placed(guide: Guide, path: string, url: string | undefined): string {
  return guide.config.mirror.links === "api" && url !== undefined ? apiPlace(guide, url) : path;
}

/** A URL of the API as the origin wrote it, but below the mirror root. */
function apiPlace({ catalogue, config }: Guide, url: string): string {
  const { baseUrl } = config.origin;
  const basePath = new URL(baseUrl).pathname.replace(/\/+$/, "");
  const [, path = ""] = /^(?:https?:)?\/\/[^/?#]*(.*)$/is.exec(url) ?? [];
  const { pathname, search } = new URL(url, baseUrl);
  // A path of the API that begins otherwise has steps such as `..`.
  const written = path.startsWith(`${basePath}/`) ? path : pathname + search;
  return catalogue.routes.root + printable(written.slice(basePath.length));
}
