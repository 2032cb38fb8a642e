/** What the data of several templates consist of. Each link is relative to the page that it stands on. */

/** A time. */
export interface Moment {
  /** ISO 8601 in UTC, for `<time datetime>`. */
  iso: string;
  /** In the site's language. */
  text: string;
}

/** A link to a page. */
export interface PageLink {
  title: string;
  href: string;
}

/** What may have a page. */
export interface Reference {
  title: string;
  /** Null if it has no page. */
  href: string | null;
}

/** A category, a tag, a year or a month, with the first page of its articles. */
export interface Group extends PageLink {
  /** Articles. */
  count: number;
}

/** A year. */
export interface Year extends Group {
  /** Such as "2024". */
  year: string;
}

/** A month of a year, or a year of a category. */
export interface Period {
  /** Such as "May" or "2024". */
  name: string;
  /** Articles. */
  count: number;
  /** 0 to 4: how full it is beside the fullest one there. */
  heat: number;
  /** Null if it has no article. */
  href: string | null;
}

/** An article as one line. */
export interface Line extends PageLink {
  /** When it was published. Null if the origin does not say. */
  date: Moment | null;
}

/** An image with its files, for `partials/picture.eta`. */
export interface Picture {
  src: string;
  /** Pixels. */
  width: number;
  /** Pixels. */
  height: number;
  /** The other sizes of `src`. Null if there is one size only. */
  srcset: string | null;
  /** How wide the built-in style sheet shows it. */
  sizes: string;
  /** The same in better formats, the best first. */
  sources: PictureSource[];
  /** For `data-animation`: a script plays this file when it is asked to. Null if the picture does not move. */
  animation: string | null;
  /**
   * For `data-hash`: a script draws a placeholder from it until the picture is there. Null for small and transparent
   * pictures, and if the archive does not have it.
   */
  thumbHash: string | null;
}

/** An image in another format. */
export interface PictureSource {
  /** Such as "image/webp". */
  type: string;
  srcset: string;
}

/** How many attached files are shown. */
export interface FileCounts {
  images: number;
  videos: number;
  documents: number;
  audio: number;
}

/** A gallery in a list. */
export interface GalleryCard extends PageLink {
  /** When it was published. Null if the origin does not say. */
  date: Moment | null;
  /** Null if no image stands for it. */
  picture: Picture | null;
  /** What is attached to it. */
  counts: FileCounts;
}

/** An article in a list. */
export interface Card extends GalleryCard {
  /** Class for the heading: "long" or "longest" where the title is; otherwise empty. */
  titleClass: string;
  /** Null if it has none. */
  category: Reference | null;
  /** May be empty. */
  synopsis: string;
}

/** An image in a grid. */
export interface Tile {
  /** Its page, at the position in this gallery. */
  href: string;
  /** Id of the link, to which the image's page leads back. */
  anchor: string;
  /** Id of the tile. With it, an address opens the viewer at this image. */
  viewed: string;
  title: string;
  /** Title or else caption; may be empty. */
  alt: string;
  /** Empty if it says the same as `alt`. */
  caption: string;
  /** Null without a file, or if the file is no picture that browsers show. */
  picture: Picture | null;
  /** The original file. Null if it is not published. */
  original: string | null;
  /** Whether the archive has its file. */
  kept: boolean;
  /** Class for its proportions, "r5" (1:2) to "r30" (3:1): pages may not have inline styles. */
  ratio: string;
}

/** The first pictures of a gallery, in one row. */
export interface Strip extends PageLink {
  tiles: Tile[];
}

/** An attached video, audio file or document. */
export interface AttachedFile {
  /** Its id in the page. */
  anchor: string;
  title: string;
  /** May be empty. */
  caption: string;
  /** Null if the archive does not have the file. */
  href: string | null;
  /** Such as "PDF"; empty if it is not known. */
  form: string;
  /** 0 if it is not known. */
  bytes: number;
  /** Of the frame of a video, in pixels. Null if it is not known. */
  width: number | null;
  /** Pixels. */
  height: number | null;
  /** How long a video or recording is, such as "2:31"; empty if it is not known. */
  length: string;
  /** In the list of all files: the articles and galleries that it is attached to. */
  places: PageLink[];
  /** A picture of a video. Null if there is none. */
  poster: string | null;
  /** Whether browsers show it. They save all others. */
  opens: boolean;
  /** Name to save it under, for `download`. */
  fileName: string;
}

/** What is attached to an article or gallery. */
export interface Attachments {
  /** The images. */
  tiles: Tile[];
  videos: AttachedFile[];
  audio: AttachedFile[];
  documents: AttachedFile[];
}

/** The items before and after an article, gallery, image or period. */
export interface Neighbours {
  /** Missing at the newest one. */
  newer?: PageLink | undefined;
  /** Missing at the oldest one. */
  older?: PageLink | undefined;
}

/** How to cite a page. */
export interface Citation {
  /** In one line. */
  text: string;
  /** The script with the date of the archive, which its own script adds. */
  snapshot: string;
}

/** The pages of a list. */
export interface Pagination {
  /** Number of this page, from 1. */
  current: number;
  /** Number of the last page. */
  last: number;
  /** Null on the first page. */
  previous: string | null;
  /** Null on the last page. */
  next: string | null;
  /** The first page, the last and those near; null stands for a gap. */
  entries: (PageEntry | null)[];
}

/** A page number with its link. */
export interface PageEntry {
  page: number;
  href: string;
  /** Whether it is this page. */
  current: boolean;
}
