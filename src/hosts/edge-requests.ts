import { mostFrequentFirst } from "../lib/frequency.ts";
import type { FilterName } from "../routes/filters.ts";
import type { Endpoint } from "../routes/rules.ts";
import { sitePaths } from "../routes/site.ts";
import type { HostInput, LinkedPath } from "./host.ts";
import { literal } from "./patterns.ts";

/**
 * Every set of filters that counts in requests to an index, with the name that `rules.filters` has for it; with one
 * tag. Those with most names come first, for hosts that do not look at further parameters.
 */
export function filterSets(known: readonly FilterName[]) {
  let sets: FilterName[][] = [[]];
  for (const name of known) sets = [...sets.map((set) => [...set, name]), ...sets];
  return sets
    .filter((names) => names.length > 0 && (!names.includes("month") || names.includes("year")))
    .sort((a, b) => b.length - a.length)
    .map((names) => ({ names, combination: names.join("+").replace("tags", "tag") }));
}

/** An id that is its own segment, and stands nowhere in a path by chance. */
export const probe = "0-id-0";

/** Whether a redirect to the file answers an endpoint: its links are relative, and its URL is in another folder. */
export function isRedirected(endpoint: Endpoint, redirects: boolean): boolean {
  const { target, path, place } = endpoint;
  if (!redirects) return false;
  if (target.route !== "single") return true;
  const folderOf = (text: string): string => text.slice(0, text.lastIndexOf("/") + 1);
  return folderOf(path.slice(1)) !== folderOf(place);
}

/** Expression of the site's folders without a slash at the end. Their pages' links are relative to the slash. */
export function siteFolders({ rules, otherFolders }: Pick<HostInput, "rules" | "otherFolders">) {
  // No file of the site has a name without an ending.
  if (otherFolders) return `/(?!${literal(rules.root)}(?:/|$))(?:[^/]+/)*[^/.]+`;
  const { articles, galleries, images, categories, tags, archive } = sitePaths;
  const { category, categoryYear, tag, year, month } = sitePaths;
  const lists = [articles(1), galleries(1), images(1), categories, tags, archive];
  // The initials of titles stand where months do.
  const times = [year("*", 1), month("*", "*", 1)];
  const paths = [...lists, category("*", 1), categoryYear("*", "*", 1), tag("*", 1), ...times];
  const folders = paths.map((path) => path.replace(/\/index\.html$/, "").replaceAll("*", "[^/.]+"));
  return `/(?:${folders.join("|")})`;
}

/** First segment of a path of several; "" for a path of one. */
export function topOf(path: string): string {
  const [, top = "", rest] = path.split("/");
  return rest === undefined ? "" : top;
}

/** The most frequent ending of linked files by their paths' first segment, for hosts that cannot look for files. */
export function usualLinkEndings({ linked }: Pick<HostInput, "linked">): Map<string, string> {
  const plain = linked.files.filter(({ path, folder }) => path === folder && topOf(path) !== "");
  const endings = new Map<string, string>();
  const found = plain.map(({ path, ending }) => `${topOf(path)}/${ending}`);
  for (const one of mostFrequentFirst(found)) {
    const [top = "", ending = ""] = one.split("/");
    if (!endings.has(top)) endings.set(top, ending);
  }
  return endings;
}

/** Whether the file of a link is found by its first segment. */
export function isUsualLink(input: Pick<HostInput, "linked">): (file: LinkedPath) => boolean {
  const endings = usualLinkEndings(input);
  return ({ path, folder, ending }) => path === folder && endings.get(topOf(path)) === ending;
}
