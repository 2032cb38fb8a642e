import { fileEnding, isAnswerAddress } from "../api/file-address.ts";
import type { Config } from "../config.ts";
import { isObject, memberAt } from "../lib/objects.ts";
import { isOriginHost, isSigned, percentDecoded } from "../lib/urls.ts";
import type { MediaKind } from "../routes/table.ts";

/** The address that an item names for its file. */
export interface MediaLink {
  /** As the origin gives it, signature included; absolute. Null where there is none. */
  url: string | null;
  /** "empty" where a member for the address is there and names none; "missing" where no member is known as that. */
  state: "found" | "empty" | "missing";
}

export type MediaLinkOrigin = Pick<
  Config["origin"],
  "baseUrl" | "paths" | "allowHosts" | "mediaLink"
>;

/** Members whose name says that their URL is the file's; the likeliest first. */
const sure = [
  "links.download",
  "links.file",
  "links.original",
  "links.source",
  "download_url",
  "file_url",
  "original_url",
  "media_url",
  "download",
  "file",
  "original",
  "files",
  "src",
  "source",
  "sources",
];
/** Members that can hold any URL: it counts where it looks like a file's. */
const unsure = ["links.url", "url", "links.web", "href", "link", "path", "uri"];
/** Members of an object in the place of a URL. */
const innerNames = ["url", "href", "src", "download", "link", "uri"];
/** Names of pictures of an item, and of its pages. */
const besides = /thumb|preview|poster|cover|icon|avatar|view|self|embed|page|canonical|edit/i;
/** Members on the way to an address, its own included. */
const maxDepth = 3;

/**
 * Finds the address of an item's file. The API document shows it for images alone; see `origin.mediaLink`.
 *
 * Images: the documented download, the web version, then the configured member. Others: the configured member, then
 * `links.download`. After these come members of the usual names, then any URL that ends like a file. The item's own
 * page and its address in the API never count. A URL at a host that may be asked comes before others, and an address
 * of the API's answers behind all: no file is there.
 *
 * locateMediaLink("videos", { id: "7", file: { url: "/files/7.mp4" } }, origin) → { url: "https://…/files/7.mp4", state: "found" }
 */
export function locateMediaLink(
  kind: MediaKind,
  object: unknown,
  origin: MediaLinkOrigin,
): MediaLink {
  if (!isObject(object)) return missing;
  const { mediaLink } = origin;
  const chosen = mediaLink === "auto" || mediaLink === null ? [] : [mediaLink];
  const first =
    kind === "images" ? ["links.download", "links.web", ...chosen] : [...chosen, "links.download"];
  const isFile = (url: URL): boolean => !isAnswerAddress(url, origin);
  const told = first.flatMap((path) => urlsIn(memberAt(object, path), origin).slice(0, 1));
  const file = told.find(isFile);
  const candidates = file === undefined ? [...candidatesIn(object, origin)] : [];
  const files = candidates.filter(isFile);
  const base = new URL(origin.baseUrl);
  const best = file ?? files.find((url) => isOriginHost(url, base, origin.allowHosts)) ?? files[0];
  const any = best ?? told[0] ?? candidates[0];
  if (any !== undefined) return { url: any.href, state: "found" };
  const named = [...first, ...sure, ...unsure];
  return named.some((path) => isEmpty(memberAt(object, path))) || isEmpty(object.links)
    ? { url: null, state: "empty" }
    : missing;
}

/** membersOfItem({ id: "1", links: { view: "…" }, tags: [] }) → ["id", "links.view", "tags"] */
export function membersOfItem(object: unknown): string[] {
  if (!isObject(object)) return [];
  return Object.entries(object).flatMap(([name, value]) => {
    const inner = isObject(value) ? Object.keys(value) : [];
    return inner.length === 0 ? [name] : inner.map((below) => `${name}.${below}`);
  });
}

const missing: MediaLink = { url: null, state: "missing" };

function* candidatesIn(object: Record<string, unknown>, origin: MediaLinkOrigin): Generator<URL> {
  const pages = new Set(
    [memberAt(object, "links.view"), memberAt(object, "links.self")]
      .flatMap((value) => urlsIn(value, origin))
      .map(bare),
  );
  const id = String(object.id);
  const isFile = (url: URL): boolean => !pages.has(bare(url)) && !isItself(url, id, origin);
  for (const path of sure) {
    const urls = urlsIn(memberAt(object, path), origin);
    yield* urls.filter((url) => isFile(url) || isAnswerAddress(url, origin));
  }
  for (const path of unsure) {
    const urls = urlsIn(memberAt(object, path), origin);
    yield* urls.filter((url) => isFile(url) && looksLikeFile(url, id));
  }
  const urls = [...urlsBelow(object, origin)];
  yield* urls.filter((url) => isFile(url) && fileEnding.test(url.pathname));
}

/** URLs anywhere in an object, but for those of members that are named otherwise. */
function* urlsBelow(
  object: Record<string, unknown>,
  origin: MediaLinkOrigin,
  depth = 1,
): Generator<URL> {
  for (const [name, value] of Object.entries(object)) {
    if (besides.test(name)) continue;
    if (isObject(value)) {
      if (depth < maxDepth) yield* urlsBelow(value, origin, depth + 1);
    } else yield* urlsIn(value, origin);
  }
}

/** The URLs in a member: a text, an object of the usual form, or a list of either. */
function urlsIn(value: unknown, origin: MediaLinkOrigin): URL[] {
  if (typeof value === "string") {
    if (!/^(?:https?:)?\/\/?[^/\s]\S*$/i.test(value)) return [];
    return URL.canParse(value, origin.baseUrl) ? [new URL(value, origin.baseUrl)] : [];
  }
  if (Array.isArray(value)) {
    return value.flatMap((one) => (Array.isArray(one) ? [] : urlsIn(one, origin)));
  }
  if (!isObject(value)) return [];
  return innerNames.flatMap((name) => (isObject(value[name]) ? [] : urlsIn(value[name], origin)));
}

/** Whether a URL is the item's own in the API, which nothing signs. */
function isItself(url: URL, id: string, { baseUrl }: MediaLinkOrigin): boolean {
  if (isSigned(url)) return false;
  const base = new URL(baseUrl);
  const below = url.pathname.slice(base.pathname.replace(/\/+$/, "").length);
  return url.host === base.host && percentDecoded(below).match(/^\/[^/]+\/([^/]+)\/?$/)?.[1] === id;
}

function looksLikeFile(url: URL, id: string): boolean {
  const path = percentDecoded(url.pathname);
  return isSigned(url) || fileEnding.test(path) || path.includes(id) || /download/i.test(path);
}

function bare(url: URL): string {
  return url.origin + url.pathname;
}

/** A member that is there and says nothing. */
function isEmpty(value: unknown): boolean {
  if (Array.isArray(value)) return value.length === 0;
  if (isObject(value)) return Object.keys(value).length === 0;
  return value === null || value === "" || value === false;
}
