import type {
  Attachments,
  Card,
  Citation,
  Line,
  Moment,
  Neighbours,
  PageLink,
  Picture,
  Reference,
} from "./parts.ts";

/** One article. Images and players that stand in the text are not among its attachments. */
export interface ArticleView extends Attachments, Neighbours {
  /** Empty if there is none, or the text begins with it. */
  synopsis: string;
  /** When it was published. Null if the origin does not say. */
  date: Moment | null;
  /** The authors in one line. Null if the origin names none. */
  byline: string | null;
  /** Null if it has none. */
  category: Reference | null;
  tags: Reference[];
  /** Null if nobody rated it. */
  rating: Rating | null;
  /** Setting `site.ratingScale`. Null if it is not set. */
  ratingScale: number | null;
  /** Harmless HTML; may be empty. */
  body: string;
  /** Attribute such as ` lang="ja"`; empty if the text is in the site's language. */
  lang: string;
  /** False if the crawl did not get the text. */
  hasBody: boolean;
  /** The picture above the text. Null if the text has pictures, or nothing stands for the article. */
  hero: Hero | null;
  /** Its headings of the first two levels, if there are at least four. */
  contents: ContentsEntry[];
  /** Its place among the articles whose titles count them, such as "Part 2". Null if it has none. */
  series: Series | null;
  /** The articles whose texts link to it, the latest first; up to 30. */
  linking: Line[];
  /** The articles with most in common. */
  related: Card[];
  /** Its page at the origin. Null if there is none. */
  origin: string | null;
  /** Whether the origin removed it. */
  removed: boolean;
  citation: Citation;
}

export interface ContentsEntry extends PageLink {
  /** 2 or 3. */
  level: number;
}

export interface Series {
  /** From 1. */
  part: number;
  /** The highest number of its series. */
  parts: number;
  /** Null at the first. */
  previous: PageLink | null;
  /** Null at the last. */
  next: PageLink | null;
}

export interface Rating {
  average: number;
  /** How many readers rated. */
  count: number;
}

export interface Hero {
  /** Id of the image. */
  id: string;
  picture: Picture;
  /** Page of the image. */
  href: string;
  /** May be empty. */
  caption: string;
  /** May be empty. */
  credit: string;
}

/** One gallery. */
export interface GalleryView extends Attachments, Neighbours {
  /** When it was published. Null if the origin does not say. */
  date: Moment | null;
  /** Its page at the origin. Null if there is none. */
  origin: string | null;
  /** Whether the origin removed it. */
  removed: boolean;
  citation: Citation;
}

/** One image. */
export interface ImageView {
  /** Title or else caption; may be empty. */
  alt: string;
  /** Empty if it says the same as the title. */
  caption: string;
  /** When it was added. Null if the origin does not say. */
  date: Moment | null;
  /** Whether the origin has no file of it. */
  absent: boolean;
  /** Pixels of the original. Null if not known. */
  width: number | null;
  /** Pixels of the original. Null if not known. */
  height: number | null;
  /** Of the original. Null if not known. */
  bytes: number | null;
  /** Content type of the original. Null if the archive does not have the file. */
  type: string | null;
  /** What else the origin says of it, such as the photographer. */
  meta: Fact[];
  /** Null without a file, or if the file is no picture that browsers show. */
  picture: Picture | null;
  /** Null if it is not published. */
  original: Original | null;
  /** The sizes that the archive has, from the web version to the thumbnails. */
  sizes: ImageSize[];
  /** Articles that show it, up to 50. */
  articles: PageLink[];
  /** Galleries that show it, up to 50. */
  positions: Position[];
  /** How many more articles and galleries show it. */
  moreUses: number;
  /** The image before it in the list of all images. Missing at the first, and for an image of a gallery. */
  before?: PageLink | undefined;
  /** The image after it. Missing at the last, and for an image of a gallery. */
  after?: PageLink | undefined;
  /** Whether the origin removed it. */
  removed: boolean;
  citation: Citation;
}

export interface Fact {
  name: string;
  value: string;
}

export interface Original {
  href: string;
  /** To save it under. */
  fileName: string;
}

export interface ImageSize {
  /** Such as "640 pixels wide". */
  label: string;
  /** Pixels. */
  width: number;
  /** Pixels. */
  height: number;
  /** One for each format. */
  files: ImageFile[];
}

export interface ImageFile {
  /** "JPEG", "WebP" or "AVIF". */
  format: string;
  bytes: number;
  href: string;
}

/** Where an image stands in a gallery. */
export interface Position {
  /** Id for the element that shows the position: links between images of the gallery lead to it. */
  anchor: string;
  /** Title of the gallery. */
  title: string;
  /** The image's tile in the gallery. */
  href: string;
  /** From 1. */
  number: number;
  /** Images of the gallery. */
  total: number;
  /** The image before it. Null at the first. */
  previous: string | null;
  /** The image after it. Null at the last. */
  next: string | null;
}
