import type { Parent } from "../routes/table.ts";
import type { Ref, SnapshotManifest } from "../store/snapshots.ts";
import type { CrawlContext } from "./context.ts";
import { askEmptyLists } from "./empty-lists.ts";
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
  const refsOf = (name: "images" | "attachments"): Ref[] => {
    const list = lists.saved[name];
    return list === undefined ? [] : [...context.store.snapshots.refs(list)];
  };
  const items = {
    articles: () => itemsOf(context, lists, "articles"),
    galleries: () => itemsOf(context, lists, "galleries"),
  };
  const attachments = refsOf("attachments");
  const emptyLists = await askEmptyLists(context, learned.emptyLists, items, attachments);
  const singleImages = await askSingleImages(context, learned.singleImages, refsOf("images"));
  const known = { tagMatch, timezoneChecked, filterLinks: learned.filterLinks };
  const { filterLinks, ...filters } = await checkFilters(context, known, items.articles());
  const behind = { ...learned.behind, ...Object.fromEntries(context.behind) };
  // Members that are undefined, or objects that are empty, are not written down.
  const all = Object.entries({ filterLinks, behind, emptyLists, singleImages });
  const found = all.filter(([, fact]) => fact !== undefined && Object.keys(fact).length > 0);
  return { ...filters, ...(found.length === 0 ? {} : { learned: Object.fromEntries(found) }) };
}

/** The items that the origin lists, without those that are kept all the same. */
function itemsOf({ store }: CrawlContext, { saved, kept }: Lists, parent: Parent): Ref[] {
  const list = saved[parent];
  const refs = list === undefined ? [] : [...store.snapshots.refs(list)];
  return refs.filter(({ id }) => !kept[parent].has(id));
}
