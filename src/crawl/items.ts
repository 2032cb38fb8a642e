import { ApiError } from "../errors.ts";
import { eachLimited } from "../lib/concurrency.ts";
import type { Problem } from "../lib/reporter.ts";
import type { AttachmentRoute, MediaKind, Parent } from "../routes/table.ts";
import { attachmentsRaw, type SnapshotReader } from "../store/reader.ts";
import { type AttachmentCounts, type AttachmentList, attachmentsId } from "../store/records.ts";
import type { Ref } from "../store/snapshots.ts";
import {
  addProblem,
  type CrawlContext,
  createPatience,
  isItemFailure,
  isSilent,
} from "./context.ts";
import { joinPages, readPage, readPages } from "./index-walk.ts";
import { ingest, keepable, openAnswer } from "./ingest.ts";
import { type Known, needsRefresh, wantedAttachments } from "./plan.ts";

/** Single forms and attachment lists of one kind of parent, in the order of its index. */
export interface Items {
  singles: Ref[];
  attachments: Ref[];
  /** Sum of the parents' counts, and how many lists could not be had, by kind. */
  counts: Map<MediaKind, { expected: number; missing: number }>;
  /** Items that the index lists and the origin no longer has. */
  gone: { ref: Ref; problem: Problem }[];
  /** Items that could not be had in full, as `articles/{id}` with the digest of their index form. */
  unsettled: Ref[];
}

/** What the last snapshot tells about the items to crawl. */
export interface Before {
  /** Undefined at the first crawl. */
  snapshot: SnapshotReader | undefined;
  /** Ids that only the last snapshot has and that are to be kept as they are. */
  kept: ReadonlySet<string>;
}

/**
 * Fetches the single form and the attachment lists of each article or gallery, as far as the last snapshot does
 * not hold them already. An item that cannot be had is a problem, and keeps its last known form.
 */
