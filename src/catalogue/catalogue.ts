import type { Config } from "../config.ts";
import { sitePaths } from "../routes/site.ts";
import type { MediaKind, Routes } from "../routes/table.ts";
import type { MediaIndex } from "../store/media.ts";
import type { SnapshotReader } from "../store/reader.ts";
import { filesOf } from "./files.ts";
import { locateFiles } from "./linked-files.ts";
import { categoryFinder, readNames, type View } from "./names.ts";
import { type Located, placesOf } from "./places.ts";
import { readVisibility } from "./visibility.ts";

/** What of a snapshot may be shown, and where the URLs of the origin lead now. */
export type Catalogue = ReturnType<typeof openCatalogue>;

/** Reads the snapshot's lists once; holds ids, names and URLs in memory, no bodies. */
export function openCatalogue(
  snapshot: SnapshotReader,
  mediaIndex: MediaIndex,
  routes: Routes,
  config: Pick<Config, "media" | "site">,
) {
  const names = readNames(snapshot, config.site, routes.root);
  const { views } = names;
  const unnamed = new Set<string>();
  const visibility = readVisibility(snapshot, config.media.unproved, (id, normal, isShown) => {
    const { view, web, download } = normal;
    if (!isShown) for (const url of [view, web, download]) if (url !== null) unnamed.add(url);
    if (isShown && view !== null) views.push({ kind: "images", id, url: view });
  });
  /** Whether an item may be shown; only images may not. */
  const shows = (kind: MediaKind, id: string): boolean => kind !== "images" || visibility.shows(id);
  const files = filesOf(mediaIndex, routes, config.media, shows);
  const linked = locateFiles(snapshot, routes, files);

  function page(kind: View["kind"], id: string): string | undefined {
    if (kind !== "images") return names.page(kind, id);
    return visibility.shows(id) ? sitePaths.image(id) : undefined;
  }

  /** Pages of the archive, and the addresses of the same ones at the origin's website. */
  function* viewed(): Generator<[url: string, path: string]> {
    for (const { kind, id, url } of views) {
      const path = page(kind, id);
      if (path !== undefined) yield [url, path];
    }
  }

  function* located(): Generator<[string, Located]> {
    for (const [url, path] of viewed()) yield [url, { type: "page", path }];
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
    isRemoved: (index: View["kind"], id: string): boolean =>
      snapshot.digestOf("removed", `${index}/${id}`) !== undefined,
    links: linked.links,
    page,
    viewed,
    categoryOf: categoryFinder(snapshot),
    categoryName: names.category,
    tagName: names.tag,
    /** What is odd about the addresses of pages. */
    remarks: names.remarks,
  };
}
