import type { Catalogue } from "../catalogue/catalogue.ts";
import type { Config } from "../config.ts";
import { keyOf } from "../lib/digest.ts";
import { relativeHref, sitePaths } from "../routes/site.ts";
import type { Formats } from "./formats.ts";
import type { Link } from "./pictures.ts";
import type { Named, Summaries } from "./summaries.ts";
import type { Templates } from "./templates.ts";

/** The settings that pages depend on. */
export type SiteConfig = Pick<Config, "origin" | "media" | "site">;

export interface Site {
  catalogue: Catalogue;
  config: SiteConfig;
  templates: Templates;
  formats: Formats;
  lists: Summaries;
  /** Part of every page's key. */
  key: string;
}

/** The pages that every page leads to, by the names of their entries in the navigation. */
export const sections = {
  home: { title: "Home", path: sitePaths.home },
  articles: { title: "Articles", path: sitePaths.articles(1) },
  galleries: { title: "Galleries", path: sitePaths.galleries(1) },
  images: { title: "Images", path: sitePaths.images(1) },
  categories: { title: "Categories", path: sitePaths.categories },
  tags: { title: "Tags", path: sitePaths.tags },
  archive: { title: "Archive", path: sitePaths.archive },
  snapshot: { title: "About this archive", path: sitePaths.snapshot },
  search: { title: "Search", path: sitePaths.search },
} satisfies Record<string, Named>;

/** A page for its template and the layout. Paths are those of the publish root. */
export interface PageView {
  template: string;
  title: string;
  section: keyof typeof sections | "none";
  crumbs?: { title: string; path: string | null }[];
  description?: string;
  /** For sharing the page. */
  image?: string | undefined;
  type?: "website" | "article";
  previous?: string | undefined;
  next?: string | undefined;
  /** For the template, beside `title`. */
  data: object;
}

/** Everything that the content depends on. */
export type KeyParts = Parameters<typeof keyOf>;

export function pageFile(site: Site, path: string, key: KeyParts, view: (link: Link) => PageView) {
  return { path, key: keyOf(site.key, path, ...key), content: () => renderPage(site, path, view) };
}

/** A page that shows so little that this can be its key. */
export function smallPageFile(site: Site, path: string, view: (link: Link) => PageView) {
  return pageFile(site, path, [JSON.stringify(view(linkFrom(site, path)))], view);
}

/** Key of the settings that change a page's bytes. */
export function settingsKey({ origin, media, site }: SiteConfig, catalogue: Catalogue): string {
  const { title, url, language, perPage, search } = site;
  const { timezone, baseUrl, allowHosts } = origin;
  const settings = [title, url, language, perPage, search, timezone, baseUrl, allowHosts.join()];
  return keyOf(...settings, media.publishOriginals, catalogue.routes.root);
}

export function excerpt(text: string, length = 200): string {
  const line = text.replace(/\s+/g, " ").trim();
  if (line.length <= length) return line;
  return `${line.slice(0, length).replace(/\s+\S*$/, "")}…`;
}

function renderPage(site: Site, path: string, view: (link: Link) => PageView): string {
  const { templates } = site;
  const { title: siteTitle, url } = site.config.site;
  const link = linkFrom(site, path);
  const linked = (to: string | null = null) => (to === null ? null : link(to));
  const page = view(link);
  const address = path.replace(/(^|\/)index\.html$/, "$1");
  const hrefs = Object.entries(sections).map(([name, section]) => [name, link(section.path)]);
  const shared = {
    f: site.formats,
    hrefs: Object.fromEntries(hrefs),
    siteTitle,
    asset: (name: string) => linked(templates.assets.get(name)?.path),
    hasSearch: site.config.site.search !== "off",
  };
  const body = templates.render(page.template, { ...shared, title: page.title, ...page.data });
  return templates.render("layout", {
    type: "website",
    ...shared,
    ...page,
    crumbs: (page.crumbs ?? []).map((crumb) => ({ title: crumb.title, href: linked(crumb.path) })),
    previous: linked(page.previous),
    next: linked(page.next),
    description: excerpt(page.description ?? ""),
    canonical: url === null || page.section === "none" ? null : `${url}/${address}`,
    image: url === null || page.image === undefined ? null : `${url}/${page.image}`,
    body,
  });
}

/** The page for unknown addresses is shown at any depth: its links start at the root. */
export function linkFrom({ config }: Site, path: string): Link {
  if (path !== sitePaths.notFound) return (to) => relativeHref(path, to);
  const { url } = config.site;
  const root = url === null ? "/" : `${new URL(url).pathname.replace(/\/+$/, "")}/`;
  return (to) => root + to;
}