export async function crawlItems(
  context: CrawlContext,
  parent: Parent,
  index: readonly Ref[],
  { snapshot, kept }: Before,
): Promise<Items> {
  const { config, draft, reporter, store } = context;
  const { refresh, refreshShare: share } = config.crawl;
  const rule = { refresh, share, round: draft.round };
  const counts: Items["counts"] = new Map();
  const gone: Items["gone"] = [];
  const progress = reporter.stage(`${parent} in full`, index.length);
  const patience = createPatience();
  const endpoints = watchEndpoints(context);
  const singles: (Ref | undefined)[] = [];
  const lists: Ref[][] = [];
  const unsettled: (Ref | undefined)[] = [];
  const isStored = ({ digest }: Ref): boolean => store.objects.has(digest);

  await eachLimited(index.entries(), config.crawl.concurrency, async ([position, ref]) => {
    const before = knownOf(ref.id);
    const item: Item = { ref, before, fresh: isFresh(ref, before), settled: true, there: true };
    const single = item.fresh ? await fetchSingle(item) : before.single;
    singles[position] = single;
    lists[position] = await attachmentsOf(item, single);
    if (!item.settled) unsettled[position] = { id: `${parent}/${ref.id}`, digest: ref.digest };
    progress.advance();
  });
  progress.end();
  return {
    singles: singles.filter((ref) => ref !== undefined),
    attachments: lists.flat(),
    counts,
    gone,
    unsettled: unsettled.filter((ref) => ref !== undefined),
  };

  interface Item {
    ref: Ref;
    before: Partial<Known>;
    /** Whether it is asked for, although the last snapshot may have it. */
    fresh: boolean;
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

  function isFresh(ref: Ref, before: Partial<Known>): boolean {
    if (kept.has(ref.id)) return false;
    const settled = snapshot?.digestOf("unsettled", `${parent}/${ref.id}`) === undefined;
    return !settled || needsRefresh(ref.id, ref.digest, before, rule);
  }

  async function fetchSingle(item: Item): Promise<Ref | undefined> {
    const { ref, before } = item;
    const subject = `${parent === "articles" ? "article" : "gallery"} ${ref.id}`;
    const task = `single ${parent} ${ref.id} ${ref.digest}`;
    const found = await attempt(
      () => draft.once(task, () => readSingle(context, parent, ref.id), isStored),
      (error) => fail(item, subject, error),
    );
    return found ?? before.single;
  }

  async function attachmentsOf(item: Item, single: Ref | undefined): Promise<Ref[]> {
    const { ref } = item;
    const wanted = countsOf(single ?? ref);
    const found: Ref[] = [];
    for (const route of wantedAttachments(parent, wanted, config.origin.paths)) {
      const listId = attachmentsId(parent, ref.id, route.kind);
      const before = stored(listId, snapshot?.digestOf("attachments", listId));
      const asked = item.there && !kept.has(ref.id) && (item.fresh || before === undefined);
      const list = asked ? await fetchList(item, route, listId, before) : before;
      const sum = counts.get(route.kind) ?? { expected: 0, missing: 0 };
      counts.set(route.kind, sum);
      sum.expected += wanted[route.kind];
      if (list === undefined) sum.missing++;
      else found.push(list);
    }
    return found;
  }

  async function fetchList(
    item: Item,
    route: AttachmentRoute,
    listId: string,
    before: Ref | undefined,
  ): Promise<Ref | undefined> {
    if (endpoints.isAbsent(route)) {
      item.settled = false;
      return before;
    }
    const found = await attempt(
      () =>
        draft.once(
          `list ${listId} ${item.ref.digest}`,
          () => readAttachments(context, route, item.ref.id),
          ({ list }) =>
            isStored(list) &&
            store.objects
              .readNormal("attachments", list.digest)
              .items.every(([, digest]) => store.objects.has(digest)),
        ),
      (error) => {
        if (endpoints.refused(route, error)) item.settled = false;
        else fail(item, listId, error);
      },
    );
    if (found === undefined) return before;
    endpoints.answered(route);
    for (const problem of found.malformed) addProblem(context, problem);
    if (found.malformed.length > 0) item.settled = false;
    return found.list;
  }

  /** Keeps a failure in mind: as a problem, or to be looked at again where the item is gone. */
  function fail(item: Item, subject: string, error: ApiError): void {
    const problem = problemOf(subject, error);
    const isGone = error.status === 404 || error.status === 410;
    item.settled = false;
    item.there = !isGone && !isSilent(error);
    if (isGone) gone.push({ ref: item.ref, problem });
    else addProblem(context, problem);
  }

  function countsOf({ digest }: Ref): AttachmentCounts {
    return store.objects.readNormal(parent, digest).attachments;
  }

  /** The result, or undefined where this one item cannot be had, after telling so. */
  async function attempt<T>(
    work: () => Promise<T>,
    fail: (error: ApiError) => void,
  ): Promise<T | undefined> {
    try {
      const result = await work();
      patience.answered();
      return result;
    } catch (error) {
      if (!isItemFailure(error)) throw error;
      fail(error);
      await patience.failed(error);
      return undefined;
    }
  }
}

/** Lists of a kind that must be missing, with none there, to tell that the origin has no such endpoint. */
const missingLists = 5;

/** Notices attachment endpoints that the origin does not have, instead of asking each in vain. */
function watchEndpoints(context: CrawlContext) {
  const there = new Set<string>();
  const missing = new Map<string, number>();
  const isAbsent = ({ path }: AttachmentRoute): boolean =>
    !there.has(path) && (missing.get(path) ?? 0) >= missingLists;
  return {
    isAbsent,
    answered(route: AttachmentRoute): void {
      there.add(route.path);
    },
    /** Counts a failure; true where it is the endpoint that is missing, which is one problem for all lists. */
    refused(route: AttachmentRoute, { status }: ApiError): boolean {
      if (status === 404) missing.set(route.path, (missing.get(route.path) ?? 0) + 1);
      if (!isAbsent(route)) return false;
      addProblem(context, {
        subject: `origin.paths.${route.path}`,
        reason: `404 for each of the first ${missingLists} lists`,
        hint: "set it to the path that this origin uses, or to null where it has none",
      });
      return true;
    },
  };
}

function problemOf(subject: string, { message, hint }: ApiError): Problem {
  return { subject, reason: message, ...(hint === undefined ? {} : { hint }) };
}

/** @throws ApiError where the object is missing, malformed, or another one than was asked for */
async function readSingle(context: CrawlContext, parent: Parent, id: string): Promise<Ref> {
  const url = context.routes.urlOf({ route: "single", index: parent, id }) as string;
  const { text, value } = await context.client.json(url);
  const data = openAnswer(keepable(text))?.data;
  const source = `GET ${url.slice(context.config.origin.baseUrl.length)}`;
  if (data === undefined) throw contractError(source, url, "data: expected an object");
  const ref = ingest(context, `${parent}.single`, source, data, (value as { data: unknown }).data);
  if ("reason" in ref) throw contractError(source, url, ref.reason);
  if (ref.id !== id) throw contractError(source, url, `id: expected ${id}, got ${ref.id}`);
  return ref;
}

/** Reads all pages of one attachment list and stores it as one object. */
async function readAttachments(
  context: CrawlContext,
  { parent, kind }: AttachmentRoute,
  id: string,
): Promise<{ list: Ref; malformed: Problem[] }> {
  const urlOf = (page: number): string =>
    context.routes.urlOf({ route: "attachments", parent, id, kind, page }) as string;
  const pages = await readPages(context.config.crawl.concurrency, (page, first) =>
    readPage(context, kind, urlOf(page), page, first),
  );
  const { refs, malformed, total, envelope, ...rest } = joinPages(pages);
  const listId = attachmentsId(parent, id, kind);
  if (total !== undefined && refs.length + malformed.length < total) {
    throw contractError(listId, urlOf(1), `${refs.length} items of ${total}`);
  }
  const normal: AttachmentList = {
    parent,
    parentId: id,
    kind,
    items: refs.map((ref) => [ref.id, ref.digest]),
  };
  const raw = attachmentsRaw({ ...rest, envelope: envelope ?? "{}" });
  const digest = context.store.objects.put("attachments", listId, normal, raw);
  return { list: { id: listId, digest }, malformed };
}

function contractError(source: string, url: string, message: string): ApiError {
  return new ApiError(`${source}: ${message}`, { url, status: 200, attempts: 1 });
}
