import type { Catalogue } from "../catalogue/catalogue.ts";
import type { Config } from "../config.ts";
import { type KeyPart, keyOf } from "../lib/digest.ts";
import { relativeHref, sitePaths, urlPath } from "../routes/site.ts";
import type { Formats } from "./formats.ts";
import { linkedDataOf } from "./linked-data.ts";
import type { Link, SharedPicture } from "./pictures.ts";
import { excerpt, titleClass } from "./plain-text.ts";
import { type Face, isLarge, sharedBy, shareFile } from "./share.ts";
import type { Named, Summaries } from "./summaries.ts";
import type { Templates } from "./templates.ts";
import type {
  ArticleFacts,
  LayoutView,
  Logo,
  Sections,
  Shared,
  SharedImage,
  Views,
} from "./views.ts";

/** The settings that pages depend on. */
export type SiteConfig = Pick<Config, "origin" | "media" | "site">;

export interface Site {
  catalogue: Catalogue;
  config: SiteConfig;
  /** Files are made with those that stand here at that moment; their keys are of those that stood here first. */
  templates: Templates;
  formats: Formats;
  lists: Summaries;
  /** Part of every page's key. */
  key: string;
}

/** The pages that every page leads to, by the names of their entries in the navigation. */
const sections = {
  home: sitePaths.home,
  articles: sitePaths.articles(1),
  galleries: sitePaths.galleries(1),
  images: sitePaths.images(1),
  files: sitePaths.files(1),
  categories: sitePaths.categories,
  tags: sitePaths.tags,
  archive: sitePaths.archive,
  snapshot: sitePaths.snapshot,
  search: sitePaths.search,
} satisfies Sections;
type SectionName = keyof Sections;

export function section({ formats }: Pick<Site, "formats">, name: SectionName): Named {
  return { title: formats.t(`section.${name}`), path: sections[name] };
}

/** What the layout shows of a page. Paths are those of the publish root. */
export interface PageFrame {
  title: string;
  section: SectionName | "none";
  crumbs?: { title: string; path: string | null }[];
  description?: string;
  /** For sharing the page. */
  image?: SharedPicture | undefined;
  article?: ArticleFacts;
  /** Its members in the words of schema.org, with a "@type", where the page is about one thing. */
  subject?: Record<string, unknown>;
  previous?: string | undefined;
  next?: string | undefined;
  /** The list whose feeds the page offers, by its first page; by default all articles. */
  feed?: Named | undefined;
  /** The remark of its file. */
  odd?: string | undefined;
}

/** A template and what it gets beside the title. */
export type TemplateView = {
  [Name in keyof Views]: { template: Name; data: Views[Name] };
}[keyof Views];

export type PageView = PageFrame & TemplateView;

/** Everything that the content depends on. */
export type KeyParts = readonly KeyPart[];

export function pageFile(
  site: Site,
  path: string,
  keyParts: () => KeyParts,
  view: (link: Link) => PageView,
  face: () => Face = () => view(linkFrom(site, path)),
) {
  let odd: string | undefined;
  const content = (): string => {
    const link = linkFrom(site, path);
    const page = view(link);
    odd = page.odd;
    return renderPage(site, path, page, link);
  };
  const key = () => keyOf(site.key, path, keyParts());
  return { path, key, content, share: shareFile(site, path, face), remark: () => odd };
}

/** A page that shows so little that this can be its key. */
export function smallPageFile(site: Site, path: string, view: (link: Link) => PageView) {
  return pageFile(site, path, () => [JSON.stringify(view(linkFrom(site, path)))], view);
}

/** A page of that kind for a section that has a template of its own. */
export function sectionPage<Name extends SectionName & keyof Views>(
  site: Site,
  name: Name,
  data: (link: Link) => Views[Name],
) {
  const { title, path } = section(site, name);
  return smallPageFile(site, path, (link) => {
    return { template: name, title, section: name, data: data(link) } as PageView;
  });
}

/** Key of the settings that change a page's bytes. */
export function settingsKey({ origin, media, site }: SiteConfig, catalogue: Catalogue): string {
  const {
    title,
    description,
    url,
    robots,
    language,
    perPage,
    search,
    nav,
    ratingScale,
    sharePictures,
  } = site;
  const { timezone, baseUrl, allowHosts } = origin;
  const settings = [title, description, url, robots, language, perPage, search, timezone, baseUrl];
  const lists = JSON.stringify([allowHosts, nav, ratingScale, sharePictures]);
  return keyOf(lists, settings, media.publishOriginals, catalogue.routes.root);
}

