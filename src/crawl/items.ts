import type { ApiError } from "../errors.ts";
import { eachLimited } from "../lib/concurrency.ts";
import type { Problem } from "../lib/reporter.ts";
import { type MediaKind, mediaKinds, type Parent } from "../routes/table.ts";
import { locateBody } from "../store/body.ts";
import type { SnapshotReader } from "../store/reader.ts";
import {
  type Article,
  type AttachmentCounts,
  attachmentsId,
  type Gallery,
} from "../store/records.ts";
import type { Ref } from "../store/snapshots.ts";
import { ask } from "./ask.ts";
import { readAttachments } from "./attachment-lists.ts";
import { type BodySurvey, watchBodies } from "./bodies.ts";
import { addProblem, type CrawlContext } from "./context.ts";
import { type WantedList, watchEndpoints } from "./endpoints.ts";
import {
  contractError,
  isGone,
  isSilent,
  isWebPage,
  itemFailureOf,
  refusedTwice,
} from "./failures.ts";
import { ingest, openAnswer } from "./ingest.ts";
import { type Asking, type Known, steadyKey, wantedAttachments, whetherToAsk } from "./plan.ts";

/** Single forms and attachment lists of one kind of parent, in the order of its index. */
export interface Items {
  singles: Ref[];
  attachments: Ref[];
  /** By kind. */
  counts: Map<MediaKind, ListCounts>;
  /** Single forms and lists that the snapshot should have and has not. */
  missing: number;
  /** Of articles only. */
  bodies: BodySurvey;
  /** Items that the index lists and the origin no longer has. */
  gone: { ref: Ref; problem: Problem }[];
  /** Items that could not be had in full, as `articles/{id}` with the digest of their index form. */
  outdated: Ref[];
}

/** What the attachment lists of one kind of all parents come to. */
export interface ListCounts {
  /** Sum of the parents' counts; null where one of them is unknown. */
  expected: number | null;
  /** Lists that could not be had. */
  missing: number;
  /** Lists with another number of items than their parent counts, by the place of the parent in its index. */
  differing: Map<number, string>;
}

/** What the last snapshot and the listing tell about the items to crawl. */
export interface Before {
  /** Undefined at the first crawl. */
  snapshot: SnapshotReader | undefined;
  /** Ids that only the last snapshot has and that are to be kept as they are. */
  kept: ReadonlySet<string>;
  /** Ids of which the listing does not tell whether they are still there. */
  unseen: ReadonlySet<string>;
}

/**
 * Fetches the single form and the attachment lists of each article or gallery, as far as the last snapshot does
 * not hold them already. An item that cannot be had is a problem, and keeps its last known form.
 */
