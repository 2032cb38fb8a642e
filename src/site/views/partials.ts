import type { Shared } from "./frame.ts";
import type { ContentsEntry } from "./items.ts";
import type {
  Attachments,
  Card,
  Citation,
  GalleryCard,
  Neighbours,
  Pagination,
  Period,
  Picture,
  Tile,
} from "./parts.ts";

/** An article in a list. */
export interface CardPartial extends GalleryCardPartial {
  card: Card;
}

/** A gallery in a list. */
export interface GalleryCardPartial extends Pick<Shared, "f"> {
  card: GalleryCard;
  /** Level of the heading, by default 2. */
  level?: number;
  /** Whether the picture comes first on the page. */
  eager?: boolean;
}

/** The headings of an article. */
export interface ContentsPartial {
  contents: ContentsEntry[];
}

/** How to cite the page. */
export interface CitePartial extends Pick<Shared, "f" | "asset"> {
  citation: Citation;
  /** Address at the origin, where there is one. */
  origin?: string | null;
}

/** The months of a year, or the years of a category. */
export interface PeriodsPartial extends Pick<Shared, "f"> {
  periods: Period[];
}

/** The links to the items before and after. */
export interface NeighboursPartial extends Pick<Shared, "f">, Neighbours {
  /** Name of the navigation. */
  label: string;
  /** What stands above the two titles, by default "Newer" and "Older". */
  words?: [newer: string, older: string];
}

/** The page numbers of a list. */
export interface PaginationPartial extends Pick<Shared, "f"> {
  /** Missing if one page holds it all. */
  pagination?: Pagination | undefined;
  /** Names of the links to the pages before and after, by default "Newer" and "Older". */
  words?: [before: string, after: string];
}

/** An image. */
export interface PicturePartial {
  picture: Picture;
  /** By default empty: the picture says nothing that does not stand beside it. */
  alt?: string;
  /** Whether it comes first on the page, and is not loaded late. */
  eager?: boolean;
}

/** The attached videos, audio files and documents. */
export type PlayersPartial = Pick<Shared, "f"> &
  Pick<Attachments, "videos" | "audio" | "documents">;

/** A grid of images, with the viewer. */
export interface TilesPartial extends Pick<Shared, "f" | "asset"> {
  tiles: Tile[];
  /** Whether the first picture comes first on the page. */
  eager?: boolean;
}

/** The viewer of a grid; its script needs the classes and `data-` attributes that the built-in partial has. */
export interface ViewerPartial extends Pick<Shared, "f" | "asset"> {
  /** The first of the grid. */
  tile: Tile;
}
