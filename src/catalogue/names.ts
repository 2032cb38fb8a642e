import type { Config } from "../config.ts";
import { assignPermalinks, type Named } from "../routes/permalinks.ts";
import { sitePaths } from "../routes/site.ts";
import type { SnapshotReader } from "../store/reader.ts";
import type { Article } from "../store/records.ts";

/** An item's id and its web page at the origin. */
export type View = readonly [id: string, url: string];

/** What articles, galleries, categories and tags are called in paths of the website. Reads each list once. */
export function readNames(snapshot: SnapshotReader, permalinks: Config["site"]["permalinks"]) {
  const articles = readNamed(snapshot, "articles");
  const galleries = readNamed(snapshot, "galleries");
  const ofArticles = assignPermalinks(articles.named, permalinks);
  const ofGalleries = assignPermalinks(galleries.named, permalinks);
  const ofCategories = assignPermalinks(readNamed(snapshot, "categories").named, "slug");
  const ofTags = assignPermalinks(readNamed(snapshot, "tags").named, "slug");
  const article = (id: string) => pathOf(ofArticles.get(id), sitePaths.article);
  const gallery = (id: string) => pathOf(ofGalleries.get(id), sitePaths.gallery);
  return {
    article,
    gallery,
    category: (id: string) => ofCategories.get(id),
    tag: (slug: string) => ofTags.get(slug),
    /** Pages that the origin has of articles and galleries, with the path of ours. */
    pages: [...placed(articles.views, article), ...placed(galleries.views, gallery)],
  };
}

function pathOf(name: string | undefined, path: (name: string) => string): string | undefined {
  return name === undefined ? undefined : path(name);
}

function placed(
  views: readonly View[],
  page: (id: string) => string | undefined,
): { url: string; path: string }[] {
  return views.flatMap(([id, url]) => {
    const path = page(id);
    return path === undefined ? [] : [{ url, path }];
  });
}

/** What gives the items of a list their names, and the pages that the origin has of them: one pass. */
function readNamed(
  snapshot: SnapshotReader,
  list: "articles" | "galleries" | "categories" | "tags",
): { named: Named[]; views: View[] } {
  const named: Named[] = [];
  const views: View[] = [];
  for (const ref of snapshot.refs(list)) {
    const { id, normal } = snapshot.read(list, ref);
    const createdAt = "createdAt" in normal ? normal.createdAt : null;
    named.push({ id, slug: normal.slug, createdAt });
    if ("view" in normal && normal.view !== null) views.push([id, normal.view]);
  }
  return { named, views };
}

/**
 * Makes the function that tells the id of an article's category, which its index form may name by title alone; null
 * where it has none.
 */
export function categoryFinder(snapshot: SnapshotReader): (article: Article) => string | null {
  let byTitle: Map<string, string> | undefined;
  return ({ id, category }) => {
    if (category === null || category.id !== null) return category?.id ?? null;
    const single = snapshot.find("articles.single", "articles.single", id);
    if (single?.normal.category?.id) return single.normal.category.id;
    byTitle ??= new Map(
      [...snapshot.refs("categories")]
        .map((ref) => snapshot.read("categories", ref).normal)
        .map(({ title, id: categoryId }) => [title, categoryId]),
    );
    return byTitle.get(category.title) ?? null;
  };
}
