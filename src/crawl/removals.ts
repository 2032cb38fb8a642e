import { type ApiError, GuardError } from "../errors.ts";
import type { SnapshotReader } from "../store/reader.ts";
import type { Ref } from "../store/snapshots.ts";
import { addProblem, type CrawlContext, isItemFailure } from "./context.ts";
import type { Lists } from "./lists.ts";

const watched = ["articles", "galleries", "images"] as const;

/** An item of the last snapshot that the origin lists no more. */
export interface Vanished extends Ref {
  index: (typeof watched)[number];
}

/** What the origin lists no more. Only the parts that the lists do not share with the last snapshot are read. */
export function findVanished(
  context: CrawlContext,
  previous: SnapshotReader,
  { saved, kept }: Lists,
): Vanished[] {
  const vanished: Vanished[] = [];
  for (const index of watched) {
    const before = new Set(previous.list(index)?.parts);
    const now = saved[index]?.parts ?? [];
    const present = new Set<string>();
    const parts = now.filter((part) => !before.has(part));
    for (const { id } of context.store.snapshots.refs({ parts })) present.add(id);
    const keptIds = index === "images" ? undefined : kept[index];
    for (const ref of previous.refs(index, new Set(now))) {
      if (!present.has(ref.id) || keptIds?.has(ref.id)) vanished.push({ ...ref, index });
    }
  }
  return vanished;
}

/** Items that a message names at most. */
const maxNamed = 3;

/**
 * Stops the crawl where too much vanished at once: more than `crawl.maxRemoved` allows, or all that an index of
 * several items had. One item may always go, unless the setting allows none at all: in a small archive it is
 * more than any share.
 *
 * @throws GuardError
 */
export function brake(
  context: CrawlContext,
  previous: SnapshotReader,
  vanished: readonly Vanished[],
): void {
  const { items, share } = context.config.crawl.maxRemoved;
  const hint = "if that is right, raise crawl.maxRemoved for one run; nothing was replaced";
  const total = watched.reduce((sum, index) => sum + countOf(previous, index), 0);
  const allowed = Math.min(items, Math.max(share > 0 ? 1 : 0, share * total));
  if (vanished.length > allowed) {
    const message = `${vanished.length} of ${total} items vanished from the origin at once`;
    throw new GuardError(`${message}: ${namesOf(context, vanished)}`, { hint });
  }
  for (const index of watched) {
    const count = countOf(previous, index);
    const gone = vanished.filter((item) => item.index === index);
    if (count > 1 && gone.length === count && share < 1) {
      const message = `all ${count} ${index} vanished from the origin at once`;
      throw new GuardError(`${message}: ${namesOf(context, gone)}`, { hint });
    }
  }
}

/** The first few items by name: `articles/7f3c "Title", images/81aa "Title" and 12 more`. */
function namesOf({ store }: CrawlContext, vanished: readonly Vanished[]): string {
  const names = vanished.slice(0, maxNamed).map(({ index, id, digest }) => {
    const { title } = store.objects.readNormal(index, digest);
    return title.trim() === "" ? `${index}/${id}` : `${index}/${id} ${JSON.stringify(title)}`;
  });
  const more = vanished.length - names.length;
  return `${names.join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}

function countOf(snapshot: SnapshotReader, index: (typeof watched)[number]): number {
  return snapshot.list(index)?.count ?? 0;
}

/** Believes that an item is gone only when the origin also says so of the object; otherwise it is a problem. */
export async function confirmGone(
  context: CrawlContext,
  { index, id }: Pick<Vanished, "index" | "id">,
): Promise<void> {
  const url = context.routes.urlOf({ route: "single", index, id });
  if (url === undefined) return;
  const subject = `${index}/${id}`;
  try {
    await context.client.json(url);
  } catch (error) {
    if (!isItemFailure(error)) throw error;
    if (isGone(error)) return;
    addProblem(context, { subject, reason: `not listed any more: ${error.message}` });
    return;
  }
  // An image that still answers may have become private, which removes it from the index by design.
  if (index === "images") return;
  addProblem(context, {
    subject,
    reason: "not listed any more, but the origin still answers for it",
    hint: "the listing may be incomplete; run again",
  });
}

/** Missing; or not for this token from now on: it is no longer published, which is what matters here. */
function isGone({ status }: ApiError): boolean {
  return status === 404 || status === 410 || status === 403;
}
