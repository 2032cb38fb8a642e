import { percentDecoded } from "../lib/urls.ts";
import { urlPath } from "./site.ts";

/** Pages of the archive, written as URLs write them, by the paths that they had before; see `oldPathOf`, `formerPathsOf`. */
export type Redirects = ReadonlyMap<string, string>;

/** From the publish root: a JSON object with a redirect a line. */
export const redirectsFile = "redirects.json";

/** More bytes than the path of any page has, and as many as servers take for a key. */
const mostBytes = 900;

/**
 * Path of a page's address at the origin's website: decoded, without a slash at its end. Undefined for one that cannot
 * be redirected: the path of a host's root, one that a query belongs to, or one that some server refuses.
 *
 * oldPathOf("https://news.example.org/2024/05/caf%C3%A9/") → "/2024/05/café"
 */
export function oldPathOf(view: string): string | undefined {
  if (!URL.canParse(view)) return undefined;
  const { protocol, pathname, search } = new URL(view);
  if (!/^https?:$/.test(protocol) || search !== "" || /%2f|%5c/i.test(pathname)) return undefined;
  const path = trimmed(percentDecoded(pathname));
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused
  if (path === "" || /\/\/|\/\.{1,2}(?:\/|$)|[\0-\x1f\x7f\\:{}\ufffd]/.test(path)) return undefined;
  return new TextEncoder().encode(path).length <= mostBytes ? path : undefined;
}

/** Paths that lead to a file of the website whose path is another now; an index answers for its folder, too. */
export function formerPathsOf(file: string): string[] {
  const folder = /^(.+)\/index\.html$/.exec(file)?.[1];
  return folder === undefined ? [`/${file}`] : [`/${folder}`, `/${file}`];
}

/** The page that a request's decoded path, "/" in front, has now; a slash at its end does not matter. */
export function redirectOf(redirects: Redirects, path: string): string | undefined {
  return redirects.get(trimmed(path));
}

/**
 * The redirects from some paths to pages: of several pages with one path the first has it, whatever the case of its
 * letters. `shared` are the paths that another page had, too.
 */
export function planRedirects(pages: Iterable<readonly [path: string, page: string]>) {
  const found = new Map<string, [path: string, page: string]>();
  const shared = new Set<string>();
  for (const [path, page] of pages) {
    const key = path.toLowerCase();
    const first = found.get(key);
    if (first === undefined) found.set(key, [path, urlPath(page)]);
    else if (first[1] !== urlPath(page)) shared.add(first[0]);
  }
  const redirects: Redirects = new Map(found.values());
  return { redirects, shared: [...shared].sort() };
}

/** In an order that does not depend on theirs. */
export function redirectsText(redirects: Redirects): string {
  const lines = Array.from(redirects, (pair) => pair.map((one) => JSON.stringify(one)).join(":"));
  return `{\n${lines.sort().join(",\n")}\n}\n`;
}

export function parseRedirects(text: string): Redirects {
  return new Map(Object.entries(JSON.parse(text) as Record<string, string>));
}

function trimmed(path: string): string {
  return path.replace(/\/$/, "");
}
