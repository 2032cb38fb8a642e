import type { Catalogue } from "../catalogue/catalogue.ts";
import type { Config } from "../config.ts";
import { keyOf } from "../lib/digest.ts";
import type { RenderedFile } from "../lib/output.ts";
import { relativeHref, sitePaths } from "../routes/site.ts";
import type { Formats } from "./formats.ts";
import type { EntryKey, Link } from "./pictures.ts";
import type { Summaries } from "./summaries.ts";
import type { Templates } from "./templates.ts";

/** The settings that pages depend on. */
export type SiteConfig = Pick<Config, "origin" | "media" | "site">;

/** What all pages of one rendering share. */
export interface Site {
  catalogue: Catalogue;
  config: SiteConfig;
  templates: Templates;
  formats: Formats;
  lists: Summaries;
  entryKey: EntryKey;
  /** Key of the templates and settings, which is part of every page's key. */
  key: string;
}

/** Which of the navigation's entries a page belongs to. */
export type Section =
  | "home"
  | "articles"
  | "galleries"
  | "images"
  | "categories"
  | "tags"
  | "archive"
  | "snapshot"
  | "none";

export interface Crumb {
  title: string;
  /** Null for the page itself. */
  href: string | null;
}

/** One page, as its template and the layout around it expect it. */
export interface PageView {
  template: string;
  title: string;
  section: Section;
  crumbs: Crumb[];
  description?: string;
  /** File of the publish root that stands for the page where it is shared. */
  image?: string | undefined;
  type?: "website" | "article";
  /** Links to the neighbours in the list that the page is part of. */
  previous?: string | null;
  next?: string | null;
  data: object;
}

/** A page that is rendered only where its key is new. */
export function pageFile(
  site: Site,
  path: string,
  keyParts: (string | number | boolean | null | undefined)[],
  view: (link: Link) => PageView,
): RenderedFile {
  return {
    path,
    key: keyOf(site.key, path, ...keyParts),
    content: () => renderPage(site, path, view),
  };
}

/** Key of the settings that change a page's bytes. */
export function settingsKey({ origin, media, site }: SiteConfig, catalogue: Catalogue): string {
  const { title, url, language, perPage } = site;
  const { timezone, baseUrl, allowHosts } = origin;
  const settings = [title, url, language, perPage, timezone, baseUrl, allowHosts.join()];
  return keyOf(...settings, media.publishOriginals, catalogue.routes.root);
}

export function titleOf(title: string): string {
  return title.trim() === "" ? "Untitled" : title.trim();
}

/** One line of plain text for a description, cut at a word. */
export function excerpt(text: string, length = 200): string {
  const line = text.replace(/\s+/g, " ").trim();
  if (line.length <= length) return line;
  return `${line.slice(0, length).replace(/\s+\S*$/, "")}…`;
}

function renderPage(site: Site, path: string, view: (link: Link) => PageView): string {
  const { formats, templates, config } = site;
  const link = linkFrom(path, config.site.url);
  const page = view(link);
  const hrefs = hrefsOf(link);
  const shared = { f: formats, hrefs, siteTitle: config.site.title };
  const body = templates.render(page.template, { ...shared, ...page.data });
  const url = config.site.url;
  return templates.render("layout", {
    ...shared,
    ...page,
    previous: page.previous ?? null,
    next: page.next ?? null,
    type: page.type ?? "website",
    description: excerpt(page.description ?? ""),
    canonical: url === null || page.section === "none" ? null : `${url}/${publicPath(path)}`,
    image: url === null || page.image === undefined ? null : `${url}/${page.image}`,
    asset: (name: string) => {
      const asset = templates.assets.get(name);
      return asset === undefined ? null : link(asset.path);
    },
    body,
  });
}

/** The page for unknown addresses is shown at any depth, so that its links start from the root of the host. */
function linkFrom(path: string, url: string | null): Link {
  if (path !== sitePaths.notFound) return (to) => relativeHref(path, to);
  const root = url === null ? "/" : `${new URL(url).pathname.replace(/\/+$/, "")}/`;
  return (to) => root + to;
}

function publicPath(path: string): string {
  return path.replace(/(^|\/)index\.html$/, "$1");
}

function hrefsOf(link: Link) {
  return {
    home: link(sitePaths.home),
    articles: link(sitePaths.articles(1)),
    galleries: link(sitePaths.galleries(1)),
    images: link(sitePaths.images(1)),
    categories: link(sitePaths.categories),
    tags: link(sitePaths.tags),
    archive: link(sitePaths.archive),
    snapshot: link(sitePaths.snapshot),
  };
}
