import type { ApiError } from "../errors.ts";
import type { Problem } from "../lib/reporter.ts";
import { type MediaKind, mediaKinds, type Parent } from "../routes/table.ts";
import type { SnapshotReader } from "../store/reader.ts";
import type { Ref } from "../store/snapshots.ts";
import type { Store } from "../store/store.ts";
import { BodyWatch } from "./bodies.ts";
import { addProblem, type CrawlContext } from "./context.ts";
import { Endpoints } from "./endpoints.ts";
import { isAway, isGone, isSilent, itemFailureOf } from "./failures.ts";
import type { Lists } from "./lists.ts";
import { steadyKey } from "./plan.ts";

/** What the attachment lists of one kind of all parents come to. */
interface ListCounts {
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
  /** Its place in the index. */
  position: number;
  /** Its single form as the last snapshot has it. */
  single: Ref | undefined;
  /** Whether the last snapshot had an older form of it than the origin. */
  outdated: boolean;
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
export class ItemCrawl {
  readonly context: CrawlContext;
  readonly parent: Parent;
  /** The last one; undefined at the first crawl. */
  readonly snapshot: SnapshotReader | undefined;
  readonly endpoints: Endpoints;
  readonly bodies: BodyWatch;
  /** Whether an article had a body. */
  bodiesSeen = false;
  /** The failure after which the origin is asked for no more of these. */
  #inVain: ApiError | undefined;
  readonly counts = new Map<MediaKind, ListCounts>();
  /** Of items that the index lists and the origin no longer has. */
  readonly gone: Problem[] = [];
  /** Ids of files whose record in their own index is new or another one than in the last snapshot. */
  readonly #changedFiles: ReadonlySet<string>;

  constructor(context: CrawlContext, parent: Parent, lists: Lists) {
    const snapshot = lists.previous;
    this.context = context;
    this.parent = parent;
    this.snapshot = snapshot;
    this.endpoints = new Endpoints(context, parent, snapshot);
    this.#changedFiles = changedFiles(context, lists);
    this.bodies = new BodyWatch(context);
    // What was in vain for the articles need not be for the galleries.
    context.patience.answered();
  }

  /** Whether a list of the last snapshot repeats the record of a file that has another one now. */
  isOlder({ digest }: Ref): boolean {
    if (this.#changedFiles.size === 0) return false;
    const { items } = this.context.store.objects.readNormal("attachments", digest);
    return items.some(([id]) => this.#changedFiles.has(id));
  }

  /** The result; undefined where this one item fails, which `fail` is told. */
  async attempt<T>(
    work: () => Promise<T>,
    fail: (error: ApiError) => void,
  ): Promise<T | undefined> {
    const { patience } = this.context;
    if (this.#inVain !== undefined && patience.isVain()) {
      fail(this.#inVain);
      return undefined;
    }
    try {
      const result = await work();
      patience.answered();
      return result;
    } catch (thrown) {
      const error = await itemFailureOf(this.context, thrown);
      if (!isAway(error)) patience.answered();
      else if ((await patience.failed(error)) === "back") return this.attempt(work, fail);
      if (patience.isVain()) this.#inVain ??= error;
      fail(error);
      return undefined;
    }
  }

  /** Notes that a part of an item failed: as a problem, or to be looked at again where the item is gone. */
  fail(item: Item, subject: string, error: ApiError): void {
    const problem =
      error === this.#inVain
        ? { subject: this.parent, reason: `the rest was not asked for, after ${error.message}` }
        : { subject, reason: error.message, hint: error.hint };
    item.current = false;
    item.there = !isGone(error) && !isSilent(error);
    if (isGone(error)) this.gone.push(problem);
    else addProblem(this.context, problem);
  }
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

/** Whether two index forms are equal but for their volatile members. */
export function sameIndexForm(
  { store, config }: CrawlContext,
  one: string,
  other: string,
): boolean {
  if (one === other) return true;
  if (!store.objects.has(one)) return false;
  const [before, now] = [one, other].map((digest) =>
    steadyKey(store.objects.readRaw(digest), config.crawl.volatile),
  );
  return before === now;
}

function changedFiles(context: CrawlContext, lists: Lists): Set<string> {
  const { previous } = lists;
  if (previous === undefined) return new Set();
  const changed = mediaKinds.flatMap((kind) =>
    lists.refs(kind).filter(({ id, digest }) => {
      // An image that is public again is new to its index, and its records elsewhere may still say that it is private.
      const last = previous.digestOf(kind, id);
      return last === undefined || !sameIndexForm(context, last, digest);
    }),
  );
  return new Set(changed.map(({ id }) => id));
}
