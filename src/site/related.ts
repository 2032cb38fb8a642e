import type { Site } from "./site.ts";
import type { ArticleSummary, Group } from "./summaries.ts";

const shown = 3;
/** Articles of a category or tag that are looked at, on either side of an article. */
const reach = 8;

/**
 * Tells the articles that have most in common with one: a tag or category counts more, the fewer articles have it. Of
 * equal ones, those that are nearest in the list. It must be asked for all articles in the order of `site.lists`: so it
 * knows where each stands in its groups, without a search.
 */
export function relatedFinder({ lists }: Pick<Site, "lists">) {
  const places = new Map<Group, number>();
  const all = lists.articles.length;
  return ({ category, tags }: ArticleSummary): ArticleSummary[] => {
    const scores = new Map<ArticleSummary, number>();
    const groups: (Group | undefined)[] = [...new Set(tags)].map((slug) => lists.tags.get(slug));
    if (category !== null) groups.push(lists.categories.get(category));
    for (const group of groups) {
      if (group === undefined) continue;
      const place = places.get(group) ?? 0;
      places.set(group, place + 1);
      const rarity = rarityOf(group, all);
      for (const other of around(group.articles, place))
        scores.set(other, (scores.get(other) ?? 0) + rarity);
    }
    return [...scores]
      .sort(([, a], [, b]) => b - a)
      .slice(0, shown)
      .map(([article]) => article);
  };
}

/** A whole number, so that a few articles more or less change none of the related ones. */
const rarityOf = ({ articles: { length } }: Group, all: number): number =>
  1 + Math.round(2 * Math.log2(all / length));

/** The articles beside a place, the nearest first, the older one before the newer one. */
function* around(articles: readonly ArticleSummary[], place: number): Generator<ArticleSummary> {
  for (let distance = 1; distance <= reach; distance++) {
    for (const at of [place + distance, place - distance]) {
      const article = articles[at];
      if (article !== undefined) yield article;
    }
  }
}
