import type { Card, GalleryCard, Group, Line, Moment, Strip, Year } from "./parts.ts";

/** The front page. No article comes twice in `lead`, `beside`, `cards` and `topics`. */
export interface HomeView {
  /** Setting `site.description`; may be empty. */
  description: string;
  /** All that the archive shows. */
  counts: HomeCounts;
  /** When the archive was copied. */
  date: Moment;
  /** Of the origin, such as "media.example.org". */
  host: string;
  /** The latest article. Null if there is none. */
  lead: Card | null;
  /** The next two articles. */
  beside: Card[];
  /** The next three. */
  cards: Card[];
  /** The latest gallery, where the lead has no picture. Null if there is none. */
  strip: Strip | null;
  /** Up to five articles of this day in other years. */
  onThisDay: Line[];
  /** Up to six categories with at least two more articles. */
  topics: Topic[];
  /** The latest four. */
  galleries: GalleryCard[];
  /** Those with articles. */
  categories: Group[];
  /** Latest first. */
  years: Year[];
}

export type HomeCounts = Pick<ArchiveCounts, "articles" | "galleries" | "images">;

/** A category on the front page: its latest article as a card, up to three more as lines. */
export interface Topic extends Group {
  /** Its `category` is null, because the heading says it. */
  card: Card;
  lines: Line[];
}

/** The search page. Its scripts need the ids and names that the built-in template has. */
export interface SearchView {
  /** The scripts with which the segments of the search index begin. */
  indexes: string[];
  /** Years to choose from. */
  yearChoices: string[];
  /** Whether the texts of articles can be searched. */
  hasBodies: boolean;
  /** Those with articles. */
  categories: Group[];
  years: Group[];
  /** How many tags there are. */
  tags: number;
  /** How many articles there are. */
  articles: number;
}

/** The page about the archive. */
export interface SnapshotView {
  /** When it was copied. */
  time: Moment;
  /** Setting `origin.timezone`. */
  timezone: string;
  /** Of the origin, such as "media.example.org". */
  host: string;
  /** False if something could not be copied. */
  complete: boolean;
  /** Folder of the API mirror, such as "api/v1". */
  root: string;
  /** What the archive holds. */
  counts: ArchiveCounts;
  /** Images that are kept back. */
  notShown: NotShown;
  /** Other items that are not shown: private, or taken down by `site.exclude`. */
  withheld: number;
  /** Images without a file in the archive. */
  missing: number;
  /** Images without a file at the origin. */
  absent: number;
  /** Images that could not be decoded. */
  bare: number;
  /** Items that the origin removed and the archive still shows. */
  removed: number;
  /** Items that left the archive. */
  tombstones: number;
  /** How each list was proved complete. */
  proof: Proof[];
  /** Up to 500. */
  problems: Problem[];
  /** All problems. */
  problemCount: number;
}

export interface ArchiveCounts {
  articles: number;
  galleries: number;
  images: number;
  videos: number;
  documents: number;
  audio: number;
  categories: number;
  tags: number;
}

export interface NotShown {
  private: number;
  /** Neither known to be public nor to be private. */
  unproved: number;
}

/** Why a list counts as complete. */
export interface Proof {
  /** In the site's words. */
  list: string;
  /** Items. */
  collected: number;
  /** Items that the origin says there are. Null if it does not say. */
  expected: number | null;
  pages: number;
  /** How often the list was read. */
  passes: number;
  /** Whether it is proved. */
  agreed: boolean;
  /** What confirmed the last reading, in the site's words; missing if nothing had to. */
  confirmedBy?: string | undefined;
  /** What is odd, in English; missing if nothing is. */
  remark?: string | undefined;
}

/** What could not be copied. In English. */
export interface Problem {
  subject: string;
  reason: string;
}
