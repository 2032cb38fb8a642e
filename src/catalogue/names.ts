import type { Config } from "../config.ts";
import { remarkOn } from "../lib/reporter.ts";
import { assignPermalinks, type Named } from "../routes/permalinks.ts";
import { sitePaths } from "../routes/site.ts";
import { type Viewed, viewPaths, viewReasons } from "../routes/view-paths.ts";
import type { SnapshotReader } from "../store/reader.ts";
import type { Article } from "../store/records.ts";

/** An item that has a web page at the origin. */
export interface View {
  kind: "articles" | "galleries" | "images";
  id: string;
  url: string;
}

/**
 * The names of articles, galleries, categories and tags in paths of the website. Reads each list once.
 *
 * @param root folder of the mirror
 * @param hides whether a name must not be shown; it becomes another one
 */
export function readNames(
  snapshot: SnapshotReader,
  { permalinks, paths }: Pick<Config["site"], "permalinks" | "paths">,
  root: string,
  hides: (name: string) => boolean,
) {
  const renamed: string[] = [];
  const views: View[] = [];
  const viewed: Viewed[] = [];
  const named = (list: "articles" | "galleries" | "categories" | "tags"): Named[] =>
    Array.from(snapshot.normals(list), ({ id, value: normal }) => {
      const createdAt = "createdAt" in normal ? normal.createdAt : null;
      if ((list === "articles" || list === "galleries") && "view" in normal) {
        const { view } = normal;
        if (permalinks === "view") viewed.push({ name: `${list}/${id}`, view, createdAt });
        if (view !== null) views.push({ kind: list, id, url: view });
      }
      if (hides(normal.slug)) renamed.push(list === "tags" ? "a tag" : `${list}/${id}`);
      return { id, slug: normal.slug, createdAt };
    });
  const style = permalinks === "id" ? "id" : "slug";
  const articles = assignPermalinks(named("articles"), style, paths, hides);
  const galleries = assignPermalinks(named("galleries"), style, paths, hides);
  const categories = assignPermalinks(named("categories"), "slug", paths, hides);
  const tags = assignPermalinks(named("tags"), "slug", paths, hides);
  const placed = viewPaths(viewed, root, hides);
  return {
    page(kind: "articles" | "galleries", id: string): string | undefined {
      const name = (kind === "articles" ? articles : galleries).get(id);
      if (name === undefined) return undefined;
      const path = kind === "articles" ? sitePaths.article(name) : sitePaths.gallery(name);
      return placed.paths.get(`${kind}/${id}`) ?? path;
    },
    category: (id: string) => categories.get(id),
    tag: (slug: string) => tags.get(slug),
    views,
    /** What has another address than its slug or, where `site.permalinks` is "view", than its page at the origin. */
    remarks: [
      ...[...placed.others].flatMap(([reason, names]) =>
        remarkOn(names, `${viewReasons[reason]}, so the address is that of the slug`),
      ),
      ...remarkOn(renamed, "the slug must not be shown, so the address has a digest of the id"),
    ],
  };
}

/** Tells the id of an article's category, which the index form may name by title alone; null where it has none. */
export function categoryFinder(snapshot: SnapshotReader): (article: Article) => string | null {
  let byTitle: Map<string, string> | undefined;
  return ({ id, category }) => {
    if (category === null || category.id !== null) return category?.id ?? null;
    const single = snapshot.find("articles.single", "articles.single", id);
    if (single?.normal.category?.id) return single.normal.category.id;
    byTitle ??= new Map(
      Array.from(snapshot.normals("categories"), ({ value }) => [value.title, value.id]),
    );
    return byTitle.get(category.title) ?? null;
  };
}
