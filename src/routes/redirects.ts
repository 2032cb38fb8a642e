import { percentDecoded } from "../lib/urls.ts";
import { urlPath } from "./site.ts";

/** Pages of the archive, written as URLs write them, by the paths that they had at the origin's website; see `oldPathOf`. */
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

/** The page that a request's decoded path, "/" in front, had at the origin; a slash at its end does not matter. */
export function redirectOf(redirects: Redirects, path: string): string | undefined {
  return redirects.get(trimmed(path));
}

/** Of several pages with one old path, the first has it, whatever the case of its letters. */
export function redirectsText(pages: Iterable<readonly [view: string, page: string]>): string {
  const found = new Map<string, string>();
  for (const [view, page] of pages) {
    const path = oldPathOf(view);
    const key = path?.toLowerCase();
    if (path === undefined || key === undefined || found.has(key)) continue;
    found.set(key, `${JSON.stringify(path)}:${JSON.stringify(urlPath(page))}`);
  }
  return `{\n${[...found.values()].sort().join(",\n")}\n}\n`;
}

export function parseRedirects(text: string): Redirects {
  return new Map(Object.entries(JSON.parse(text) as Record<string, string>));
}

function trimmed(path: string): string {
  return path.replace(/\/$/, "");
}
