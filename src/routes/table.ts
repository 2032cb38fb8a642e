import type { Config, ImageFormat, Paths } from "../config.ts";
import { isOriginHost } from "../lib/hosts.ts";
import { encodeSegment } from "./segments.ts";
import { type Scaling, type Slot, scalingOf } from "./slots.ts";

export const mediaKinds = ["images", "videos", "documents", "audio"] as const;
/** What can be attached to an article; galleries have no documents. */
export type MediaKind = (typeof mediaKinds)[number];

export const parents = ["articles", "galleries"] as const;
export type Parent = (typeof parents)[number];

/** An attachment endpoint: which path setting holds its template. */
export interface AttachmentRoute {
  parent: Parent;
  kind: MediaKind;
  path: keyof Paths;
}

/** The seven attachment endpoints of the API document. */
export const attachmentRoutes: readonly AttachmentRoute[] = [
  { parent: "articles", kind: "images", path: "articleImages" },
  { parent: "articles", kind: "videos", path: "articleVideos" },
  { parent: "articles", kind: "documents", path: "articleDocuments" },
  { parent: "articles", kind: "audio", path: "articleAudio" },
  { parent: "galleries", kind: "images", path: "galleryImages" },
  { parent: "galleries", kind: "videos", path: "galleryVideos" },
  { parent: "galleries", kind: "audio", path: "galleryAudio" },
];

/** One documented request to the API, without the parts that only authorise it. */
export type ApiRequest =
  | { route: "index"; index: "articles" | "galleries" | MediaKind; page: number }
  | { route: "all"; index: "categories" | "tags" }
  | { route: "single"; index: "articles" | "galleries" | "images"; id: string }
  | { route: "attachments"; parent: Parent; id: string; kind: MediaKind; page: number }
  | { route: "binary"; id: string; scaling: Scaling }
  | { route: "download"; id: string };

export type IndexName = Extract<ApiRequest, { route: "index" | "all" }>["index"];

/**
 * The route table: API requests <-> URLs of the origin <-> files of the mirror. Nothing else in this project
 * joins a path and an id.
 */
export interface Routes {
  /** Folder of the mirror below the publish root, such as `api/v1`, without slashes around it. */
  readonly root: string;
  /** URL of a request at the origin; undefined where this origin has no such endpoint. */
  urlOf(request: ApiRequest): string | undefined;
  /** File of the answer, relative to the publish root. A binary request names the JPEG of its slot by `fileOfImage`. */
  fileOf(request: Exclude<ApiRequest, { route: "binary" }>): string | undefined;
  /** File of one rendition of an image, relative to the publish root. */
  fileOfImage(id: string, slot: Slot, format: ImageFormat): string;
  /** The request that a URL of the origin makes, or undefined where it is none of the documented ones. */
  resolve(url: string): ApiRequest | undefined;
}

interface Template {
  /** Path below the base, with {id}. */
  path: string;
  request: (id: string, page: number) => ApiRequest;
}

/** Builds the table for one origin: its base URL and the paths that the API document does not show. */
export function createRoutes(config: Pick<Config, "origin" | "mirror">): Routes {
  const base = new URL(config.origin.baseUrl);
  const basePath = base.pathname.replace(/\/+$/, "");
  const root = mirrorRoot(config.mirror.root, basePath);
  const templates = templatesOf(config.origin.paths);
  const matchers = templates.map((template) => ({ template, pattern: patternOf(template.path) }));

  function pathOf(request: ApiRequest): string | undefined {
    switch (request.route) {
      case "index":
        return indexPath(request.index, config.origin.paths) ?? undefined;
      case "all":
        return `/${request.index}`;
      case "single":
        return fill(
          request.index === "images" ? config.origin.paths.image : `/${request.index}/{id}`,
          request.id,
        );
      case "attachments": {
        const route = attachmentRoutes.find(
          (r) => r.parent === request.parent && r.kind === request.kind,
        );
        return route && fill(config.origin.paths[route.path], request.id);
      }
      case "binary":
        return fill("/images/{id}.jpg", request.id);
      case "download":
        return fill("/images/{id}/download", request.id);
    }
  }

  function fileOf(request: Exclude<ApiRequest, { route: "binary" }>): string | undefined {
    switch (request.route) {
      case "all":
        return `${root}/${request.index}/index.json`;
      case "single":
        return `${root}/${request.index}/${encodeSegment(request.id)}.json`;
      case "download":
        return `${root}/images/${encodeSegment(request.id)}/download`;
      case "index": {
        const path = indexPath(request.index, config.origin.paths);
        return path === null ? undefined : pageFile(`${root}${foldersOf(path)}`, request.page);
      }
      case "attachments": {
        const route = attachmentRoutes.find(
          (r) => r.parent === request.parent && r.kind === request.kind,
        );
        const path = route && config.origin.paths[route.path];
        if (path === undefined || path === null) return undefined;
        return pageFile(`${root}${foldersOf(path, request.id)}`, request.page);
      }
    }
  }

  return {
    root,
    urlOf(request) {
      const path = pathOf(request);
      if (path === undefined) return undefined;
      const page = "page" in request && request.page > 1 ? request.page : undefined;
      if (page === undefined) return config.origin.baseUrl + path;
      return `${config.origin.baseUrl}${path}${path.includes("?") ? "&" : "?"}page=${page}`;
    },
    fileOf,
    fileOfImage(id, slot, format) {
      const extension = format === "jpeg" ? "jpg" : format;
      const folder = `${root}/images/${encodeSegment(id)}`;
      return slot === "web" ? `${folder}.${extension}` : `${folder}/${slot}.${extension}`;
    },
    resolve(text) {
      const url = parseUrl(text, base);
      if (url === undefined || !isOriginHost(url, base, config.origin.allowHosts)) return undefined;
      if (!url.pathname.startsWith(`${basePath}/`)) return undefined;
      const path = url.pathname.slice(basePath.length);
      const image = /^\/images\/([^/]+?)(?:\.jpe?g|(\/download))$/i.exec(path);
      if (image?.[1] !== undefined) {
        const id = decode(image[1]);
        if (id === undefined) return undefined;
        return image[2] === undefined
          ? { route: "binary", id, scaling: scalingOf(url.searchParams) }
          : { route: "download", id };
      }
      for (const { template, pattern } of matchers) {
        const match = pattern.exec(path + fixedQuery(url, template.path));
        if (match === null) continue;
        const id = decode(match[1] ?? "");
        const page = pageOf(url, template.path);
        if (id === undefined || page === undefined) return undefined;
        return template.request(id, page);
      }
      return undefined;
    },
  };
}

