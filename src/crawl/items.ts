import { eachLimited } from "../lib/concurrency.ts";
import type { Parent } from "../routes/table.ts";
import type { Ref } from "../store/snapshots.ts";
import type { CrawlContext } from "./context.ts";
import { type Item, ItemCrawl, storedRef } from "./item-crawl.ts";
import { attachmentsOf } from "./item-lists.ts";
import type { Lists } from "./lists.ts";
import { needsRefresh, steadyKey } from "./plan.ts";
import { fetchSingle, takeSingle } from "./single-forms.ts";

/** Single forms and attachment lists of one kind of parent, in the order of its index. */
export interface Items extends Pick<ItemCrawl, "parent" | "counts" | "bodies" | "gone"> {
  singles: Ref[];
  attachments: Ref[];
  /** Single forms and lists that the snapshot should have and has not. */
  missing: number;
  /** Items that were not read in full, as `articles/{id}` with the digest of their index form. */
  outdated: Ref[];
}

/**
 * Fetches the single form and the attachment lists of each article or gallery, as far as the last snapshot does
 * not hold them already. An item that fails is a problem, and keeps its last known form.
 */
export async function crawlItems(
  context: CrawlContext,
  lists: Lists,
  parent: Parent,
): Promise<Items> {
  const index = lists.refs(parent);
  const progress = context.reporter.stage(`${parent} in full`, index.length);
  const crawl = new ItemCrawl(context, parent, lists.previous);
  const singles: (Ref | undefined)[] = [];
  const attachments: Ref[][] = [];
  const outdated: (Ref | undefined)[] = [];
  let missing = 0;
  await eachLimited(index.entries(), context.config.crawl.concurrency, async ([position, ref]) => {
    const item = beginItem(crawl, ref, position, lists.kept[parent].has(ref.id));
    const single = item.asked ? await fetchSingle(crawl, item) : item.single;
    if (single === undefined && !item.kept) missing++;
    const { ref: taken, normal } = takeSingle(crawl, single, position);
    singles[position] = taken;
    attachments[position] = await attachmentsOf(crawl, item, normal?.attachments);
    if (!item.current) outdated[position] = { id: `${parent}/${ref.id}`, digest: ref.digest };
    progress.advance();
  });
  progress.end();
  crawl.endpoints.report();
  const { counts, bodies, gone } = crawl;
  return {
    parent,
    singles: singles.filter((ref) => ref !== undefined),
    attachments: attachments.flat(),
    outdated: outdated.filter((ref) => ref !== undefined),
    missing: [...counts.values()].reduce((sum, kind) => sum + kind.missing, missing),
    counts,
    bodies,
    gone,
  };
}

function beginItem(
  { context, parent, snapshot }: ItemCrawl,
  ref: Ref,
  position: number,
  kept: boolean,
): Item {
  const { refresh, refreshShare: share } = context.config.crawl;
  const { id } = ref;
  const last = snapshot?.digestOf(parent, id);
  const changed = last === undefined || !sameIndexForm(context, last, ref.digest);
  const single = storedRef(context.store, id, snapshot?.digestOf(`${parent}.single`, id));
  const outdated = snapshot?.digestOf("outdated", `${parent}/${id}`) !== undefined;
  const rule = { refresh, share, round: context.draft.round };
  const asked = !kept && (outdated || needsRefresh(id, { single, changed }, rule));
  return { ref, position, single, outdated, kept, changed, asked, current: true, there: true };
}

/** Whether two index forms are equal but for their volatile members. */
function sameIndexForm({ store, config }: CrawlContext, one: string, other: string): boolean {
  if (one === other) return true;
  if (!store.objects.has(one)) return false;
  const [before, now] = [one, other].map((digest) =>
    steadyKey(store.objects.readRaw(digest), config.crawl.volatile),
  );
  return before === now;
}
