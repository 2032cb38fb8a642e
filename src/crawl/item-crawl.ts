import type { ApiError } from "../errors.ts";
import type { Problem } from "../lib/reporter.ts";
import { type MediaKind, mediaKinds, type Parent } from "../routes/table.ts";
import type { Ref } from "../store/snapshots.ts";
import type { Store } from "../store/store.ts";
import { watchBodies } from "./bodies.ts";
import { addProblem, type CrawlContext } from "./context.ts";
import { Endpoints } from "./endpoints.ts";
import { isAway, isGone, isSilent, itemFailureOf } from "./failures.ts";
import type { Lists } from "./lists.ts";
import { needsRefresh, steadyKey } from "./plan.ts";

/** What the attachment lists of one kind of all parents come to. */
export interface ListCounts {
  /** Rows of the lists. */
  collected: number;
  /** Sum of the parents' counts; null where one of them is unknown. */
  expected: number | null;
  /** Lists that the snapshot lacks. */
  missing: number;
  /** Lists with another number of items than their parent counts, by the place of the parent in its index. */
  differing: Map<number, string>;
}

/** One article or gallery on its way into the snapshot. */
export interface Item {
  ref: Ref;
  position: number;
  /** Its single form as the last snapshot has it. */
  single: Ref | undefined;
  /** Whether the last snapshot had an older form of it than the origin. */
  unsettled: boolean;
  /** Whether it stays as the last snapshot has it, because the origin no longer lists it. */
  frozen: boolean;
  /** Whether its index form is new, or differs from that of the last snapshot in more than volatile members. */
  changed: boolean;
  /** Whether it is asked for, although the last snapshot may have it. */
  asked: boolean;
  /** False once a part of it could not be read, so that the snapshot has an older form of it. */
  current: boolean;
  /** False once the origin no longer has it, or gave no answer. */
  there: boolean;
}

/** The crawl of all articles, or of all galleries, and what it has found so far. */
export type ItemCrawl = ReturnType<typeof startItemCrawl>;

export function startItemCrawl(context: CrawlContext, parent: Parent, lists: Lists) {
  const { patience } = context;
  const snapshot = lists.previous;
  const changed = changedFiles(context, lists);
  const gone: Problem[] = [];
  /** The failure after which the origin is asked for no more of these. */
  let inVain: ApiError | undefined;
  // What was in vain for the articles need not be for the galleries.
  patience.answered();

  /** The result; undefined where this one item fails, which `fail` is told. */
  async function attempt<T>(work: () => Promise<T>, fail: (error: ApiError) => void) {
    if (inVain !== undefined && patience.isVain()) {
      fail(inVain);
      return undefined;
    }
    try {
      const result = await work();
      patience.answered();
      return result;
    } catch (thrown) {
      const error = await itemFailureOf(context, thrown);
      if (!isAway(error)) patience.answered();
      else if ((await patience.failed(error)) === "back") return attempt(work, fail);
      if (patience.isVain()) inVain ??= error;
      fail(error);
      return undefined;
    }
  }

  return {
    context,
    parent,
    /** The last one; undefined at the first crawl. */
    snapshot,
    endpoints: new Endpoints(context, parent, snapshot),
    bodies: watchBodies(context),
    /** Whether an article had a body. */
    bodiesSeen: false,
    counts: new Map<MediaKind, ListCounts>(),
    /** Of items that the index lists and the origin no longer has. */
    gone,
    attempt,
    /** Whether a list of the last snapshot repeats the record of a file that has another one now. */
    isOlder({ digest }: Ref): boolean {
      if (changed.size === 0) return false;
      const { items } = context.store.objects.readNormal("attachments", digest);
      return items.some(([id]) => changed.has(id));
    },
    /** Notes that a part of an item failed: as a problem, or to be looked at again where the item is gone. */
    fail(item: Item, subject: string, error: ApiError): void {
      const problem =
        error === inVain
          ? { subject: parent, reason: `the rest was not asked for, after ${error.message}` }
          : { subject, reason: error.message, hint: error.hint };
      item.current = false;
      item.there = !isGone(error) && !isSilent(error);
      if (isGone(error)) gone.push(problem);
      else addProblem(context, problem);
    },
  };
}

/** What is to be done about an item of the index. */
export function beginItem(
  { context, parent, snapshot }: ItemCrawl,
  ref: Ref,
  position: number,
  frozen: boolean,
): Item {
  const { id } = ref;
  const changed = isChanged(context, snapshot?.digestOf(parent, id), ref.digest);
  const single = storedRef(context.store, id, snapshot?.digestOf(`${parent}.single`, id));
  const unsettled = snapshot?.digestOf("unsettled", `${parent}/${id}`) !== undefined;
  const rule = { ...context.config.crawl, turn: context.turn };
  const asked = !frozen && (unsettled || needsRefresh(id, { single, changed }, rule));
  const current = !(frozen && unsettled);
  return { ref, position, single, unsettled, frozen, changed, asked, current, there: true };
}

/** Undefined where the store does not hold the object. */
function storedRef({ objects }: Store, id: string, digest: string | undefined): Ref | undefined {
  return digest !== undefined && objects.has(digest) ? { id, digest } : undefined;
}

/** The same for a list of attachments, whose items must all be there. */
export function storedList(store: Store, id: string, digest: string | undefined): Ref | undefined {
  const list = storedRef(store, id, digest);
  const items = list && store.objects.readNormal("attachments", list.digest).items;
  return items?.every(([, item]) => store.objects.has(item)) ? list : undefined;
}

/** Whether an index form is new, or differs from the last one in more than volatile members. */
function isChanged({ store, config }: CrawlContext, last: string | undefined, now: string) {
  if (last === now) return false;
  if (last === undefined || !store.objects.has(last)) return true;
  const [before, after] = [last, now].map((digest) =>
    steadyKey(store.objects.readRaw(digest), config.crawl.volatile),
  );
  return before !== after;
}

/**
 * Ids of files whose record in their own index is changed. An image that is public again is new to its index, and its
 * records elsewhere may still say that it is private.
 */
function changedFiles(context: CrawlContext, lists: Lists): Set<string> {
  const { previous } = lists;
  if (previous === undefined) return new Set();
  const changed = mediaKinds.flatMap((kind) =>
    lists
      .refs(kind)
      .filter(({ id, digest }) => isChanged(context, previous.digestOf(kind, id), digest)),
  );
  return new Set(changed.map(({ id }) => id));
}
