import type { Config } from "../config.ts";
import { assignPermalinks, type Named } from "../routes/permalinks.ts";
import { sitePaths } from "../routes/site.ts";
import type { SnapshotReader } from "../store/reader.ts";
import type { Article } from "../store/records.ts";

/** An item that has a web page at the origin. */
export interface View {
  kind: "articles" | "galleries" | "images";
  id: string;
  url: string;
}

/** The names of articles, galleries, categories and tags in paths of the website. Reads each list once. */
export function readNames(
  snapshot: SnapshotReader,
  { permalinks, paths }: Pick<Config["site"], "permalinks" | "paths">,
) {
  const views: View[] = [];
  const named = (list: "articles" | "galleries" | "categories" | "tags"): Named[] =>
    Array.from(snapshot.refs(list), (ref) => {
      const { id, normal } = snapshot.read(list, ref);
      const hasViews = list === "articles" || list === "galleries";
      if (hasViews && "view" in normal && normal.view !== null) {
        views.push({ kind: list, id, url: normal.view });
      }
      return { id, slug: normal.slug, createdAt: "createdAt" in normal ? normal.createdAt : null };
    });
  const articles = assignPermalinks(named("articles"), permalinks, paths);
  const galleries = assignPermalinks(named("galleries"), permalinks, paths);
  const categories = assignPermalinks(named("categories"), "slug", paths);
  const tags = assignPermalinks(named("tags"), "slug", paths);
  return {
    page(kind: "articles" | "galleries", id: string): string | undefined {
      const name = (kind === "articles" ? articles : galleries).get(id);
      if (name === undefined) return undefined;
      return kind === "articles" ? sitePaths.article(name) : sitePaths.gallery(name);
    },
    category: (id: string) => categories.get(id),
    tag: (slug: string) => tags.get(slug),
    views,
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
      Array.from(snapshot.refs("categories"), (ref) => {
        const { normal } = snapshot.read("categories", ref);
        return [normal.title, normal.id];
      }),
    );
    return byTitle.get(category.title) ?? null;
  };
}
