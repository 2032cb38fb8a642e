import type { Config } from "../config.ts";
import { sitePaths } from "../routes/site.ts";
import type { Routes } from "../routes/table.ts";
import type { MediaEntries } from "../store/media.ts";
import type { SnapshotReader } from "../store/reader.ts";
import type { Media } from "../store/records.ts";
import { filesOf } from "./files.ts";
import { locateFiles } from "./linked-files.ts";
import { categoryFinder, readNames, type View } from "./names.ts";
import { type Located, placesOf } from "./places.ts";
import { readShown } from "./shown.ts";
import { imageLists } from "./visibility.ts";

/** What of a snapshot may be shown, and where the URLs of the origin lead now. */
export type Catalogue = ReturnType<typeof openCatalogue>;

/**
 * Reads the snapshot's lists once; holds ids, names and URLs in memory, no bodies.
 *
 * @param withheld blobs of originals that are not published
 */
export function openCatalogue(
  stored: SnapshotReader,
  media: MediaEntries,
  routes: Routes,
  config: Pick<Config, "media" | "site">,
  withheld: ReadonlySet<string> = new Set(),
) {
  const images: View[] = [];
  const unnamed = new Set<string>();
  const withhold = (normal: Partial<Media>): void => {
    for (const url of [normal.view, normal.web, normal.download]) if (url) unnamed.add(url);
  };
  const shown = readShown(stored, config);
  const { snapshot, shows, hides } = shown;
  for (const [list] of imageLists) {
    for (const { id, value } of stored.normals<"images">(list)) {
      if (!shows("images", id)) withhold(value);
      else if (value.view !== null) images.push({ kind: "images", id, url: value.view });
    }
  }
  for (const { kind, ref } of shown.withheld.values())
    withhold(stored.read(kind, ref).normal as Partial<Media>);
  const names = readNames(snapshot, config.site, routes.root, hides);
  const views = [...names.views, ...images];
  const files = filesOf(media, routes, config.media, shows, withheld);
  const linked = locateFiles(snapshot, routes, files, hides);

  function page(kind: View["kind"], id: string): string | undefined {
    if (kind !== "images") return names.page(kind, id);
    return shows(kind, id) ? sitePaths.image(id) : undefined;
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
    for (const { url, ...file } of linked.urls) yield [url, { type: "file", ...file }];
  }

  return {
    ...shown,
    routes,
    ...files,
    ...placesOf({ routes, files, shows, located: located(), unnamed }),
    /** Whether the origin has removed something that the archive keeps: `crawl.removals: "keep"`. */
    isRemoved: (index: View["kind"], id: string): boolean =>
      snapshot.digestOf("withdrawn", `${index}/${id}`) !== undefined,
    links: linked.links,
    page,
    viewed,
    categoryOf: categoryFinder(snapshot),
    categoryName: names.category,
    tagName: names.tag,
    remarks: [...shown.remarks, ...names.remarks],
  };
}
