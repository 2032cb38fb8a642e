import { orUndefined } from "../lib/or-undefined.ts";
import { type Filters, filtersOf, isFiltered } from "./filters.ts";
import type { Query } from "./query.ts";
import type { Endpoint, MediaKind, Parent } from "./rules.ts";
import { type Scaling, scalingOf } from "./slots.ts";

/** Longest path and query that is looked at, in bytes: servers take a request line that is a little longer. */
export const longestTarget = 8_000;

/** One documented request to the API, without the parts that only authorise it. */
export type ApiRequest =
  | { route: "index"; index: "articles" | "galleries" | MediaKind; page: number; filters?: Filters }
  | { route: "all"; index: "categories" | "tags" }
  | { route: "single"; index: "articles" | "galleries" | "images"; id: string }
  | { route: "attachments"; parent: Parent; id: string; kind: MediaKind; page: number }
  | { route: "binary"; id: string; scaling: Scaling }
  | { route: "download"; id: string };

export type IndexName = Extract<ApiRequest, { route: "index" | "all" }>["index"];
/** A request that is answered with JSON. */
export type JsonRequest = Exclude<ApiRequest, { route: "binary" | "download" }>;

/** The request for an image or its original that a path below the base and a query make. */
export function matchImage(path: string, query: Query): ApiRequest | undefined {
  const [, written = "", download] = /^\/images\/([^/]+?)(?:\.jpg|(\/download))$/.exec(path) ?? [];
  const id = decodedSegment(written);
  if (id === undefined || id === "") return undefined;
  return download === undefined
    ? { route: "binary", id, scaling: scalingOf(query) }
    : { route: "download", id };
}

/** The request for JSON that they make: the first endpoint that fits counts. */
export function matchEndpoint(
  endpoints: readonly Endpoint[],
  path: string,
  query: Query,
): ApiRequest | undefined {
  const segments = path.replace(/\/$/, "").split("/").map(decodedSegment);
  for (const { target, path: template, query: fixed, filters } of endpoints) {
    const id = idOf(template, segments, fixed, query);
    if (id === undefined) continue;
    const page = pageOf(query);
    switch (target.route) {
      case "all":
        return { ...target };
      case "single":
        return { ...target, id };
      case "attachments":
        return page === undefined ? undefined : { ...target, id, page };
      case "index": {
        const wanted = filtersOf(query, filters);
        if (page === undefined || wanted === undefined) return undefined;
        return isFiltered(wanted) ? { ...target, page, filters: wanted } : { ...target, page };
      }
    }
  }
  return undefined;
}

/** The id that segments and fixed parameters have where the template has `{id}`, "" where it has none. */
function idOf(
  template: string,
  segments: readonly (string | undefined)[],
  fixed: Endpoint["query"],
  query: Query,
): string | undefined {
  const wanted = template.split("/");
  if (wanted.length !== segments.length) return undefined;
  const ids = [
    ...wanted.map((pattern, at) => idIn(pattern, segments[at])),
    ...fixed.map(([name, pattern]) => idIn(pattern, query.get(name))),
  ];
  return ids.includes(undefined) ? undefined : (ids.findLast((id) => id !== "") ?? "");
}

/** What a text has in the place of `{id}`, "" for a pattern without it; undefined where they differ. */
function idIn(pattern: string, text: string | undefined): string | undefined {
  const [before = "", after] = pattern.split("{id}");
  if (text === undefined || after === undefined) return text === pattern ? "" : undefined;
  const fits = text.length > before.length + after.length;
  if (!fits || !text.startsWith(before) || !text.endsWith(after)) return undefined;
  return text.slice(before.length, text.length - after.length);
}

/** The page that a query asks for, 1 without one; undefined where it is no number above 0. */
function pageOf(query: Query): number | undefined {
  const page = query.get("page");
  if (page === undefined) return 1;
  return /^[1-9]\d{0,8}$/.test(page) ? Number(page) : undefined;
}

/** A part of a path without its escapes; undefined where one is broken. */
export function decodedSegment(text: string): string | undefined {
  return orUndefined(() => decodeURIComponent(text));
}
