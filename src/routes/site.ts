import { percentDecoded } from "../lib/urls.ts";
import { encodeSegment } from "./segments.ts";

/** Pages of one kind in the sitemap; "pages" are all that stand for no item. */
export type SitemapPart = "pages" | "articles" | "galleries" | "images";

/** Names of places within a page, by the ids of items. */
export const anchors = {
  /** The tile of an image on a contact sheet. */
  tile: (id: string): string => `tile-${encodeSegment(id)}`,
  /** The same tile, where a viewer opens it. */
  viewed: (id: string): string => `image-${encodeSegment(id)}`,
  /** A video, audio file or document where its page shows it. */
  file: (id: string): string => `file-${encodeSegment(id)}`,
  /** On an image's page, its position in a gallery. */
  position: (gallery: string): string => `in-${encodeSegment(gallery)}`,
} as const;

/** Before each id of a body, so that none is taken for one of the page's own. */
export const bodyPrefix = "user-content-";

/** The id that a URL's hash leads to, without what it asks of the browser (text fragments, `:~:`). */
export function idOfHash(hash: string): string {
  return percentDecoded(hash.slice(1).replace(/:~:.*$/s, ""));
}

/**
 * The hash of a link to a place in a body as pages name it, whoever links there. Only what a URL or an attribute cannot
 * hold is escaped, so that it reads like the id.
 *
 * bodyHash("#the part:~:text=a") → "#user-content-the-part:~:text=a"
 */
