import type { ApiError } from "../errors.ts";
import type { Problem } from "../lib/reporter.ts";
import type { MediaKind, Parent } from "../routes/table.ts";
import type { SnapshotReader } from "../store/reader.ts";
import type { Ref } from "../store/snapshots.ts";
import type { Store } from "../store/store.ts";
import type { BodyWatch } from "./bodies.ts";
import { addProblem, type CrawlContext } from "./context.ts";
import type { Endpoints } from "./endpoints.ts";
import { isGone, isSilent, isWebPage, itemFailureOf } from "./failures.ts";

/** What the last snapshot and the listing tell about the items to crawl. */
export interface Before {
  /** Undefined at the first crawl. */
  snapshot: SnapshotReader | undefined;
  /** Ids that only the last snapshot has and that are to be kept as they are. */
  kept: ReadonlySet<string>;
}

/** What the attachment lists of one kind of all parents come to. */
export interface ListCounts {
  /** Rows of the lists. */
  collected: number;
  /** Sum of the parents' counts; null where one of them is unknown. */
  expected: number | null;
  /** Lists that could not be had. */
  missing: number;
  /** Lists with another number of items than their parent counts, by the place of the parent in its index. */
  differing: Map<number, string>;
}

/** What the crawl of all articles, or of all galleries, works with and has found so far. */
export interface ItemCrawl {
  context: CrawlContext;
  parent: Parent;
  before: Before;
  /** Kinds of attachments that the last snapshot has lists of. */
  kinds: ReadonlySet<MediaKind>;
  endpoints: Endpoints;
  bodies: BodyWatch;
  /** Whether an article had a body. */
  bodiesSeen: boolean;
  counts: Map<MediaKind, ListCounts>;
  /** Items that the index lists and the origin no longer has. */
  gone: { ref: Ref; problem: Problem }[];
}

/** One article or gallery on its way into the snapshot. */
export interface Item {
  ref: Ref;
  /** Its place in the index. */
  position: number;
  /** Its single form as the last snapshot has it. */
  single: Ref | undefined;
  /** Whether its index form is new, or differs from that of the last snapshot in more than volatile members. */
  changed: boolean;
  /** Whether it is asked for, although the last snapshot may have it. */
  asked: boolean;
  /** False once a part of it could not be had, so that the snapshot has an older form of it. */
  current: boolean;
  /** False once the origin does not have it any more, or gave no answer. */
  there: boolean;
}

/** Undefined where the store does not hold the object. */
export function storedRef(
  { objects }: Store,
  id: string,
  digest: string | undefined,
): Ref | undefined {
  return digest !== undefined && objects.has(digest) ? { id, digest } : undefined;
}

/** The same for a list of attachments, whose items must all be there. */
export function storedList(store: Store, id: string, digest: string | undefined): Ref | undefined {
  const list = storedRef(store, id, digest);
  const items = list && store.objects.readNormal("attachments", list.digest).items;
  return items?.every(([, item]) => store.objects.has(item)) ? list : undefined;
}

/** What a failure says something of. */
type Concerned = "the item" | "its endpoint";

/** Notes that a part of an item could not be had: as a problem, or to be looked at again where the item is gone. */
export function failItem(
  { context, gone }: ItemCrawl,
  item: Item,
  subject: string,
  error: ApiError,
): Concerned {
  const { message: reason, hint } = error;
  const problem = { subject, reason, ...(hint === undefined ? {} : { hint }) };
  item.current = false;
  item.there = !isGone(error) && !isSilent(error);
  if (isGone(error)) gone.push({ ref: item.ref, problem });
  else addProblem(context, problem);
  return "the item";
}

/** The result, or undefined where this one item cannot be had, after telling so. */
export async function attempt<T>(
  { context }: ItemCrawl,
  work: () => Promise<T>,
  fail: (error: ApiError) => Concerned,
): Promise<T | undefined> {
  try {
    const result = await work();
    context.patience.answered();
    return result;
  } catch (thrown) {
    const error = await itemFailureOf(context, thrown);
    const concerned = fail(error);
    // A page for all that is not there says nothing of the origin as a whole.
    if (concerned === "its endpoint" && isWebPage(error)) return undefined;
    await context.patience.failed(error);
    return undefined;
  }
}
