import type { Parent } from "../routes/table.ts";
import type { Ref, SnapshotManifest } from "../store/snapshots.ts";
import type { CrawlContext } from "./context.ts";
import { askEmptyLists } from "./empty-lists.ts";
import { checkFilters } from "./filters.ts";
import type { Lists } from "./lists.ts";
import { askSingleImages } from "./single-images.ts";

/** What a snapshot knows of how its origin answers. */
export type LearnedAnswers = Pick<SnapshotManifest, "tagMatch" | "timezoneChecked" | "learned">;

/**
 * Learns with a few requests, once, how the origin answers where the API document leaves it open. No failure here is a
 * problem of the crawl.
 */
export async function learnAnswers(
  context: CrawlContext,
  { learned = {}, tagMatch, timezoneChecked }: LearnedAnswers,
  lists: Lists,
): Promise<LearnedAnswers> {
  // The origin does not list those that are frozen.
  const listed = (parent: Parent): Ref[] =>
    lists.refs(parent).filter(({ id }) => !lists.frozen[parent].has(id));
  const attachments = lists.refs("attachments");
  const emptyLists = await askEmptyLists(context, learned.emptyLists, listed, attachments);
  const singleImages = await askSingleImages(context, learned.singleImages, lists.refs("images"));
  const known = { tagMatch, timezoneChecked, filterLinks: learned.filterLinks };
  const { filterLinks, ...filters } = await checkFilters(context, known, listed("articles"));
  const behind = { ...learned.behind, ...Object.fromEntries(context.behind) };
  // Members that are undefined, or objects that are empty, are not written down.
  const all = Object.entries({ filterLinks, behind, emptyLists, singleImages });
  const found = all.filter(([, one]) => one !== undefined && Object.keys(one).length > 0);
  return { ...filters, ...(found.length === 0 ? {} : { learned: Object.fromEntries(found) }) };
}