export async function crawlItems(
  context: CrawlContext,
  parent: Parent,
  index: readonly Ref[],
  { snapshot, kept, unseen }: Before,
): Promise<Items> {
  const { config, draft, reporter, store } = context;
  const { refresh, refreshShare: share } = config.crawl;
  const rule = { refresh, share, round: draft.round };
  const counts: Items["counts"] = new Map();
  let missing = 0;
  let bodiesSeen = false;
  const gone: Items["gone"] = [];
  const progress = reporter.stage(`${parent} in full`, index.length);
  const kinds = kindsOf(snapshot, parent);
  const endpoints = watchEndpoints(context, ({ kind }) => kinds.has(kind));
  const bodies = watchBodies(context);
  const singles: (Ref | undefined)[] = [];
  const lists: Ref[][] = [];
  const outdated: (Ref | undefined)[] = [];
  const isStored = ({ digest }: Ref): boolean => store.objects.has(digest);

  await eachLimited(index.entries(), config.crawl.concurrency, async ([position, ref]) => {
    const before = knownOf(ref.id);
    const asking = askingOf(ref, before);
    const item: Item = { ref, before, asking, settled: true, there: true };
    const single = asking !== "no" ? await fetchSingle(item) : before.single;
    if (single === undefined && !kept.has(ref.id)) missing++;
    const { ref: settled, normal } = formOf(single, position);
    singles[position] = settled;
    lists[position] = await attachmentsOf(item, normal?.attachments, position);
    if (!item.settled) outdated[position] = { id: `${parent}/${ref.id}`, digest: ref.digest };
    progress.advance();
  });
  progress.end();
  endpoints.report();
  return {
    bodies: bodies.survey(),
    singles: singles.filter((ref) => ref !== undefined),
    attachments: lists.flat(),
    counts,
    missing: [...counts.values()].reduce((sum, kind) => sum + kind.missing, missing),
    gone,
    outdated: outdated.filter((ref) => ref !== undefined),
  };

  interface Item {
    ref: Ref;
    before: Partial<Known>;
    /** Whether it is asked for, although the last snapshot may have it. */
    asking: Asking;
    /** False once a part of it could not be had. */
    settled: boolean;
    /** False once the origin does not have it any more, or gave no answer. */
    there: boolean;
  }

  function knownOf(id: string): Partial<Known> {
    const single = stored(id, snapshot?.digestOf(`${parent}.single`, id));
    return { index: snapshot?.digestOf(parent, id), single };
  }

  function stored(id: string, digest: string | undefined): Ref | undefined {
    return digest !== undefined && store.objects.has(digest) ? { id, digest } : undefined;
  }

  /** The same for a list of attachments, whose items must all be there. */
  function storedList(id: string, digest: string | undefined): Ref | undefined {
    const list = stored(id, digest);
    const items = list && store.objects.readNormal("attachments", list.digest).items;
    return items?.every(([, item]) => store.objects.has(item)) ? list : undefined;
  }

  function askingOf(ref: Ref, before: Partial<Known>): Asking {
    if (kept.has(ref.id)) return "no";
    if (snapshot?.digestOf("outdated", `${parent}/${ref.id}`) !== undefined) return "anew";
    if (before.index === undefined || before.index === ref.digest) {
      const asking = whetherToAsk(ref.id, ref.digest, before, rule);
      return asking === "no" && unseen.has(ref.id) ? "again" : asking;
    }
    const steady = (digest: string): string =>
      steadyKey(store.objects.readRaw(digest), config.crawl.volatile);
    const known = store.objects.has(before.index) ? steady(before.index) : undefined;
    return whetherToAsk(ref.id, steady(ref.digest), { ...before, index: known }, rule);
  }

  async function fetchSingle(item: Item): Promise<Ref | undefined> {
    const { ref, before } = item;
    const subject = `${parent === "articles" ? "article" : "gallery"} ${ref.id}`;
    const task = `single ${parent} ${ref.id} ${ref.digest}`;
    const found = await attempt(
      () => draft.once(task, () => readWhole(item), isStored),
      (error) => fail(item, subject, error),
    );
    // The index knows of a change that the item does not show: the answer may be an old one.
    const changed = before.index !== undefined && before.index !== ref.digest;
    if (changed && found !== undefined && found.digest === before.single?.digest) {
      item.settled = false;
    }
    return found ?? before.single;
  }

  /**
   * The single form; where it has no body although the last one had, or others have, it is asked for again.
   *
   * @throws ApiError where the body is gone, unless it was so at the last snapshot, too
   */
  async function readWhole({ ref: { id }, before, asking }: Item): Promise<Ref> {
    const isArticle = parent === "articles";
    const had = isArticle && before.single !== undefined && hasBody(before.single);
    const lacks = (single: Ref): boolean => isArticle && !hasBody(single) && (had || bodiesSeen);
    const single = await readSingle(context, parent, id, {
      again: asking === "again",
      objectionTo: (one) => (lacks(one) ? "it has no body" : undefined),
    });
    bodiesSeen ||= isArticle && hasBody(single);
    const wasSo = snapshot?.digestOf("outdated", `${parent}/${id}`) !== undefined;
    if (had && !wasSo && !hasBody(single)) {
      const url = context.routes.urlOf({ route: "single", index: parent, id }) as string;
      throw contractError(`article ${id}`, url, "it had a body, and has none any more");
    }
    return single;
  }

  function hasBody({ digest }: Ref): boolean {
    const object: unknown = JSON.parse(store.objects.readRaw(digest));
    return locateBody(object, config.origin.bodyField).state === "found";
  }

  /** The single form as it goes into the snapshot, and what it says. */
  function formOf(
    single: Ref | undefined,
    position: number,
  ): { ref?: Ref; normal?: Article | Gallery } {
    if (single === undefined) return {};
    if (parent === "articles") return bodies.look(single, position);
    return { ref: single, normal: store.objects.readNormal("galleries.single", single.digest) };
  }

  async function attachmentsOf(
    item: Item,
    single: AttachmentCounts | undefined,
    position: number,
  ): Promise<Ref[]> {
    const { ref } = item;
    const wanted = countsOf(single, ref);
    const found: Ref[] = [];
    for (const route of wantedAttachments(parent, wanted, config.origin.paths)) {
      const listId = attachmentsId(parent, ref.id, route.kind);
      const listed = snapshot?.digestOf("attachments", listId);
      const before = storedList(listId, listed);
      const count = wanted[route.kind];
      // Without a count, an endpoint that gave lists to others has said that there is none.
      const absent = count === null && kinds.has(route.kind) && listed === undefined;
      const known = before !== undefined || absent;
      const { asking } = item;
      const asked = item.there && !kept.has(ref.id) && (asking !== "no" || !known);
      const one = { ...route, listId, count, before, asking };
      const list = asked ? await fetchList(one, item) : before;
      const sum = counts.get(route.kind) ?? { expected: 0, missing: 0, differing: new Map() };
      counts.set(route.kind, sum);
      sum.expected = sum.expected === null || count === null ? null : sum.expected + count;
      const rows = list && store.objects.readNormal("attachments", list.digest).items.length;
      if (rows !== undefined && count !== null && rows !== count) {
        sum.differing.set(position, `${listId}: ${rows} of ${count}`);
      }
      if (list !== undefined) found.push(list);
      else if (count !== null && !kept.has(ref.id)) sum.missing++;
    }
    return found;
  }

  async function fetchList(wanted: WantedList, item: Item): Promise<Ref | undefined> {
    const { listId, count, before } = wanted;
    if (endpoints.isAbsent(wanted)) {
      if (count !== null) item.settled = false;
      return before;
    }
    const read = () => readAttachments(context, wanted, item.ref.id);
    const found = await attempt(
      () =>
        draft.once(
          `list ${listId} ${item.ref.digest}`,
          () => (endpoints.isBelieved(wanted) ? read() : refusedTwice(read)),
          ({ list }) => storedList(list.id, list.digest) !== undefined,
        ),
      (error) => {
        if (endpoints.lacks(wanted, error)) return "of its endpoint";
        if (!endpoints.refused(wanted, error)) return fail(item, listId, error);
        item.settled = false;
        return "of its endpoint";
      },
    );
    if (found === undefined) return before;
    endpoints.answered(wanted);
    for (const problem of found.problems) addProblem(context, problem);
    // What was believed to have become shorter is asked for once more the next time.
    if (found.problems.length > 0 || found.shrunk) item.settled = false;
    return found.list;
  }

  /** Keeps a failure in mind: as a problem, or to be looked at again where the item is gone. */
  function fail(item: Item, subject: string, error: ApiError): "of the item" {
    const problem = problemOf(subject, error);
    item.settled = false;
    item.there = !isGone(error) && !isSilent(error);
    if (isGone(error)) gone.push({ ref: item.ref, problem });
    else addProblem(context, problem);
    return "of the item";
  }

  /** The larger ones of single form and index: where they differ, the list itself must decide. */
  function countsOf(single: AttachmentCounts | undefined, { digest }: Ref): AttachmentCounts {
    const counts = { ...store.objects.readNormal(parent, digest).attachments };
    if (single === undefined) return counts;
    for (const kind of mediaKinds) {
      const [listed, told] = [counts[kind], single[kind]];
      counts[kind] = listed === null || told === null ? (told ?? listed) : Math.max(listed, told);
    }
    return counts;
  }

  /** The result, or undefined where this one item cannot be had, after telling so. */
  async function attempt<T>(
    work: () => Promise<T>,
    fail: (error: ApiError) => "of the item" | "of its endpoint",
  ): Promise<T | undefined> {
    try {
      const result = await work();
      context.patience.answered();
      return result;
    } catch (thrown) {
      const error = await itemFailureOf(context, thrown);
      const failure = fail(error);
      // A page for all that is not there says nothing of the origin as a whole.
      if (failure === "of its endpoint" && isWebPage(error)) return undefined;
      await context.patience.failed(error);
      return undefined;
    }
  }
}