function renderPage(site: Site, path: string, page: PageView, link: Link): string {
  const { templates } = site;
  const { title: siteTitle, description: about, url, robots, search } = site.config.site;
  const linked = (to: string | null = null) => (to === null ? null : link(to));
  const shared: Shared = {
    f: site.formats,
    hrefs: hrefsOf(link),
    siteTitle,
    asset: (name) => linked(templates.assets.get(name)?.path),
    hasSearch: search !== "off",
  };
  const { template, title, data } = page;
  const body = templates.render(template, {
    ...shared,
    title,
    titleClass: titleClass(title),
    ...data,
  });
  const feeds = sitePaths.feeds(page.feed?.path ?? sitePaths.home);
  return templates.render("layout", {
    ...shared,
    body,
    title,
    template,
    data,
    section: page.section,
    article: page.article ?? null,
    linkedData: page.section === "none" ? null : textForPrograms(site, path, page, link),
    crumbs: (page.crumbs ?? []).map((crumb) => ({ title: crumb.title, href: linked(crumb.path) })),
    previous: linked(page.previous),
    next: linked(page.next),
    description: excerpt(page.description ?? "") || `${title} · ${about || siteTitle}`,
    canonical: page.section === "none" ? null : publicUrl(site, path),
    image: sharedImage(site, path, page),
    // Browsers complain of one that is opened from a folder.
    webManifest: url === null ? null : link(sitePaths.webManifest),
    openSearch: hasOpenSearch(site) ? link(sitePaths.openSearch) : null,
    nav: site.config.site.nav
      .filter((entry) => !isEmpty(site, entry))
      .map((entry) => navigationEntry(site, entry, link)),
    papers: templates.papers,
    logo: logoOf(templates, link),
    noindex: page.section === "none" || robots === "noindex",
    feeds: {
      title: page.feed === undefined ? siteTitle : `${page.feed.title} · ${siteTitle}`,
      atom: link(feeds.atom),
      json: link(feeds.json),
    },
  } satisfies LayoutView);
}

/** Whether browsers are told how to search; they take absolute addresses only. */
export function hasOpenSearch({ config }: Pick<Site, "config">): boolean {
  return config.site.url !== null && config.site.search !== "off";
}

function hrefsOf(link: Link): Sections {
  const hrefs = Object.entries(sections).map(([name, path]) => [name, link(path)]);
  return Object.fromEntries(hrefs) as Record<SectionName, string>;
}

function logoOf({ logo, assets }: Templates, link: Link): Logo | null {
  const asset = logo && assets.get(logo.name);
  return logo && asset ? { src: link(asset.path), width: logo.width, height: logo.height } : null;
}

/** Whether a section has nothing to show. */
function isEmpty({ lists, catalogue }: Site, entry: Config["site"]["nav"][number]): boolean {
  if (entry === "categories" || entry === "tags") return lists[entry].size === 0;
  if (entry === "galleries") return lists.galleries.length === 0;
  const { list } = catalogue.snapshot;
  return entry === "images" && !list("images")?.count && !list("images.unlisted")?.count;
}

function navigationEntry(site: Site, entry: Config["site"]["nav"][number], link: Link) {
  if (typeof entry !== "string") return { section: null, title: entry.title, href: entry.url };
  const { title, path } = section(site, entry);
  return { section: entry, title, href: link(path) };
}

/** Programs that show a shared page take absolute addresses only. */
function sharedImage(site: Site, path: string, { image, title }: PageView): SharedImage | null {
  const shared = sharedBy(site, path, { title, image });
  const url = shared && publicUrl(site, shared.path);
  if (!url) return null;
  const { type, width, height, alt } = shared;
  return { type, width, height, url, alt: alt || title, large: isLarge(shared) };
}

function textForPrograms(site: Site, path: string, page: PageView, link: Link): string {
  const { title: siteTitle, description } = site.config.site;
  const addressOf: Link = (to) => publicUrl(site, to) ?? link(to);
  const website = {
    "@type": "WebSite",
    name: siteTitle,
    url: addressOf(sitePaths.home),
    description: description || undefined,
  };
  const here = path === sitePaths.home ? [] : [{ title: page.title, path }];
  const crumbs = [section(site, "home"), ...(page.crumbs ?? []), ...here];
  const { subject, image } = page;
  const about = excerpt(page.description ?? "");
  return linkedDataOf({ description: about, subject, image, crumbs, website }, addressOf);
}

/** hostOf("https://media.example.org/api/v1") → "media.example.org" */
export const hostOf = (origin: string) => (URL.canParse(origin) ? new URL(origin).host : origin);

/** Public address of a file of the website; null where the website has none. */
export function publicUrl({ config }: Pick<Site, "config">, path: string): string | null {
  const { url } = config.site;
  return url === null ? null : `${url}/${urlPath(path.replace(/(^|\/)index\.html$/, "$1"))}`;
}

/** The page for unknown addresses is shown at any depth: its links start at the root. */
export function linkFrom({ config }: Site, path: string): Link {
  if (path !== sitePaths.notFound) return (to) => relativeHref(path, to);
  const { url } = config.site;
  const root = url === null ? "/" : `${new URL(url).pathname.replace(/\/+$/, "")}/`;
  return (to) => root + urlPath(to);
}
