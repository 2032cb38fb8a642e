import type { Parent } from "../routes/table.ts";
import type { Ref, SnapshotManifest } from "../store/snapshots.ts";
import type { CrawlContext } from "./context.ts";
import { askEmptyLists } from "./empty-lists.ts";
import { checkFilters } from "./filter-check.ts";
import { learnedOf } from "./learned.ts";
import type { Lists } from "./lists.ts";
import { askSingleImages } from "./single-images.ts";

/** What a snapshot knows of how its origin answers. */
export type Facts = Pick<SnapshotManifest, "tagMatch" | "timezoneChecked" | "learned">;

/**
 * Learns how the origin answers where the API document leaves it open: with a few requests, as far as no crawl has
 * made them before. Nothing that happens here is a problem of the crawl.
 *
 * @param known what the last snapshot knows
 */
export async function learnFacts(
  context: CrawlContext,
  { learned, tagMatch, timezoneChecked }: Facts,
  lists: Lists,
): Promise<Facts> {
  const { saved } = lists;
  const refsOf = (name: "images" | "articles.single" | "attachments"): Ref[] =>
    saved[name] === undefined ? [] : [...context.store.snapshots.refs(saved[name])];
  const items = {
    articles: () => listedItems(context, lists, "articles"),
    galleries: () => listedItems(context, lists, "galleries"),
  };
  const singles = refsOf("articles.single");
  const emptyLists = await askEmptyLists(
    context,
    learned?.emptyLists,
    items,
    refsOf("attachments"),
  );
  const singleImages = await askSingleImages(
    context,
    learned?.singleImages,
    refsOf("images"),
    singles,
  );
  const { filterLinks, ...filters } = await checkFilters(
    context,
    { tagMatch, timezoneChecked, filterLinks: learned?.filterLinks },
    { articles: items.articles(), singles },
  );
  return {
    ...filters,
    ...learnedOf(context, { ...learned, filterLinks, emptyLists, singleImages }),
  };
}

/** The articles or galleries that the origin lists, without those that are kept all the same. */
function* listedItems(
  { store }: CrawlContext,
  { saved, kept }: Lists,
  parent: Parent,
): Generator<Ref> {
  const list = saved[parent];
  for (const ref of list === undefined ? [] : store.snapshots.refs(list)) {
    if (!kept[parent].has(ref.id)) yield ref;
  }
}
