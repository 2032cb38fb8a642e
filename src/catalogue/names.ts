import type { Config } from "../config.ts";
import type { Remark } from "../lib/reporter.ts";
import { andMore } from "../lib/words.ts";
import { assignPermalinks, type Named } from "../routes/permalinks.ts";
import { sitePaths } from "../routes/site.ts";
import { type Viewed, type ViewReason, viewPaths, viewReasons } from "../routes/view-paths.ts";
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
 */
export function readNames(
  snapshot: SnapshotReader,
  { permalinks, paths }: Pick<Config["site"], "permalinks" | "paths">,
  root: string,
) {
  const views: View[] = [];
  const viewed: Viewed[] = [];
  const named = (list: "articles" | "galleries" | "categories" | "tags"): Named[] =>
    Array.from(snapshot.refs(list), (ref) => {
      const { id, normal } = snapshot.read(list, ref);
      const createdAt = "createdAt" in normal ? normal.createdAt : null;
      if ((list === "articles" || list === "galleries") && "view" in normal) {
        const { view } = normal;
        if (permalinks === "view") viewed.push({ name: `${list}/${id}`, view, createdAt });
        if (view !== null) views.push({ kind: list, id, url: view });
      }
      return { id, slug: normal.slug, createdAt };
    });
  const style = permalinks === "id" ? "id" : "slug";
  const articles = assignPermalinks(named("articles"), style, paths);
  const galleries = assignPermalinks(named("galleries"), style, paths);
  const placed = viewPaths(viewed, root);
  const categories = assignPermalinks(named("categories"), "slug", paths);
  const tags = assignPermalinks(named("tags"), "slug", paths);
  return {
    page(kind: "articles" | "galleries", id: string): string | undefined {
      const old = placed.paths.get(`${kind}/${id}`);
      if (old !== undefined) return old;
      const name = (kind === "articles" ? articles : galleries).get(id);
      if (name === undefined) return undefined;
      return kind === "articles" ? sitePaths.article(name) : sitePaths.gallery(name);
    },
    category: (id: string) => categories.get(id),
    tag: (slug: string) => tags.get(slug),
    views,
    /** Articles and galleries that keep the address of their slug although `site.permalinks` is "view". */
    remarks: Array.from(placed.others, ([reason, names]) => fallbackRemark(reason, names)),
  };
}

function fallbackRemark(reason: ViewReason, names: readonly string[]): Remark {
  return {
    subject: names.slice(0, 3).join(", ") + andMore(names.length - 3),
    reason: `${viewReasons[reason]}, so the address is that of the slug`,
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
