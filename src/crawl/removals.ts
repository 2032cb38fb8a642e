import { ApiError, GuardError } from "../errors.ts";
import type { SnapshotReader } from "../store/reader.ts";
import type { ListName, Ref } from "../store/snapshots.ts";
import { addProblem, type CrawlContext, isItemFailure } from "./context.ts";

const watched = ["articles", "galleries", "images"] as const;

/**
 * Believes that items are gone only when the origin also says so of each object, and only up to a brake.
 *
 * @throws GuardError when more items vanished than `crawl.maxRemoved` allows
 */
export async function checkRemovals(
  context: CrawlContext,
  previous: SnapshotReader,
  indexed: ReadonlyMap<ListName, readonly Ref[]>,
): Promise<void> {
  const { items, share } = context.config.crawl.maxRemoved;
  const gone: { index: (typeof watched)[number]; id: string }[] = [];
  let before = 0;
  for (const index of watched) {
    const present = new Set(indexed.get(index)?.map((ref) => ref.id));
    for (const { id } of previous.refs(index)) {
      before++;
      if (!present.has(id)) gone.push({ index, id });
    }
  }
  if (gone.length > items || gone.length > share * before) {
    throw new GuardError(`${gone.length} of ${before} items vanished from the origin at once`, {
      hint: "if that is right, raise crawl.maxRemoved for one run; nothing was replaced",
    });
  }
  for (const { index, id } of gone) await confirmGone(context, index, id);
}

async function confirmGone(
  context: CrawlContext,
  index: (typeof watched)[number],
  id: string,
): Promise<void> {
  const url = context.routes.urlOf({ route: "single", index, id });
  if (url === undefined) return;
  try {
    await context.client.json(url);
  } catch (error) {
    if (error instanceof ApiError && (error.status === 404 || error.status === 410)) return;
    // Private from now on, or not for this token: it is no longer published, which is what matters here.
    if (error instanceof ApiError && error.status === 403) return;
    if (!isItemFailure(error)) throw error;
    addProblem(context, {
      subject: `${index}/${id}`,
      reason: `not listed any more: ${error.message}`,
    });
    return;
  }
  // An image that still answers may have become private, which removes it from the index by design.
  if (index === "images") return;
  addProblem(context, {
    subject: `${index}/${id}`,
    reason: "not listed any more, but the origin still answers for it",
    hint: "the listing may be incomplete; run again",
  });
}
