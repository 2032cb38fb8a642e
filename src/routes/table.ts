import type { Config, ImageFormat } from "../config.ts";
import { isOriginHost } from "../lib/hosts.ts";
import { folderOf, isFiltered, parametersOf } from "./filters.ts";
import { parseQuery } from "./query.ts";
import {
  type ApiRequest,
  decodedSegment,
  type JsonRequest,
  matchEndpoint,
  matchImage,
} from "./requests.ts";
import { type Endpoint, type EndpointTarget, extensions, type Rules, rulesOf } from "./rules.ts";
import { encodeSegment } from "./segments.ts";
import { nearestSlotOf, queryOfScaling, type Slot, scalingOf } from "./slots.ts";

export type { ApiRequest, IndexName, JsonRequest } from "./requests.ts";
export type { AttachmentRoute, MediaKind, Parent } from "./rules.ts";
export { attachmentRoutes, mediaKinds, parents } from "./rules.ts";

/** The route table of a mirror: API requests <-> its files. Nothing else in this project joins a path and an id. */
export interface MirrorTable {
  readonly rules: Rules;
  /** Folder of the mirror below the publish root, such as `api/v1`, without slashes around it. */
  readonly root: string;
  /**
   * The request that a path below the base and a query make; undefined where it is none of the documented ones,
   * or asks for a page, year or month that is no number. A slash at the end of a path does not matter.
   */
  match(path: string, query: string): ApiRequest | undefined;
  /** Path below the base, and query, of a request; undefined where this origin has no such endpoint. */
  pathOf(request: ApiRequest): string | undefined;
  /** File of an answer in JSON, relative to the publish root. */
  fileOf(request: JsonRequest): string | undefined;
  /** File that lists nothing, for filters without a list of their own. */
  emptyFileOf(index: "articles" | "galleries"): string;
  /** File that tells a server of every item's filters, for combinations without lists of their own. */
  filterIndexOf(index: "articles" | "galleries"): string;
  /** File of one rendition of an image, relative to the publish root. */
  fileOfImage(id: string, slot: Slot, format: ImageFormat): string;
  /**
   * File that links to a rendition name. It is another one than `fileOfImage` for the web version of an image whose
   * id is not its own segment, because a server would take that one's path for the address of another image.
   */
  linkedFileOfImage(id: string, slot: Slot, format: ImageFormat): string;
  /** File that answers a query for a size that was put behind the link to a web version. */
  scaledFileOf(path: string, query: string): string | undefined;
  /** File of an original, relative to the publish root; see `mediaEnding` for how its name ends. */
  fileOfOriginal(id: string, ending: string): string;
  /**
   * File of a video, document or audio file whose link at the origin has this path below the base, relative to the
   * publish root; undefined where that is the path of another answer, or none that every host can be asked for. The
   * path is a folder of its own, so that it can begin with another one's.
   */
  fileOfLink(path: string, ending: string): string | undefined;
}

/** The mirror's table together with the URLs of its origin. */
export interface Routes extends MirrorTable {
  /** URL of a request at the origin; undefined where this origin has no such endpoint. */
  urlOf(request: ApiRequest): string | undefined;
  /** URL of a page of the image index with the private images among the public ones. */
  privateUrlOf(page: number): string;
  /** A URL at a former address of the origin as it is today; any other as it is. */
  todays(url: string): string;
  /** The request that a URL of the origin makes, or undefined where it is none of the documented ones. */
  resolve(url: string): ApiRequest | undefined;
  /** Path below the base of a URL of the origin, its escapes as they are; undefined for any other URL. */
  pathBelow(url: string): string | undefined;
}

/**
 * Builds the table for one origin.
 *
 * @param origins base URLs that it has had, of which older texts still name some
 */
export function createRoutes(
  config: Pick<Config, "origin" | "mirror" | "media">,
  origins: readonly string[] = [],
): Routes {
  const { origin } = config;
  const table = createTable(rulesOf(config));
  const { base, folder } = baseOf(origin.baseUrl);
  const former = origins.filter((one) => one !== origin.baseUrl).map(baseOf);

  function urlOf(request: ApiRequest): string | undefined {
    const path = table.pathOf(request);
    return path === undefined ? undefined : origin.baseUrl + path;
  }

  function todays(text: string): string {
    for (const { base: old, folder: oldFolder } of former) {
      const url = parseUrl(text, old);
      if (url === undefined || (url.host !== old.host && url.host !== base.host)) continue;
      if (url.host === base.host && url.pathname.startsWith(folder)) return text;
      const inside = url.pathname.startsWith(oldFolder);
      // From the root of the host, the old path is found at the new host.
      if (url.host !== old.host && (!inside || oldFolder === "/")) continue;
      const path = inside ? folder + url.pathname.slice(oldFolder.length) : url.pathname;
      return base.origin + path + url.search + url.hash;
    }
    return text;
  }

  function ofOrigin(text: string): URL | undefined {
    const url = parseUrl(todays(text), base);
    if (url === undefined || !isOriginHost(url, base, origin.allowHosts)) return undefined;
    return url.pathname.startsWith(folder) ? url : undefined;
  }

  return {
    ...table,
    urlOf,
    todays,
    privateUrlOf(page) {
      const url = urlOf({ route: "index", index: "images", page }) as string;
      return `${url}${url.includes("?") ? "&" : "?"}private=1`;
    },
    resolve(text) {
      const url = ofOrigin(text);
      return url && table.match(url.pathname.slice(folder.length - 1), url.search);
    },
    pathBelow: (text) => ofOrigin(text)?.pathname.slice(folder.length - 1),
  };
}

