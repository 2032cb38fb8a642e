import { eachLimited } from "../lib/concurrency.ts";
import type { Problem } from "../lib/reporter.ts";
import { type MediaKind, mediaKinds, type Parent } from "../routes/table.ts";
import type { SnapshotReader } from "../store/reader.ts";
import type { Ref } from "../store/snapshots.ts";
import { BodyWatch } from "./bodies.ts";
import type { CrawlContext } from "./context.ts";
import { Endpoints } from "./endpoints.ts";
import {
  type Before,
  type Item,
  type ItemCrawl,
  type ListCounts,
  storedRef,
} from "./item-crawl.ts";
import { attachmentsOf } from "./item-lists.ts";
import { needsRefresh, steadyKey } from "./plan.ts";
import { fetchSingle, takeSingle } from "./single-forms.ts";

/** Single forms and attachment lists of one kind of parent, in the order of its index. */
export interface Items {
  singles: Ref[];
  attachments: Ref[];
  /** By kind. */
  counts: Map<MediaKind, ListCounts>;
  /** Single forms and lists that the snapshot should have and has not. */
  missing: number;
  /** Of articles only. */
  bodies: BodyWatch;
  /** Items that the index lists and the origin no longer has. */
  gone: { ref: Ref; problem: Problem }[];
  /** Items that could not be had in full, as `articles/{id}` with the digest of their index form. */
  outdated: Ref[];
}

/**
 * Fetches the single form and the attachment lists of each article or gallery, as far as the last snapshot does
 * not hold them already. An item that cannot be had is a problem, and keeps its last known form.
 */
export async function crawlItems(
  context: CrawlContext,
  parent: Parent,
  index: readonly Ref[],
  before: Before,
): Promise<Items> {
  const progress = context.reporter.stage(`${parent} in full`, index.length);
  const crawl = beginItems(context, parent, before);
  const singles: (Ref | undefined)[] = [];
  const lists: Ref[][] = [];
  const outdated: (Ref | undefined)[] = [];
  let missing = 0;
  await eachLimited(index.entries(), context.config.crawl.concurrency, async ([position, ref]) => {
    const item = beginItem(crawl, ref, position);
    const single = item.asked ? await fetchSingle(crawl, item) : item.single;
    if (single === undefined && !before.kept.has(ref.id)) missing++;
    const { ref: taken, normal } = takeSingle(crawl, single, position);
    singles[position] = taken;
    lists[position] = await attachmentsOf(crawl, item, normal?.attachments);
    if (!item.current) outdated[position] = { id: `${parent}/${ref.id}`, digest: ref.digest };
    progress.advance();
  });
  progress.end();
  crawl.endpoints.report();
  return {
    bodies: crawl.bodies,
    singles: singles.filter((ref) => ref !== undefined),
    attachments: lists.flat(),
    counts: crawl.counts,
    missing: [...crawl.counts.values()].reduce((sum, kind) => sum + kind.missing, missing),
    gone: crawl.gone,
    outdated: outdated.filter((ref) => ref !== undefined),
  };
}

function beginItems(context: CrawlContext, parent: Parent, before: Before): ItemCrawl {
  const kinds = kindsOf(before.snapshot, parent);
  return {
    context,
    parent,
    before,
    kinds,
    endpoints: new Endpoints(context, kinds),
    bodies: new BodyWatch(context),
    bodiesSeen: false,
    counts: new Map(),
    gone: [],
  };
}

/** Kinds of attachments that a snapshot has lists of, empty ones included. */
function kindsOf(snapshot: SnapshotReader | undefined, parent: Parent): ReadonlySet<MediaKind> {
  const found = new Set<MediaKind>();
  for (const { id } of snapshot?.refs("attachments") ?? []) {
    const kind = mediaKinds.find((one) => id.endsWith(`/${one}`));
    if (kind !== undefined && id.startsWith(`${parent}/`)) found.add(kind);
  }
  return found;
}

function beginItem(crawl: ItemCrawl, ref: Ref, position: number): Item {
  const { context, parent, before } = crawl;
  const last = before.snapshot?.digestOf(parent, ref.id);
  const changed = last === undefined || !sameIndexForm(context, last, ref.digest);
  const single = storedRef(
    context.store,
    ref.id,
    before.snapshot?.digestOf(`${parent}.single`, ref.id),
  );
  const asked = isAsked(crawl, ref.id, { single, changed });
  return { ref, position, single, changed, asked, current: true, there: true };
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

function isAsked(
  { context, parent, before }: ItemCrawl,
  id: string,
  item: Pick<Item, "single" | "changed">,
): boolean {
  const { refresh, refreshShare: share } = context.config.crawl;
  if (before.kept.has(id)) return false;
  if (before.snapshot?.digestOf("outdated", `${parent}/${id}`) !== undefined) return true;
  return needsRefresh(id, item, { refresh, share, round: context.draft.round });
}