function mirrorRoot(setting: string, basePath: string): string {
  const path = setting === "auto" ? basePath : setting.replace(/\/+$/, "");
  return (path === "" ? "/api" : path).slice(1);
}

function indexPath(index: IndexName, paths: Paths): string | null {
  return index === "videos" || index === "documents" || index === "audio"
    ? paths[index]
    : `/${index}`;
}

function templatesOf(paths: Paths): Template[] {
  const templates: Template[] = [];
  const add = (path: string | null, request: Template["request"]): void => {
    if (path !== null) templates.push({ path, request });
  };
  for (const { parent, kind, path } of attachmentRoutes) {
    add(paths[path], (id, page) => ({ route: "attachments", parent, id, kind, page }));
  }
  for (const index of ["articles", "galleries", ...mediaKinds] as const) {
    add(indexPath(index, paths), (_, page) => ({ route: "index", index, page }));
  }
  for (const index of ["categories", "tags"] as const) {
    add(`/${index}`, () => ({ route: "all", index }));
  }
  for (const index of ["articles", "galleries"] as const) {
    add(`/${index}/{id}`, (id) => ({ route: "single", index, id }));
  }
  add(paths.image, (id) => ({ route: "single", index: "images", id }));
  return templates;
}

function fill(template: string | null, id: string): string | undefined {
  return template === null ? undefined : template.replace("{id}", encodeURIComponent(id));
}

/** Folders of a path template in the mirror; a fixed query becomes reserved `by/{name}/{value}` segments. */
function foldersOf(template: string, id?: string): string {
  const [path = "", query = ""] = template.split("?");
  const segments = path.split("/").slice(1);
  for (const [name, value] of new URLSearchParams(query)) segments.push("by", name, value);
  const encoded = segments.map((segment) => {
    if (segment === "by" || !segment.includes("{id}"))
      return segment === "by" ? segment : encodeSegment(segment);
    return encodeSegment(segment.replace("{id}", id ?? ""));
  });
  return `/${encoded.join("/")}`;
}

function pageFile(folder: string, page: number): string {
  return page === 1 ? `${folder}/index.json` : `${folder}/page/${page}.json`;
}

function patternOf(template: string): RegExp {
  const [path = "", query] = template.split("?");
  const fixed = [...new URLSearchParams(query ?? "")].map(([name, value]) => {
    return `${name}=${encodeURIComponent(value).replace("%7Bid%7D", "{id}")}`;
  });
  const written = query === undefined ? path : `${path}?${fixed.join("&")}`;
  const [before = "", after = ""] = written.split("{id}");
  const middle = written.includes("{id}") ? "([^/&]+)" : "";
  return new RegExp(`^${escapeRegExp(before)}${middle}${escapeRegExp(after)}$`);
}

/** The part of a URL's query that its path template prescribes, in the template's order. */
function fixedQuery(url: URL, template: string): string {
  const query = template.split("?")[1];
  if (query === undefined) return "";
  const names = [...new URLSearchParams(query).keys()];
  return `?${names.map((name) => `${name}=${encodeURIComponent(url.searchParams.get(name) ?? "")}`).join("&")}`;
}

/** The page a URL asks for, 1 without one; undefined where its query asks for anything else as well. */
function pageOf(url: URL, template: string): number | undefined {
  const fixed = new Set(new URLSearchParams(template.split("?")[1] ?? "").keys());
  let page = 1;
  for (const [name, value] of url.searchParams) {
    if (fixed.has(name) || name === "expires" || name === "signature") continue;
    if (name !== "page" || !/^[1-9]\d{0,8}$/.test(value)) return undefined;
    page = Number(value);
  }
  return page;
}

function parseUrl(text: string, base: URL): URL | undefined {
  if (!/^(?:https?:)?\/\/?[^/]/i.test(text)) return undefined;
  try {
    return new URL(text, base.href);
  } catch {
    return undefined;
  }
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

function escapeRegExp(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}
