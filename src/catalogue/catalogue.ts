import type { Config } from "../config.ts";
import { sitePaths } from "../routes/site.ts";
import type { MediaKind, Routes } from "../routes/table.ts";
import type { MediaIndex } from "../store/media.ts";
import type { SnapshotReader } from "../store/reader.ts";
import { filesOf } from "./files.ts";
import { locateFiles } from "./linked-files.ts";
import { categoryFinder, readNames, type View } from "./names.ts";
import { type Located, placesOf } from "./places.ts";
import { type ImageVisibility, readVisibility } from "./visibility.ts";

/**
 * What of a snapshot may be shown, and where: the answer to every "may this go out" and "where does this URL lead
 * now" of both the mirror and the website.
 */
export type Catalogue = ReturnType<typeof openCatalogue>;

/** Reads the snapshot's lists once; holds ids, names and URLs in memory, no bodies. */
export function openCatalogue(
  snapshot: SnapshotReader,
  mediaIndex: MediaIndex,
  routes: Routes,
  config: Pick<Config, "media" | "site">,
) {
  const names = readNames(snapshot, config.site.permalinks);
  const { visibility, views, unnamed } = readImages(snapshot, config.media.unproved);
  /** Whether an item may be shown; only images may not. */
  const shows = (kind: MediaKind, id: string): boolean => kind !== "images" || visibility.shows(id);
  const files = filesOf(mediaIndex, routes, config.media, shows);
  const linked = locateFiles({ snapshot, routes, ...files });

  function* located(): Generator<[string, Located]> {
    for (const { url, path } of names.pages) yield [url, { type: "page", path }];
    for (const [id, url] of views) yield [url, { type: "page", path: sitePaths.image(id) }];
    for (const { url, path, asked } of linked.urls) yield [url, { type: "file", path, asked }];
  }

  return {
    snapshot,
    routes,
    visibility,
    shows,
    ...files,
    ...placesOf({ routes, files, showsImage: visibility.shows, located: located(), unnamed }),
    /** Whether the origin has removed something that the archive keeps: `crawl.removals: "keep"`. */
    isRemoved: (index: "articles" | "galleries" | "images", id: string): boolean =>
      snapshot.digestOf("removed", `${index}/${id}`) !== undefined,
    links: linked.links,
    /** Page of an item; undefined where it has none. Tags go by slug, images by id. */
    page(kind: "articles" | "galleries" | "images", id: string): string | undefined {
      if (kind === "articles") return names.article(id);
      if (kind === "galleries") return names.gallery(id);
      return visibility.shows(id) ? sitePaths.image(id) : undefined;
    },
    categoryOf: categoryFinder(snapshot),
    /** First page of a category's or tag's articles. */
    categoryName: names.category,
    tagName: names.tag,
  };
}

/** What the images are, the pages that the origin has of those that may be shown, and the URLs of the others. */
function readImages(
  snapshot: SnapshotReader,
  unproved: Config["media"]["unproved"],
): { visibility: ImageVisibility; views: View[]; unnamed: ReadonlySet<string> } {
  const views: View[] = [];
  const unnamed = new Set<string>();
  const visibility = readVisibility(snapshot, unproved, (id, { view, web, download }, isShown) => {
    if (isShown) {
      if (view !== null) views.push([id, view]);
    } else for (const url of [view, web, download]) if (url !== null) unnamed.add(url);
  });
  return { visibility, views, unnamed };
}
