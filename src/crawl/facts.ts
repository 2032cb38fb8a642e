import type { Ref, SnapshotManifest } from "../store/snapshots.ts";
import type { CrawlContext } from "./context.ts";
import { checkFilters } from "./filters.ts";
import type { Lists } from "./lists.ts";
import { askSingleImages } from "./single-images.ts";

/** What a snapshot knows of how its origin answers. */
export type Facts = Pick<SnapshotManifest, "tagMatch" | "timezoneChecked" | "learned">;

/**
 * Learns how the origin answers where the API document leaves it open, with a few requests that no crawl has made
 * before. Nothing that happens here is a problem of the crawl.
 *
 * @param known what the last snapshot knows
 */
export async function learnFacts(
  context: CrawlContext,
  { learned = {}, tagMatch, timezoneChecked }: Facts,
  lists: Lists,
): Promise<Facts> {
  const { images } = lists.saved;
  const listed = images === undefined ? [] : [...context.store.snapshots.refs(images)];
  const singleImages = await askSingleImages(context, learned.singleImages, listed);
  const known = { tagMatch, timezoneChecked, filterLinks: learned.filterLinks };
  const { filterLinks, ...filters } = await checkFilters(
    context,
    known,
    articlesOf(context, lists),
  );
  const behind = { ...learned.behind, ...Object.fromEntries(context.behind) };
  // Members that are undefined, or objects that are empty, are not written down.
  const all = Object.entries({ filterLinks, behind, singleImages });
  const found = all.filter(([, fact]) => fact !== undefined && Object.keys(fact).length > 0);
  return { ...filters, ...(found.length === 0 ? {} : { learned: Object.fromEntries(found) }) };
}

/** The articles that the origin lists, without those that are kept all the same. */
function articlesOf({ store }: CrawlContext, { saved, kept }: Lists): Ref[] {
  const list = saved.articles;
  const refs = list === undefined ? [] : [...store.snapshots.refs(list)];
  return refs.filter(({ id }) => !kept.articles.has(id));
}
