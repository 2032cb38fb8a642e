import type {
  AttachedFile,
  Card,
  GalleryCard,
  Group,
  Line,
  PageLink,
  Pagination,
  Period,
  Tile,
  Year,
} from "./parts.ts";

/** A page of a list. */
export interface PagedView {
  /** Title of the list. */
  title: string;
  /** Items on all pages. */
  total: number;
  /** Number of this page, from 1. */
  page: number;
  /** Missing if one page holds it all. */
  pagination?: Pagination | undefined;
}

/** What a list of articles is of. A list has those members that its kind needs. */
export interface ListSubject {
  /** The kind: "Category", "Tag", "Year" or "Month". Missing for all articles, and for those without a date. */
  kicker?: string;
  /** Tags only. The tag's slug if other tags have this title, else empty. */
  hint?: string;
  /** Tags only. How many galleries have it. */
  galleries?: number;
  /** Years: all their months. Categories: their years, none if there is only one. */
  periods?: Period[];
  /** Years and months only. The next one; missing at the latest. */
  later?: PageLink | undefined;
  /** Years and months only. The one before; missing at the earliest. */
  earlier?: PageLink | undefined;
}

/** A list of articles: all, of a category, of a tag, of a year, of a month. */
export interface ListView extends PagedView, ListSubject {
  cards: Card[];
}

/** A list of articles by title. */
export interface TitlesView extends PagedView {
  lines: Line[];
}

/** The list of all galleries. */
export interface GalleriesView extends PagedView {
  cards: GalleryCard[];
}

/** The list of all videos, audio files and documents. */
export interface FilesView extends PagedView {
  videos: AttachedFile[];
  audio: AttachedFile[];
  documents: AttachedFile[];
}

/** The list of all images. */
export interface ImagesView extends PagedView {
  tiles: Tile[];
}

/** All categories. */
export interface CategoriesView {
  /** In the origin's order, those without articles too. */
  categories: Group[];
}

/** All tags. */
export interface TagsView {
  total: number;
  groups: TagGroup[];
}

/** The tags that begin with one letter. */
export interface TagGroup {
  /** The letter; "0–9" for all figures. */
  initial: string;
  items: Tag[];
}

export interface Tag extends Group {
  /** The slug if other tags have this title, else empty. */
  hint: string;
}

/** The years and months of all articles. */
export interface ArchiveView {
  /** Latest first. */
  years: CalendarYear[];
  /** Articles by year and category. */
  matrix: Matrix;
  /** The lists of articles by title, one for each letter. */
  initials: Group[];
  /** The articles without a date. Null if there are none. */
  undated: Group | null;
}

/** Articles by year and category. */
export interface Matrix {
  /** Its columns: the categories that have articles of several years. */
  categories: Group[];
  /** The years, latest first. */
  rows: MatrixRow[];
}

export interface MatrixRow extends Group {
  /** One for each category. Null if it has no article in that year. */
  cells: (Period | null)[];
}

export interface CalendarYear extends Year {
  /** All twelve, from January. */
  months: Period[];
}
