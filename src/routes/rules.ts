import type { Config, Paths } from "../config.ts";
import type { FilterName } from "./filters.ts";
import { type SlotTable, slotTable } from "./slots.ts";

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

/** What an endpoint answers: pages of a list, one whole list, or one object. */
export type EndpointTarget =
  | { route: "index"; index: "articles" | "galleries" | MediaKind }
  | { route: "all"; index: "categories" | "tags" }
  | { route: "single"; index: "articles" | "galleries" | "images" }
  | { route: "attachments"; parent: Parent; kind: MediaKind };

/** An endpoint of the API that answers with JSON. */
export interface Endpoint {
  target: EndpointTarget;
  /** Path below the base address, `{id}` standing for the id, which may be part of a segment. */
  path: string;
  /** Parameters that belong to the path; a value may be `{id}`. */
  query: [name: string, value: string][];
  /** Path of its answers below the mirror root, `{id}` standing for the id's segment: a folder, of an object a file. */
  place: string;
  /** Filters that it knows. */
  filters: FilterName[];
}

/** What a mirror answers, as plain data. It is published with the mirror, and every host configuration is made of it. */
export interface Rules {
  /** Folder of the mirror below the publish root, such as `api/v1`, without slashes around it. */
  root: string;
  /** In the order in which they are tried. */
  endpoints: Endpoint[];
  /** Combinations of filters whose lists are files. */
  filters: string[];
  slots: SlotTable;
}

/** Extensions of the mirror's renditions by format. */
export const extensions = { jpeg: "jpg", webp: "webp", avif: "avif" } as const;

export function rulesOf(config: Pick<Config, "origin" | "mirror" | "media">): Rules {
  const { origin, mirror, media } = config;
  const basePath = new URL(origin.baseUrl).pathname.replace(/\/+$/, "");
  return {
    root: mirrorRoot(mirror.root, basePath),
    endpoints: endpointsOf(origin.paths),
    filters: mirror.filters,
    slots: slotTable(media),
  };
}

function mirrorRoot(setting: string, basePath: string): string {
  const path = setting === "auto" ? basePath : setting.replace(/\/+$/, "");
  return (path === "" ? "/api" : path).slice(1);
}

function endpointsOf(paths: Paths): Endpoint[] {
  const endpoints: Endpoint[] = [];
  const add = (
    template: string | null,
    target: EndpointTarget,
    filters: FilterName[] = [],
    place?: string,
  ): void => {
    if (template === null) return;
    const [path = "", query = ""] = template.split("?");
    const fixed = [...new URLSearchParams(query)];
    const folder = place ?? folderOfList(path, fixed);
    endpoints.push({ target, path, query: fixed, place: folder, filters });
  };
  for (const { parent, kind, path } of attachmentRoutes) {
    add(paths[path], { route: "attachments", parent, kind });
  }
  add("/articles", { route: "index", index: "articles" }, ["year", "month", "category", "tags"]);
  add(paths.galleries, { route: "index", index: "galleries" }, ["year", "month"]);
  for (const index of mediaKinds) add(paths[index], { route: "index", index });
  for (const index of ["categories", "tags"] as const) add(paths[index], { route: "all", index });
  for (const index of parents) {
    add(`/${index}/{id}`, { route: "single", index }, [], `${index}/{id}.json`);
  }
  add(paths.image, { route: "single", index: "images" }, [], "images/{id}.json");
  // An endpoint whose path needs parameters would never be reached behind one that does without.
  return endpoints.sort((a, b) => b.query.length - a.query.length);
}

/** Folder of a list: its path's segments; a parameter that belongs to the path becomes `by/{name}/{value}`. */
function folderOfList(path: string, query: [string, string][]): string {
  const segments = path.split("/").slice(1);
  return [...segments, ...query.flatMap(([name, value]) => ["by", name, value])].join("/");
}
