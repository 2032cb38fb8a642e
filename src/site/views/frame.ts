import type { Formats } from "../formats.ts";
import type { PageLink, Reference } from "./parts.ts";

/** What every page has, and its layout. */
export interface Shared {
  /** Words, dates and numbers in the site's language. */
  f: Formats;
  /** Links to the sections. */
  hrefs: Sections;
  /** Setting `site.title`. */
  siteTitle: string;
  /** `asset("name.png")` is the link to a file of `assets/`; null if there is none. */
  asset: (name: string) => string | null;
  /** Whether there is a search page. */
  hasSearch: boolean;
}

/** The sections, by their names in the setting `site.nav`. */
export interface Sections {
  home: string;
  articles: string;
  galleries: string;
  images: string;
  /** Videos, audio files and documents; the page is missing where there are none. */
  files: string;
  categories: string;
  tags: string;
  archive: string;
  /** The page about the archive. */
  snapshot: string;
  search: string;
}

/** What every page's own template has beside its data. */
export interface Page extends Shared {
  title: string;
  /** Class for the heading: "long" or "longest" where the title is; otherwise empty. */
  titleClass: string;
}

/** The frame of every page, and the ends of its head and foot. */
export interface LayoutView extends Shared {
  /** HTML of the page, made by its own template. */
  body: string;
  title: string;
  /** Name of the page's own template, such as "article". */
  template: string;
  /** What that template has of its own. */
  data: object;
  /** The section that the page belongs to; "none" for `404.html`. */
  section: keyof Sections | "none";
  /** The pages above this one, from the top. */
  crumbs: Reference[];
  /** In one line. */
  description: string;
  /** Public address of the page. Null without `site.url`. */
  canonical: string | null;
  /** For sharing the page. Null without `site.url`, and without a picture. */
  image: SharedImage | null;
  /** Null on any other page than an article's. */
  article: ArticleFacts | null;
  /** The page before this one in a list, or the newer neighbour. Null at the first. */
  previous: string | null;
  /** The page after this one in a list, or the older neighbour. Null at the last. */
  next: string | null;
  /** JSON-LD. Null for `404.html`. */
  linkedData: string | null;
  /** Null without `site.url`. */
  webManifest: string | null;
  /** How browsers search the site. Null without `site.url`, and without a search page. */
  openSearch: string | null;
  /** The main navigation. */
  nav: NavigationEntry[];
  /** The colours that browsers give their own frame. */
  papers: Papers;
  /** Null without `site.logo`. */
  logo: Logo | null;
  /** Whether search engines shall leave the page out. */
  noindex: boolean;
  feeds: Feeds;
}

export interface NavigationEntry extends PageLink {
  /** Null for an entry with an address of its own. */
  section: keyof Sections | null;
}

/** Values of `--paper`, such as "#fbf9f4", and of `--ink` on the light one. */
export interface Papers {
  light: string;
  dark: string;
  ink: string;
}

export interface Logo {
  src: string;
  /** Pixels. */
  width: number;
  /** Pixels. */
  height: number;
}

/** The feeds of this list, or of all articles. */
export interface Feeds {
  title: string;
  atom: string;
  json: string;
}

/** A picture for programs that show a shared page. */
export interface SharedImage {
  /** Absolute address. */
  url: string;
  /** Content type, such as "image/jpeg". */
  type: string;
  /** Whether services show it above the words, not as a thumbnail beside them. */
  large: boolean;
  /** Pixels; missing if not known. */
  width?: number | undefined;
  /** Pixels; missing if not known. */
  height?: number | undefined;
  alt: string;
}

/** What the head of an article's page tells, in the words of Open Graph. */
export interface ArticleFacts {
  /** ISO 8601 in UTC. Null if the origin does not say. */
  published: string | null;
  /** Title of the category. Null if there is none. */
  section: string | null;
  /** Titles of the tags. */
  tags: string[];
}
