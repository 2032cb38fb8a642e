import { WireEnvelope } from "../api/schema.ts";
import { ApiError, BudgetError } from "../errors.ts";
import type { EmptyList } from "../routes/learned.ts";
import { attachmentRoutes, type MediaKind, type Parent } from "../routes/table.ts";
import type { SnapshotManifest } from "../store/snapshots.ts";
import { ask } from "./ask.ts";
import type { CrawlContext } from "./context.ts";
import { contractError, isGone } from "./failures.ts";
import { checkFilters } from "./filters.ts";
import { openAnswer } from "./ingest.ts";
import type { Lists } from "./lists.ts";
import { askSingleImages } from "./single-images.ts";

/** What a snapshot knows of how its origin answers. */
export type LearnedAnswers = Pick<SnapshotManifest, "tagMatch" | "timezoneChecked" | "learned">;

/** Learns with a few requests, once, what the API document leaves open. No failure here is a problem of the crawl. */
export async function learnAnswers(
  context: CrawlContext,
  { learned = {}, tagMatch, timezoneChecked }: LearnedAnswers,
  lists: Lists,
): Promise<LearnedAnswers> {
  const emptyLists = await askEmptyLists(context, lists, learned.emptyLists);
  const singleImages = await askSingleImages(context, learned.singleImages, lists.refs("images"));
  const known = { tagMatch, timezoneChecked, filterLinks: learned.filterLinks };
  const { filterLinks, ...filters } = await checkFilters(context, known, lists.listed("articles"));
  const behind = { ...learned.behind, ...Object.fromEntries(context.behind) };
  // Members that are undefined, or objects that are empty, are not written down.
  const { paths } = context;
  const all = Object.entries({ filterLinks, behind, emptyLists, singleImages, paths });
  const found = all.filter(([, one]) => one !== undefined && Object.keys(one).length > 0);
  return { ...filters, ...(found.length === 0 ? {} : { learned: Object.fromEntries(found) }) };
}

/** How endpoints that gave no list answer for something without attachments: nothing else shows their form. */
async function askEmptyLists(
  context: CrawlContext,
  lists: Lists,
  known: Record<string, EmptyList> = {},
): Promise<Record<string, EmptyList>> {
  const { config, store } = context;
  const learned = { ...known };
  if (!config.mirror.emptyLists) return learned;
  const seen = new Set(lists.refs("attachments").map(({ id }) => id.replace(/\/.*\//s, "/")));
  for (const { parent, kind } of attachmentRoutes) {
    const endpoint = `${parent}/${kind}`;
    if (seen.has(endpoint) || learned[endpoint] !== undefined) continue;
    const item = lists
      .listed(parent)
      .find(({ digest }) => store.objects.readNormal(parent, digest).attachments[kind] === 0);
    const answer = item && (await askEmptyList(context, parent, kind, item.id));
    if (answer !== undefined) learned[endpoint] = answer;
  }
  return learned;
}

/** Undefined where the answer tells nothing. */
async function askEmptyList(context: CrawlContext, parent: Parent, kind: MediaKind, id: string) {
  const url = context.routes.urlOf({ route: "attachments", parent, id, kind, page: 1 });
  if (url === undefined) return undefined;
  try {
    const envelope = await ask<string>(context, {
      url,
      read({ source, text, value }) {
        const opened = openAnswer(text);
        const rows = WireEnvelope.safeParse(value).data?.data;
        // Rows would be in no list, and so they are not kept.
        if (opened === undefined || rows?.length !== 0) {
          throw contractError(source, url, "expected an empty list");
        }
        return opened.envelope;
      },
    });
    return { id, envelope };
  } catch (error) {
    if (!(error instanceof ApiError) && !(error instanceof BudgetError)) throw error;
    if (error instanceof ApiError && isGone(error)) return null;
    context.reporter.info(
      `could not find out what empty lists of ${kind} look like: ${error.message}`,
    );
    return undefined;
  }
}
