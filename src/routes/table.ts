import type { Config, ImageFormat } from "../config.ts";
import { orUndefined } from "../lib/or-undefined.ts";
import { isOriginHost } from "../lib/urls.ts";
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
export type MirrorTable = ReturnType<typeof createTable>;

/** The mirror's table together with the URLs of its origin. */
export type Routes = ReturnType<typeof createRoutes>;

/** Builds the table for one origin. @param origins base URLs that it has had, of which older texts still name some */
export function createRoutes(
  config: Pick<Config, "origin" | "mirror" | "media">,
  origins: readonly string[] = [],
) {
  const { origin } = config;
  const table = createTable(rulesOf(config));
  const { base, folder } = baseOf(origin.baseUrl);
  const former = origins.filter((one) => one !== origin.baseUrl).map(baseOf);

  /** URL of a request at the origin; undefined where this origin has no such endpoint. */
  function urlOf(request: ApiRequest): string | undefined {
    const path = table.pathOf(request);
    return path && origin.baseUrl + path;
  }

  /** A URL at a former address of the origin as it is today; any other as it is. */
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
    /** URL of a page of the image index with the private images among the public ones. */
    privateUrlOf(page: number): string {
      const url = urlOf({ route: "index", index: "images", page }) as string;
      return `${url}${url.includes("?") ? "&" : "?"}private=1`;
    },
    /** The request that a URL of the origin makes, or undefined where it is none of the documented ones. */
    resolve(text: string): ApiRequest | undefined {
      const url = ofOrigin(text);
      return url && table.match(url.pathname.slice(folder.length - 1), url.search);
    },
    /** Path below the base of a URL of the origin, its escapes as they are; undefined for any other URL. */
    pathBelow: (text: string) => ofOrigin(text)?.pathname.slice(folder.length - 1),
  };
}

/** Builds the table from the rules that a mirror publishes. */
export function createTable(rules: Rules) {
  const { root, endpoints } = rules;
  const imagesFolder = `${root}/images`;
  const byName = new Map(endpoints.map((endpoint) => [targetName(endpoint.target), endpoint]));

  /**
   * The request that a path below the base and a query make; undefined where it is none of the documented ones,
   * or asks for a page, year or month that is no number. A slash at the end of a path does not matter.
   */
  function match(path: string, query: string): ApiRequest | undefined {
    const values = parseQuery(query);
    return matchImage(path, values) ?? matchEndpoint(endpoints, path, values);
  }

  /** File of one rendition of an image, relative to the publish root. */
  function fileOfImage(id: string, slot: Slot, format: ImageFormat): string {
    const name = `${encodeSegment(id)}.${extensions[format]}`;
    return slot === "web" ? `${imagesFolder}/${name}` : `${imagesFolder}/by/${slot}/${name}`;
  }

  return {
    rules,
    /** Folder of the mirror below the publish root, such as `api/v1`, without slashes around it. */
    root,
    match,
    /** Path below the base, and query, of a request; undefined where this origin has no such endpoint. */
    pathOf(request: ApiRequest): string | undefined {
      if (request.route === "binary") {
        return `${fill("/images/{id}.jpg", request.id)}${queryOfScaling(request.scaling)}`;
      }
      if (request.route === "download") return fill("/images/{id}/download", request.id);
      const endpoint = byName.get(targetName(request));
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
    /** File of an answer in JSON, relative to the publish root. */
    fileOf(request: JsonRequest): string | undefined {
      const endpoint = byName.get(targetName(request));
      if (endpoint === undefined) return undefined;
      const place = `${root}/${placeOf(endpoint, "id" in request ? request.id : "")}`;
      if (request.route === "single") return place;
      if (request.route === "all") return `${place}/index.json`;
      const filters = request.route === "index" ? request.filters : undefined;
      const folder = isFiltered(filters) ? `${place}/${folderOf(filters)}` : place;
      return request.page === 1 ? `${folder}/index.json` : `${folder}/page/${request.page}.json`;
    },
    /** File that lists nothing, for filters without a list of their own. */
    emptyFileOf: (index: "articles" | "galleries") => `${root}/${index}/by/none.json`,
    /** File that tells a server of every item's filters, for combinations without lists of their own. */
    filterIndexOf: (index: "articles" | "galleries") => `${root}/${index}/by/index.json`,
    fileOfImage,
    /**
     * File that links to a rendition name. A server would take the path of `fileOfImage` for the address of another
     * image, where it is the web version of one whose id is not its own segment.
     */
    linkedFileOfImage(id: string, slot: Slot, format: ImageFormat): string {
      const segment = encodeSegment(id);
      return slot === "web" && format === "jpeg" && segment !== id
        ? `${imagesFolder}/by/web/${segment}.jpg`
        : fileOfImage(id, slot, format);
    },
    /** File that answers a query for a size that was put behind the link to a web version. */
    scaledFileOf(path: string, query: string): string | undefined {
      const folder = `${imagesFolder}/by/web/`;
      if (!path.startsWith(folder)) return undefined;
      const slot = nearestSlotOf(rules.slots, scalingOf(parseQuery(query)));
      return slot === "web" ? undefined : `${imagesFolder}/by/${slot}/${path.slice(folder.length)}`;
    },
    /** File of an original, relative to the publish root; see `mediaEnding` for how its name ends. */
    fileOfOriginal: (id: string, ending: string) =>
      `${imagesFolder}/by/download/${encodeSegment(id)}${ending}`,
    /**
     * File of a video, document or audio file whose link at the origin has this path below the base; undefined where
     * that is the path of another answer, or none that every host can be asked for. The path is a folder of its own,
     * so that it can begin with another one's.
     */
    fileOfLink(path: string, ending: string): string | undefined {
      const segments = segmentsOf(path);
      if (segments === undefined || match(path, "") !== undefined) return undefined;
      // No segment is called index.
      return `${linkFolder(root)}${segments.map(encodeSegment).join("/")}/index${ending}`;
    },
  };
}

/** Path below the mirror root of an endpoint's answers for an id: a folder, or the file of a single object. */
export function placeOf({ place }: Pick<Endpoint, "place">, id: string): string {
  const segments = place.split("/").map((segment) => {
    // Reserved words and names of files are as they are.
    if (segment === "by") return segment;
    if (segment === "{id}.json") return `${encodeSegment(id)}.json`;
    return encodeSegment(segment.replace("{id}", () => id));
  });
  return segments.join("/");
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
  const isAllowed = (segment: string | undefined): segment is string =>
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused
    segment !== undefined && /^(?!\.{0,2}$)[^/\\\0-\x1f\x7f]+$/.test(segment);
  return segments.every(isAllowed) ? segments : undefined;
}

function targetName(target: EndpointTarget): string {
  return target.route === "attachments"
    ? `${target.parent} ${target.kind}`
    : `${target.route} ${target.index}`;
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
  return orUndefined(() => new URL(text, base.href));
}
