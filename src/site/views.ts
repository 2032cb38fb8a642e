import type { LayoutView, Page } from "./views/frame.ts";
import type * as items from "./views/items.ts";
import type * as lists from "./views/lists.ts";
import type * as partials from "./views/partials.ts";
import type * as single from "./views/single.ts";

/** What a theme can rely on: the data of each template. The package exports it as `stillpress/theme`. */
export type * from "./views/frame.ts";
export type * from "./views/items.ts";
export type * from "./views/lists.ts";
export type * from "./views/partials.ts";
export type * from "./views/parts.ts";
export type * from "./views/single.ts";

/** The data that a page makes for its own template, by the name of the template. */
export interface Views {
  home: single.HomeView;
  list: lists.ListView;
  article: items.ArticleView;
  gallery: items.GalleryView;
  image: items.ImageView;
  titles: lists.TitlesView;
  galleries: lists.GalleriesView;
  images: lists.ImagesView;
  files: lists.FilesView;
  categories: lists.CategoriesView;
  tags: lists.TagsView;
  archive: lists.ArchiveView;
  search: single.SearchView;
  snapshot: single.SnapshotView;
  "not-found": Record<never, never>;
}

/** What each template gets as `it`. */
export type Templates = { [Name in keyof Views]: Page & Views[Name] } & {
  layout: LayoutView;
  "partials/head": LayoutView;
  "partials/foot": LayoutView;
  "partials/card": partials.CardPartial;
  "partials/gallery-card": partials.GalleryCardPartial;
  "partials/contents": partials.ContentsPartial;
  "partials/cite": partials.CitePartial;
  "partials/periods": partials.PeriodsPartial;
  "partials/neighbours": partials.NeighboursPartial;
  "partials/pagination": partials.PaginationPartial;
  "partials/picture": partials.PicturePartial;
  "partials/players": partials.PlayersPartial;
  "partials/tiles": partials.TilesPartial;
  "partials/viewer": partials.ViewerPartial;
};
