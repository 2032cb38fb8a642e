import type { Site } from "./site.ts";
import type { ArticleSummary, Group } from "./summaries.ts";

/** Related articles of one article. */
const shown = 3;
/** Articles of a category or tag that are looked at, behind an article and, where those are too few, before it. */
const reach = 8;
/** What a tag in common counts, where a category counts 1. */
const tagWeight = 2;

/**
 * Tells the articles that have most tags, and the category, in common with one; of equal ones, those that are nearest in
 * the list. Older ones come first, so that a new article changes few other pages. It must be asked for all articles in
 * the order of `site.lists`: so it knows where each stands in its groups, without a search.
 */
export function relatedFinder({ lists }: Site) {
  const places = new Map<Group, number>();
  const groupsOf = ({ category, tags }: ArticleSummary): [Group, number][] => {
    const found: [Group | undefined, number][] = [...new Set(tags)].map((slug) => [
      lists.tags.get(slug),
      tagWeight,
    ]);
    if (category !== null) found.push([lists.categories.get(category), 1]);
    return found.filter((one): one is [Group, number] => one[0] !== undefined);
  };
  return (article: ArticleSummary): ArticleSummary[] => {
    const groups = groupsOf(article).map(([group, weight]) => {
      const place = places.get(group) ?? 0;
      places.set(group, place + 1);
      return { articles: group.articles, place, weight };
    });
    const older = new Map<ArticleSummary, number>();
    const newer = new Map<ArticleSummary, number>();
    for (const { articles, place, weight } of groups) {
      const before = articles.slice(Math.max(0, place - reach), place).reverse();
      for (const [scores, near] of [
        [older, articles.slice(place + 1, place + 1 + reach)],
        [newer, before],
      ] as const) {
        for (const other of near) scores.set(other, (scores.get(other) ?? 0) + weight);
      }
    }
    return [...best(older), ...best(newer)].slice(0, shown);
  };
}

/** Those with the highest scores; of equal ones, those that were found first. */
function best(scores: ReadonlyMap<ArticleSummary, number>): ArticleSummary[] {
  return [...scores]
    .sort(([, a], [, b]) => b - a)
    .slice(0, shown)
    .map(([article]) => article);
}