export function bodyHash(hash: string): string {
  // No browser finds half of a surrogate pair.
  const whole = (text: string): string => text.replace(/\p{Surrogate}/gu, "\uFFFD");
  const escaped = (text: string): string =>
    encodeURIComponent(text).replace(/['()]/g, (sign) => `%${sign.charCodeAt(0).toString(16)}`);
  const [directive = ""] = /:~:.*$/s.exec(hash) ?? [];
  const named = idOfHash(hash);
  // Some authors copied the address of a page that has the same prefix.
  const own = named.startsWith(bodyPrefix) ? named.slice(bodyPrefix.length) : named;
  // An id has no white space.
  const id = escaped(whole(own).replace(/\s/g, "-")).replace(
    /%(?:2[46BCF]|3[ABDF]|40)/g,
    decodeURIComponent,
  );
  const rest = whole(directive).replace(/[^\w!$&*+,./:;=?@%~-]/gu, escaped);
  return id + rest === "" ? "" : `#${id && bodyPrefix + id}${rest}`;
}

/** Files of the website, relative to the publish root. Pages are flat `.html` files, so that file:// works. */
export const sitePaths = {
  home: "index.html",
  notFound: "404.html",
  snapshot: "snapshot.html",
  /** The date of the snapshot for scripts: pages that say it would all change with it. */
  snapshotDate: "snapshot-date.js",
  search: "search.html",
  /** A file of a segment of the search index, such as `hits`, which has several. */
  searchPart: (segment: string, part: string, number?: number): string =>
    `search/${segment}/${part}${number === undefined ? "" : `-${number}`}.js`,
  /** Categories and tags, for searches that find nothing. */
  searchSubjects: "search/subjects.js",
  categories: "categories/index.html",
  tags: "tags/index.html",
  archive: "archive/index.html",
  robots: "robots.txt",
  webManifest: "manifest.webmanifest",
  /** Browsers ask for it by this name. */
  favicon: "favicon.ico",
  /** How a browser searches the website from its address bar. OpenSearch 1.1. */
  openSearch: "opensearch.xml",
  /** Index of the parts of the sitemap. */
  sitemap: "sitemap.xml",
  /** `number` counts from 1. */
  sitemapPart: (part: SitemapPart, number: number): string => `sitemaps/${part}-${number}.xml`,
  article: (name: string): string => `articles/${name}.html`,
  gallery: (name: string): string => `galleries/${name}.html`,
  image: (id: string): string => `images/${encodeSegment(id)}.html`,
  articles: (page: number): string => paged("articles", page),
  galleries: (page: number): string => paged("galleries", page),
  images: (page: number): string => paged("images", page),
  /** To share a page with: a part of an image, or words. */
  shareImage: (id: string): string => `share/images/${encodeSegment(id)}.jpg`,
  sharePage: (path: string): string => `share/pages/${path.replace(/\.html$/, "")}.jpg`,
  /** Videos, audio files and documents. */
  files: (page: number): string => paged("files", page),
  category: (name: string, page: number): string => paged(`categories/${name}`, page),
  /** The articles of a category in one year. */
  categoryYear: (name: string, year: string, page: number): string =>
    paged(`categories/${name}/${year}`, page),
  tag: (name: string, page: number): string => paged(`tags/${name}`, page),
  year: (year: string, page: number): string => paged(`archive/${year}`, page),
  month: (year: string, month: string, page: number): string =>
    paged(`archive/${year}/${month}`, page),
  /** The titles with one initial. Letters beside a to z are named by their number in Unicode. */
  initial: (initial: string, page: number): string =>
    paged(`archive/a-z/${initialName(initial)}`, page),
  feedSheet: "feed-style.xml",
  /** The feeds of a list of articles, by the path of its first page: Atom (RFC 4287) and JSON Feed 1.1. */
  feeds: (list: string) => {
    const folder = list.replace(/index\.html$/, "");
    return { atom: `${folder}feed.xml`, json: `${folder}feed.json` };
  },
  /** A file named after its content, such as a style sheet: `name` carries a digest. */
  asset: (name: string): string => `assets/${name}`,
  /**
   * A video, audio file or document, named after its content. It must not run on the archive's domain: an extension
   * that a browser runs, or a server does not know, has `.txt` behind it.
   */
  media: (sha256: string, extension: string): string =>
    `media/${sha256.slice(0, 2)}/${sha256.slice(0, 32)}${mediaEnding(extension)}`,
} as const;

/** A path of each kind of file that stands at the root of a website or in a folder there, and files of hosts. */
export function ownPaths(): string[] {
  const { home, articles, galleries, images, files, asset, media, feeds, sitemapPart } = sitePaths;
  return [
    ...Object.values(sitePaths).filter((path) => typeof path === "string"),
    ...[
      articles(1),
      galleries(1),
      images(1),
      files(1),
      asset(""),
      media("", ""),
      sitemapPart("pages", 1),
    ],
    ...[...Object.values(feeds(home)), sitePaths.shareImage("")],
    ...["_redirects", "_headers", "_worker.js"],
  ];
}

/**
 * Extensions that web servers know and browsers do not run. A server that does not know an extension sends no type,
 * and a browser may then take the file for a page.
 */
export const atRest: ReadonlySet<string> = new Set(
  `aac aif aiff au caf flac m4a mid midi mka mp2 mp3 mpga oga ogg opus wav weba wma
  3g2 3gp asf avi flv m4v mkv mov mp4 mpeg mpg ogv qt webm wmv
  avif bmp gif heic heif ico jp2 jpeg jpg jxl png psd tif tiff webp
  csv doc docx epub ics json odg odp ods odt pdf pot pps ppsx ppt pptx ps rtf tex tsv txt vcf xls xlsx
  7z bin bz2 gz rar tar tgz woff woff2 xz zip`.split(/\s+/),
);
/** Extensions that make some servers run a file wherever in its name they stand. */
const runByServers =
  /^(?:shtml?|stm|ph(?:p\d?|ps|t|tml|ar)|[aj]spx?|as(?:a|hx|mx|ax|is)|jspf|f?cgi|pl|py|rb|sh|lua|cfm|var|map)$/;

/** An extension of a few plain characters, without a dot; `bin` in the place of any other. */
export function plainExtension(extension = ""): string {
  return /^[a-z0-9]{1,8}$/.test(extension) ? extension : "bin";
}

/**
 * How the name of a file from the origin ends.
 *
 * mediaEnding("PDF") → ".pdf", mediaEnding("svg") → ".svg.txt", mediaEnding("php") → ".txt"
 */
export function mediaEnding(extension: string): string {
  const name = plainExtension(extension.toLowerCase());
  if (atRest.has(name)) return `.${name}`;
  return runByServers.test(name) ? ".txt" : `.${name}.txt`;
}

/** initialName("A") → "a", initialName("0–9") → "0-9", initialName("ب") → "u0628" */
function initialName(initial: string): string {
  if (initial === "0–9") return "0-9";
  const letter = initial.toLowerCase();
  if (/^[a-z]$/.test(letter)) return letter;
  return `u${letter.codePointAt(0)?.toString(16).padStart(4, "0")}`;
}

function paged(folder: string, page: number): string {
  return page === 1 ? `${folder}/index.html` : `${folder}/page/${page}.html`;
}

/** A path of the publish root as a URL writes it. */
export function urlPath(path: string): string {
  if (/^[\w./~-]*$/.test(path)) return path;
  return path.split("/").map(encodeURIComponent).join("/");
}

/** Relative link from one file of the publish root to another. It holds in any folder and from file://. */
export function relativeHref(from: string, to: string): string {
  return urlPath(relativePath(from, to));
}

/** `relativeHref` to something that is written as a URL already, or a path of plain characters. */
export function relativePath(from: string, to: string): string {
  const length = Math.min(from.length, to.length);
  // Behind the last folder that both are in.
  let shared = 0;
  for (let at = 0; at < length && from[at] === to[at]; at++) if (from[at] === "/") shared = at + 1;
  let up = "";
  for (let at = from.indexOf("/", shared); at !== -1; at = from.indexOf("/", at + 1)) up += "../";
  return up + to.slice(shared);
}
