import type { FilterName } from "../routes/filters.ts";
import type { Endpoint, Rules } from "../routes/rules.ts";
import { encodeSegment } from "../routes/segments.ts";
import { sitePaths } from "../routes/site.ts";
import type { HostInput, LinkedPath } from "./host.ts";

/** Sets of filters, as names, that a request to an index can have. */
export interface FilterSet {
  /** In the order of the mirror's folders. */
  names: FilterName[];
  /** Name of the combination as `rules.filters` has it, with one tag. */
  combination: string;
}

/**
 * Every set of filters that counts in requests to an index, those with most names first, so that a host which does
 * not look at further parameters finds the right one first. A month counts only together with a year.
 */
export function filterSets(known: readonly FilterName[]): FilterSet[] {
  let sets: FilterName[][] = [[]];
  for (const name of known) sets = [...sets.map((set) => [...set, name]), ...sets];
  return sets
    .filter((names) => names.length > 0 && (!names.includes("month") || names.includes("year")))
    .sort((a, b) => b.length - a.length)
    .map((names) => ({ names, combination: combinationOf(names) }));
}

function combinationOf(names: readonly FilterName[]): string {
  return names.map((name) => (name === "tags" ? "tag" : name)).join("+");
}

/** A template in two parts around the id; in one where there is no id in it. */
export function aroundId(template: string): string[] {
  const mark = template.indexOf("{id}");
  if (mark === -1) return [template];
  return [template.slice(0, mark), template.slice(mark + "{id}".length)];
}

/**
 * The place of an endpoint's answers for hosts that work with patterns: from the publish root, what stands for the
 * segment of a plain id in it.
 *
 * placeWith(endpoint, "mirror", "$id") → "mirror/articles/$id/images"
 */
export function placeWith({ place }: Endpoint, root: string, id: string): string {
  const segments = place.split("/").map((segment) => {
    if (segment === "by") return segment;
    const [before = "", after] = aroundId(segment);
    if (after === undefined) return encodeSegment(segment);
    // The name of a file is not encoded; what is encoded around a plain id is so without it, too.
    const ending = after === ".json" ? after : encodeSegment(`0${after}`).slice(1);
    return encodeSegment(`${before}0`).slice(0, -1) + id + ending;
  });
  return [root, ...segments].join("/");
}

/** The place of an endpoint's answers for one id, from the publish root. */
export function placeOf({ place }: Endpoint, root: string, id: string): string {
  const segments = place.split("/").map((segment) => {
    if (segment === "by") return segment;
    if (segment === "{id}.json") return `${encodeSegment(id)}.json`;
    return encodeSegment(segment.replace("{id}", () => id));
  });
  return [root, ...segments].join("/");
}

/** Whether an endpoint has an id: in its path or in a parameter that belongs to it. */
export function hasId({ path, query }: Endpoint): boolean {
  return [path, ...query.map(([, value]) => value)].some((text) => text.includes("{id}"));
}

/**
 * Whether an endpoint is to be answered by a redirect to its file: links in the file are relative to it, and the
 * endpoint's URL is in another folder.
 */
export function isRedirected(
  endpoint: Endpoint,
  { redirects }: Pick<HostInput, "redirects">,
): boolean {
  if (!redirects) return false;
  if (endpoint.target.route !== "single") return true;
  const folderOf = (path: string): string => path.slice(0, path.lastIndexOf("/") + 1);
  return folderOf(endpoint.path.slice(1)) !== folderOf(endpoint.place);
}

/**
 * Regular expression of the site's folders that have an index, without slash at the end: pages link from there by
 * relative paths, so that hosts which do not redirect by themselves are told to.
 */
export function siteFolders(): string {
  const paths = [
    sitePaths.articles(1),
    sitePaths.galleries(1),
    sitePaths.images(1),
    sitePaths.categories,
    sitePaths.tags,
    sitePaths.archive,
    sitePaths.category("*", 1),
    sitePaths.tag("*", 1),
    sitePaths.year("*", 1),
    sitePaths.month("*", "*", 1),
  ];
  const folders = paths.map((path) =>
    path.slice(0, path.lastIndexOf("/")).replaceAll("*", "[^/.]+"),
  );
  return `/(?:${folders.join("|")})`;
}

/** First segment of a path of several; "" for a path of one. */
export function topOf(path: string): string {
  const [, top = "", rest] = path.split("/");
  return rest === undefined ? "" : top;
}

/**
 * The most frequent ending of the files behind links, by the first segment of the links' paths, for hosts that cannot
 * look whether a file exists.
 */
export function usualLinkEndings({ linked }: Pick<HostInput, "linked">): Map<string, string> {
  const counts = new Map<string, Map<string, number>>();
  for (const { path, folder, ending } of linked.files) {
    const top = topOf(path);
    if (path !== folder || top === "") continue;
    const ofTop = counts.get(top) ?? new Map<string, number>();
    counts.set(top, ofTop.set(ending, (ofTop.get(ending) ?? 0) + 1));
  }
  return new Map(
    [...counts].map(([top, ofTop]) => {
      const [[ending] = [""]] = [...ofTop].sort(([, a], [, b]) => b - a);
      return [top, ending];
    }),
  );
}

/** Whether the file of a link is found by its first segment. */
export function isUsualLink(input: Pick<HostInput, "linked">): (file: LinkedPath) => boolean {
  const endings = usualLinkEndings(input);
  return ({ path, folder, ending }) => path === folder && endings.get(topOf(path)) === ending;
}

/** Text as a regular expression that matches it alone. */
export function escapeRegExp(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}

/** Index endpoints with filters. */
export function indexOf({ target }: Endpoint): "articles" | "galleries" | undefined {
  if (target.route !== "index") return undefined;
  return target.index === "articles" || target.index === "galleries" ? target.index : undefined;
}

/** Whether lists of two tags together are files. */
export function hasTwoTags({ filters }: Rules): boolean {
  return filters.some((name) => /(?:^|\+)tag\+tag$/.test(name));
}

/** "1,234" */
export function grouped(number: number): string {
  return number.toLocaleString("en-US");
}
