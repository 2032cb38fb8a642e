import { encodeSegment } from "./segments.ts";

/** Files of the website, relative to the publish root. Pages are flat `.html` files, so that file:// works. */
export const sitePaths = {
  home: "index.html",
  notFound: "404.html",
  snapshot: "snapshot.html",
  categories: "categories/index.html",
  tags: "tags/index.html",
  archive: "archive/index.html",
  article: (name: string): string => `articles/${name}.html`,
  gallery: (name: string): string => `galleries/${name}.html`,
  image: (id: string): string => `images/${encodeSegment(id)}.html`,
  articles: (page: number): string => paged("articles", page),
  galleries: (page: number): string => paged("galleries", page),
  images: (page: number): string => paged("images", page),
  category: (name: string, page: number): string => paged(`categories/${name}`, page),
  tag: (name: string, page: number): string => paged(`tags/${name}`, page),
  year: (year: string, page: number): string => paged(`archive/${year}`, page),
  month: (year: string, month: string, page: number): string =>
    paged(`archive/${year}/${month}`, page),
  /** A file named after its content, such as a style sheet: `name` carries a digest. */
  asset: (name: string): string => `assets/${name}`,
  /** A video, audio file or document, named after its content. */
  media: (sha256: string, extension: string): string =>
    `media/${sha256.slice(0, 2)}/${sha256.slice(0, 32)}.${extension}`,
} as const;

function paged(folder: string, page: number): string {
  return page === 1 ? `${folder}/index.html` : `${folder}/page/${page}.html`;
}

/** Link from one file of the publish root to another, relative, so that it holds in any folder and from file://. */
export function relativeHref(from: string, to: string): string {
  const length = Math.min(from.length, to.length);
  // Behind the last folder that both are in.
  let shared = 0;
  for (let at = 0; at < length && from[at] === to[at]; at++) if (from[at] === "/") shared = at + 1;
  let up = "";
  for (let at = from.indexOf("/", shared); at !== -1; at = from.indexOf("/", at + 1)) up += "../";
  return up + to.slice(shared);
}
