import type { Config } from "../config.ts";
import { isSigned, percentDecoded } from "../lib/urls.ts";

type Origin = Pick<Config["origin"], "baseUrl" | "paths" | "tokenPaths">;

/** How the path of a file ends that its name tells apart from an item's. */
export const fileEnding =
  /\.(?:jpe?g|png|gif|webp|avif|heic|tiff?|svg|bmp|psd|mp4|m4v|mov|webm|mkv|avi|mpe?g|og[agv]|opus|mp3|m4a|aac|wav|flac|aiff?|pdf|docx?|xlsx?|pptx?|od[tsp]|rtf|txt|csv|epub|zip|gz|7z)$/i;

/**
 * Whether the API answers at a URL in JSON, so that no file is there. Every spelling counts that a proxy or a server
 * may take for the same path. A single item's path may be a file's where it is signed, or ends like one.
 */
export function isAnswerAddress(url: URL, { baseUrl, paths }: Omit<Origin, "tokenPaths">): boolean {
  const base = new URL(baseUrl);
  if (url.host !== base.host) return false;
  const asked = plainSegments(url.pathname);
  const mayBeFile = isSigned(url) || fileEnding.test(url.pathname);
  const templates = ["/articles", "/articles/{id}", "/galleries/{id}", ...Object.values(paths)];
  return templates.some((template) => {
    const path = template?.split("?")[0];
    if (path === undefined || (mayBeFile && path.endsWith("{id}"))) return false;
    const wanted = plainSegments(base.pathname.replace(/\/$/, "") + path);
    return wanted.length === asked.length && wanted.every((one, at) => fits(asked[at], one));
  });
}

/**
 * Up to where a URL says that the token may open it: to the item's own id as a segment, or to the end of a prefix in
 * `origin.tokenPaths`. Undefined where the token must not go. Paths that servers could read in two ways get none.
 *
 * @param id of the item whose file is asked for
 */
export function tokenScope(url: URL, id: string | undefined, origin: Origin): string | undefined {
  const base = new URL(origin.baseUrl);
  const folder = `${base.pathname.replace(/\/+$/, "")}/`;
  const { pathname } = url;
  if (url.origin !== base.origin || !pathname.startsWith(folder) || !isPlain(pathname)) return;
  if (isSigned(url) || isAnswerAddress(url, origin)) return;
  const segments = pathname.slice(folder.length).split("/");
  const at = segments.findIndex((segment) => id && percentDecoded(segment) === id);
  if (at !== -1) return folder + segments.slice(0, at).join("/");
  const prefixes = origin.tokenPaths.map((path) => new URL(origin.baseUrl + path).pathname);
  return prefixes.find((path) => `${pathname}/`.startsWith(`${path.replace(/\/+$/, "")}/`));
}

/** A path's segments in lower case, as a server may read them that is free with them. */
function plainSegments(path: string): string[] {
  const segments: string[] = [];
  for (const part of decoded(path.toLowerCase()).replaceAll("\\", "/").split("/")) {
    const segment = part.split(";", 1)[0];
    if (segment === "..") segments.pop();
    else if (segment && segment !== ".") segments.push(segment);
  }
  const last = segments.pop()?.replace(/\.(?:json|xml)$/, "");
  return last === undefined ? [] : [...segments, last];
}

function fits(segment = "", wanted: string): boolean {
  const [before = "", after] = wanted.split("{id}");
  if (after === undefined) return segment === wanted;
  const isLonger = segment.length > before.length + after.length;
  return isLonger && segment.startsWith(before) && segment.endsWith(after);
}

/** Whether a path has one reading. */
function isPlain(path: string): boolean {
  const segments = path.replace(/\/$/, "").split("/").slice(1).map(decoded);
  return !segments.some((text) => /^\.*$|[/\\;\p{Cc}]|%[\da-f]{2}/iu.test(text));
}

/** More escapes of escapes than a chain of proxies and servers takes off. */
const mostDecodings = 4;

/** A text without its escapes, and theirs. */
function decoded(text: string): string {
  let plain = text;
  for (let times = 0; times < mostDecodings && plain.includes("%"); times++) {
    plain = plain.replace(/(?:%[\da-f]{2})+/gi, percentDecoded);
  }
  return plain;
}
