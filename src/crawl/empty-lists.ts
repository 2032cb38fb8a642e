import { ApiError, BudgetError } from "../errors.ts";
import type { EmptyList } from "../routes/learned.ts";
import { attachmentRoutes, type MediaKind, type Parent } from "../routes/table.ts";
import type { Ref } from "../store/snapshots.ts";
import type { CrawlContext } from "./context.ts";
import { isGone } from "./failures.ts";
import { readPage } from "./page.ts";

/**
 * How the attachment endpoints that gave no list answer for something without attachments: one request each, once,
 * because nothing else shows the form of their lists.
 *
 * @param listed the index forms of what the origin lists
 * @param lists the attachment lists of this crawl
 */
export async function askEmptyLists(
  context: CrawlContext,
  known: Record<string, EmptyList> = {},
  listed: (parent: Parent) => readonly Ref[],
  lists: readonly Ref[],
): Promise<Record<string, EmptyList>> {
  const { config, store } = context;
  const learned = { ...known };
  if (!config.mirror.emptyLists) return learned;
  const seen = new Set(lists.map(({ id }) => id.replace(/\/.*\//s, "/")));
  for (const { parent, kind } of attachmentRoutes) {
    const endpoint = `${parent}/${kind}`;
    if (seen.has(endpoint) || learned[endpoint] !== undefined) continue;
    const item = listed(parent).find(
      ({ digest }) => store.objects.readNormal(parent, digest).attachments[kind] === 0,
    );
    const answer = item && (await askEmptyList(context, parent, kind, item.id));
    if (answer !== undefined) learned[endpoint] = answer;
  }
  return learned;
}

/** Undefined where the answer tells nothing. */
async function askEmptyList(
  context: CrawlContext,
  parent: Parent,
  kind: MediaKind,
  id: string,
): Promise<EmptyList | undefined> {
  const url = context.routes.urlOf({ route: "attachments", parent, id, kind, page: 1 });
  if (url === undefined) return undefined;
  try {
    const { count, envelope } = await readPage(context, kind, url, { number: 1 });
    return count > 0 || envelope === null ? undefined : { id, envelope };
  } catch (error) {
    if (!(error instanceof ApiError) && !(error instanceof BudgetError)) throw error;
    if (error instanceof ApiError && isGone(error)) return null;
    context.reporter.info(
      `could not find out what empty lists of ${kind} look like: ${error.message}`,
    );
    return undefined;
  }
}