/** Builds the table from the rules that a mirror publishes. */
export function createTable(rules: Rules): MirrorTable {
  const { root, endpoints } = rules;
  const imagesFolder = `${root}/images`;

  const byName = new Map(endpoints.map((endpoint) => [targetName(endpoint.target), endpoint]));
  const endpointOf = (target: EndpointTarget): Endpoint | undefined =>
    byName.get(targetName(target));

  return {
    rules,
    root,
    match(path, query) {
      const values = parseQuery(query);
      return matchImage(path, values) ?? matchEndpoint(endpoints, path, values);
    },
    pathOf(request) {
      if (request.route === "binary") {
        return `${fill("/images/{id}.jpg", request.id)}${queryOfScaling(request.scaling)}`;
      }
      if (request.route === "download") return fill("/images/{id}/download", request.id);
      const endpoint = endpointOf(request);
      if (endpoint === undefined) return undefined;
      const id = "id" in request ? request.id : "";
      const parameters = [
        ...endpoint.query.map(([name, value]) => [name, value.replace("{id}", () => id)]),
        ...(request.route === "index" ? parametersOf(request.filters ?? {}) : []),
        ...("page" in request && request.page > 1 ? [["page", String(request.page)]] : []),
      ];
      const query = parameters.map(([name = "", value = ""]) => `${name}=${encode(value)}`);
      return fill(endpoint.path, id) + (query.length === 0 ? "" : `?${query.join("&")}`);
    },
    fileOf(request) {
      const endpoint = endpointOf(request);
      if (endpoint === undefined) return undefined;
      const id = "id" in request ? request.id : "";
      const segments = endpoint.place.split("/").map((segment) => segmentOf(segment, id));
      const place = `${root}/${segments.join("/")}`;
      if (request.route === "single") return place;
      if (request.route === "all") return `${place}/index.json`;
      const filters = request.route === "index" ? request.filters : undefined;
      const folder = isFiltered(filters) ? `${place}/${folderOf(filters)}` : place;
      return request.page === 1 ? `${folder}/index.json` : `${folder}/page/${request.page}.json`;
    },
    emptyFileOf: (index) => `${root}/${index}/by/none.json`,
    filterIndexOf: (index) => `${root}/${index}/by/index.json`,
    linkedFileOfImage(id, slot, format) {
      const segment = encodeSegment(id);
      return slot === "web" && format === "jpeg" && segment !== id
        ? `${imagesFolder}/by/web/${segment}.jpg`
        : this.fileOfImage(id, slot, format);
    },
    scaledFileOf(path, query) {
      const folder = `${imagesFolder}/by/web/`;
      if (!path.startsWith(folder)) return undefined;
      const slot = nearestSlotOf(rules.slots, scalingOf(parseQuery(query)));
      return slot === "web" ? undefined : `${imagesFolder}/by/${slot}/${path.slice(folder.length)}`;
    },
    fileOfImage(id, slot, format) {
      const name = `${encodeSegment(id)}.${extensions[format]}`;
      return slot === "web" ? `${imagesFolder}/${name}` : `${imagesFolder}/by/${slot}/${name}`;
    },
    fileOfOriginal: (id, ending) => `${imagesFolder}/by/download/${encodeSegment(id)}${ending}`,
    fileOfLink(path, ending) {
      const segments = segmentsOf(path);
      if (segments === undefined || this.match(path, "") !== undefined) return undefined;
      // No segment is called so.
      return `${linkFolder(root)}${segments.map(encodeSegment).join("/")}/index${ending}`;
    },
  };
}

/** Folder of the files that `fileOfLink` names, with a slash at its end. */
export function linkFolder(root: string): string {
  return `${root}/by/download/`;
}

/** More than any path of an API has. */
const mostSegments = 10;

/**
 * The segments of a path without escapes; a slash at its end does not matter. Undefined where one is empty, or holds
 * what servers refuse in a path.
 */
export function segmentsOf(path: string): string[] | undefined {
  const segments = path.replace(/\/$/, "").split("/").slice(1).map(decodedSegment);
  if (segments.length === 0 || segments.length > mostSegments) return undefined;
  const found: string[] = [];
  for (const segment of segments) {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused
    if (segment === undefined || !/^(?!\.{0,2}$)[^/\\\0-\x1f\x7f]+$/.test(segment))
      return undefined;
    found.push(segment);
  }
  return found;
}

function targetName(target: EndpointTarget): string {
  return target.route === "attachments"
    ? `${target.parent} ${target.kind}`
    : `${target.route} ${target.index}`;
}

/** One segment of a place: reserved words and names of files as they are, everything else encoded. */
function segmentOf(pattern: string, id: string): string {
  if (pattern === "by") return pattern;
  if (pattern === "{id}.json") return `${encodeSegment(id)}.json`;
  return encodeSegment(pattern.replace("{id}", () => id));
}

function fill(template: string, id: string): string {
  return template.replace("{id}", () => encodeAll(id));
}

/** A value in a query, its commas as they are. */
function encode(value: string): string {
  return encodeAll(value).replaceAll("%2C", ",");
}

/** Escapes also what may stand in a URL, and ends one in a text or an attribute. */
function encodeAll(value: string): string {
  return encodeURIComponent(value).replace(
    /[!'()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/** A base URL, and its path with a slash at the end. */
function baseOf(baseUrl: string): { base: URL; folder: string } {
  const base = new URL(baseUrl);
  return { base, folder: `${base.pathname.replace(/\/+$/, "")}/` };
}

function parseUrl(text: string, base: URL): URL | undefined {
  if (!/^(?:https?:)?\/\/?[^/]/i.test(text)) return undefined;
  try {
    return new URL(text, base.href);
  } catch {
    return undefined;
  }
}
