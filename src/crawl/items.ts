import { ApiError } from "../errors.ts";
import { eachLimited } from "../lib/concurrency.ts";
import type { Problem } from "../lib/reporter.ts";
import type { AttachmentRoute, MediaKind, Parent } from "../routes/table.ts";
import { attachmentsRaw } from "../store/reader.ts";
import type { AttachmentCounts, AttachmentList } from "../store/records.ts";
import { attachmentsId } from "../store/records.ts";
import type { Ref } from "../store/snapshots.ts";
import { addProblem, type CrawlContext, createPatience, isItemFailure } from "./context.ts";
import { joinPages, readPage, readPages } from "./index-walk.ts";
import { dataOf, ingest, keepable } from "./ingest.ts";
import { type Known, needsRefresh, wantedAttachments } from "./plan.ts";

/** What the last snapshot holds of the articles, or of the galleries. */
export interface KnownItems {
  get(id: string): Known | undefined;
  attachments(id: string, kind: MediaKind): Ref | undefined;
}

/** Single forms and attachment lists of one kind of parent. */
export interface Items {
  singles: Ref[];
  attachments: Ref[];
  /** Sum of the parents' counts, and of the items that their lists gave, by kind. */
  counts: Map<MediaKind, { expected: number; collected: number; lists: number; missing: number }>;
  /** Parents whose single form could not be had. */
  missing: number;
}

/**
 * Fetches the single form and the attachment lists of each article or gallery, as far as the last snapshot does
 * not hold them already. An item that cannot be had is a problem, and keeps its last known form.
 */
export async function crawlItems(
  context: CrawlContext,
  parent: Parent,
  index: readonly Ref[],
  known: KnownItems,
): Promise<Items> {
  const { config, draft, reporter } = context;
  const items: Items = { singles: [], attachments: [], counts: new Map(), missing: 0 };
  const { refresh, refreshShare: share } = config.crawl;
  const rule = { refresh, share, round: draft.round };
  const progress = reporter.stage(`${parent} in full`, index.length);
  const patience = createPatience();
  const singles: (Ref | undefined)[] = [];
  const lists: Ref[][] = [];

  await eachLimited(index.entries(), config.crawl.concurrency, async ([position, ref]) => {
    const before = known.get(ref.id);
    const fresh = needsRefresh(ref.id, ref.digest, before, rule);
    const single = fresh
      ? await fetchSingle(ref, before)
      : { id: ref.id, digest: (before as Known).single };
    singles[position] = single;
    lists[position] = await attachmentsOf(ref, single, fresh);
    progress.advance();
  });
  progress.end();
  items.singles = singles.filter((ref) => ref !== undefined);
  items.missing = index.length - items.singles.length;
  items.attachments = lists.flat();
  return items;

  async function fetchSingle(ref: Ref, before: Known | undefined): Promise<Ref | undefined> {
    const subject = `${parent === "articles" ? "article" : "gallery"} ${ref.id}`;
    const found = await attempt(subject, () =>
      draft.once(`single ${parent} ${ref.id} ${ref.digest}`, () =>
        readSingle(context, parent, ref.id),
      ),
    );
    return found ?? (before && { id: ref.id, digest: before.single });
  }

  async function attachmentsOf(ref: Ref, single: Ref | undefined, fresh: boolean): Promise<Ref[]> {
    const counts = countsOf(ref, single);
    const found: Ref[] = [];
    for (const route of wantedAttachments(parent, counts, config.origin.paths)) {
      const before = known.attachments(ref.id, route.kind);
      const list = fresh || before === undefined ? await fetchList(route, ref, before) : before;
      const sum = items.counts.get(route.kind) ?? {
        expected: 0,
        collected: 0,
        lists: 0,
        missing: 0,
      };
      items.counts.set(route.kind, sum);
      sum.expected += counts[route.kind];
      if (list === undefined) {
        sum.missing++;
        continue;
      }
      sum.lists++;
      sum.collected += context.store.objects.read("attachments", list.digest).normal.items.length;
      found.push(list);
    }
    return found;
  }

  async function fetchList(
    route: AttachmentRoute,
    ref: Ref,
    before: Ref | undefined,
  ): Promise<Ref | undefined> {
    const listId = attachmentsId(parent, ref.id, route.kind);
    const found = await attempt(listId, () =>
      draft.once(`list ${listId} ${ref.digest}`, () => readAttachments(context, route, ref.id)),
    );
    for (const problem of found?.malformed ?? []) addProblem(context, problem);
    return found?.list ?? before;
  }

  function countsOf(ref: Ref, single: Ref | undefined): AttachmentCounts {
    const source = single ?? ref;
    return context.store.objects.read(parent, source.digest).normal.attachments;
  }

  /** The result, or undefined and a problem where this one item cannot be had. */
  async function attempt<T>(subject: string, work: () => Promise<T>): Promise<T | undefined> {
    try {
      const result = await work();
      patience.answered();
      return result;
    } catch (error) {
      if (!isItemFailure(error)) throw error;
      const problem = { subject, reason: error.message };
      addProblem(context, error.hint === undefined ? problem : { ...problem, hint: error.hint });
      patience.failed(error);
      return undefined;
    }
  }
}

/** @throws ApiError where the object is missing, malformed, or another one than was asked for */
async function readSingle(context: CrawlContext, parent: Parent, id: string): Promise<Ref> {
  const url = context.routes.urlOf({ route: "single", index: parent, id }) as string;
  const { text } = await context.client.json(url);
  const raw = dataOf(keepable(text));
  const source = `GET ${url.slice(context.config.origin.baseUrl.length)}`;
  if (raw === undefined) throw contractError(source, url, "data: expected an object");
  const ref = ingest(context, `${parent}.single`, source, raw);
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
  const pages = await readPages(context.config.crawl.concurrency, (page) =>
    readPage(
      context,
      kind,
      context.routes.urlOf({ route: "attachments", parent, id, kind, page }) as string,
    ),
  );
  const list = joinPages(pages);
  const normal: AttachmentList = {
    parent,
    parentId: id,
    kind,
    items: list.refs.map((ref) => [ref.id, ref.digest]),
  };
  const listId = attachmentsId(parent, id, kind);
  const raw = attachmentsRaw({ ...list, envelope: list.envelope ?? "{}" });
  const distinct = new Set(list.refs.map((ref) => ref.id)).size;
  if (list.total !== undefined && distinct + list.malformed.length < list.total) {
    throw contractError(listId, listId, `${distinct} items of ${list.total}`);
  }
  const digest = context.store.objects.put("attachments", listId, normal, raw);
  return { list: { id: listId, digest }, malformed: list.malformed };
}

function contractError(source: string, url: string, message: string): ApiError {
  return new ApiError(`${source}: ${message}`, { url, status: 200, attempts: 1 });
}
