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
  return ({ category, tags }: ArticleSummary): ArticleSummary[] => {
    const older = new Map<ArticleSummary, number>();
    const newer = new Map<ArticleSummary, number>();
    const score = (group: Group | undefined, weight: number): void => {
      if (group === undefined) return;
      const place = places.get(group) ?? 0;
      places.set(group, place + 1);
      const { articles } = group;
      const before = articles.slice(Math.max(0, place - reach), place).reverse();
      for (const [scores, near] of [
        [older, articles.slice(place + 1, place + 1 + reach)],
        [newer, before],
      ] as const) {
        for (const other of near) scores.set(other, (scores.get(other) ?? 0) + weight);
      }
    };
    for (const slug of new Set(tags)) score(lists.tags.get(slug), tagWeight);
    if (category !== null) score(lists.categories.get(category), 1);
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
