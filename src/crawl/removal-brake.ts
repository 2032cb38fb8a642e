import { GuardError } from "../errors.ts";
import type { SnapshotReader } from "../store/reader.ts";
import type { CrawlContext } from "./context.ts";
import { listedName, type Vanished } from "./fates.ts";
import { mayVanish, vanishedHint, type Watched, watched } from "./plan.ts";

/** Items that a message names at most. */
const maxNamed = 3;

/**
 * Stops the crawl where too much vanished at once: more than `crawl.maxRemoved` allows, or all that an index of
 * several items had.
 *
 * @throws GuardError
 */
export function brake(
  context: CrawlContext,
  before: readonly SnapshotReader[],
  vanished: readonly Vanished[],
): void {
  const { maxRemoved } = context.config.crawl;
  const hint = vanishedHint;
  const total = watched.reduce((sum, index) => sum + countOf(before, index), 0);
  if (vanished.length > mayVanish(maxRemoved, total)) {
    const message = `${vanished.length} of ${total} items vanished from the origin at once`;
    throw new GuardError(`${message}: ${firstNames(context, vanished)}`, { hint });
  }
  for (const index of watched) {
    const count = countOf(before, index);
    const gone = vanished.filter((item) => item.index === index);
    if (count > 1 && gone.length >= count && maxRemoved.share < 1) {
      const message = `all ${count} ${index} vanished from the origin at once`;
      throw new GuardError(`${message}: ${firstNames(context, gone)}`, { hint });
    }
  }
}

/** The first few items by name: `articles/7f3c "Title", images/81aa "Title" and 12 more`. */
function firstNames(context: CrawlContext, vanished: readonly Vanished[]): string {
  const names = vanished.slice(0, maxNamed).map((item) => {
    const title = titleOf(context, item);
    const name = listedName(item.index, item.id);
    return title === "" ? name : `${name} ${JSON.stringify(title)}`;
  });
  const more = vanished.length - names.length;
  return `${names.join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}

/** Title of an item as it was listed last. */
export function titleOf({ store }: CrawlContext, { index, digest }: Vanished): string {
  return store.objects.readNormal(index, digest).title.trim();
}

function countOf(before: readonly SnapshotReader[], index: Watched): number {
  return Math.max(0, ...before.map((snapshot) => snapshot.list(index)?.count ?? 0));
}