/** Kinds of attachments that a snapshot has lists of, be they empty. */
function kindsOf(snapshot: SnapshotReader | undefined, parent: Parent): ReadonlySet<MediaKind> {
  const found = new Set<MediaKind>();
  for (const { id } of snapshot?.refs("attachments") ?? []) {
    const kind = mediaKinds.find((one) => id.endsWith(`/${one}`));
    if (kind !== undefined && id.startsWith(`${parent}/`)) found.add(kind);
  }
  return found;
}

function problemOf(subject: string, { message, hint }: ApiError): Problem {
  return { subject, reason: message, ...(hint === undefined ? {} : { hint }) };
}

/** @throws ApiError where the object is missing, malformed, or another one than was asked for */
async function readSingle(
  context: CrawlContext,
  parent: Parent,
  id: string,
  { again, objectionTo }: { again: boolean; objectionTo: (single: Ref) => string | undefined },
): Promise<Ref> {
  const url = context.routes.urlOf({ route: "single", index: parent, id }) as string;
  const { objects } = context.store;
  return ask<Ref>(context, {
    url,
    usable: again && (({ digest }) => objects.has(digest)),
    objectionTo,
    read({ text, value }) {
      const data = openAnswer(text)?.data;
      const source = `GET ${url.slice(context.config.origin.baseUrl.length)}`;
      if (data === undefined) throw contractError(source, url, "data: expected an object");
      const object = (value as { data: unknown }).data;
      const ref = ingest(context, `${parent}.single`, source, data, object);
      if ("reason" in ref) throw contractError(source, url, ref.reason);
      if (ref.id !== id) throw contractError(source, url, `id: expected ${id}, got ${ref.id}`);
      return ref;
    },
  });
}
