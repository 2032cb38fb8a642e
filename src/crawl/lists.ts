import { envelopeForPage } from "../api/envelope.ts";
import { ApiError } from "../errors.ts";
import { mediaKinds, type Parent, parents } from "../routes/table.ts";
import type { SnapshotReader } from "../store/reader.ts";
import type { ListManifest, ListName, ListProof, Ref } from "../store/snapshots.ts";
import { addProblem, type CrawlContext, isItemFailure, isRefusal } from "./context.ts";
import { type PagedList, type Walked, walkIndex } from "./index-walk.ts";
import { type Ingested, ingestList, keepable, openAnswer } from "./ingest.ts";
import { withVanished } from "./plan.ts";

/** The lists of the snapshot in the making. */
export interface Lists {
  /** Saved, by name. */
  saved: Partial<Record<ListName, ListManifest>>;
  /** By the name of what they prove, in the order of the report. */
  proofs: Map<string, ListProof>;
  /** Ids of articles or galleries that the origin no longer lists and that are kept all the same. */
  kept: Record<Parent, ReadonlySet<string>>;
}

type PagedName = Parent | (typeof mediaKinds)[number];

/** What a list that is not paginated has in the place of pages. */
export const unpaged = { perPage: 0, envelope: null, overrides: {} };

/** Reads all indexes, the categories and the tags. */
export async function walkLists(
  context: CrawlContext,
  previous: SnapshotReader | undefined,
): Promise<Lists> {
  const none = new Set<string>();
  const lists: Lists = {
    saved: {},
    proofs: new Map(),
    kept: { articles: none, galleries: none },
  };
  for (const index of [...parents, ...mediaKinds])
    await walkList(context, previous, lists, index, 1);
  if (context.config.crawl.privateImages === "include") {
    await walkPrivate(context, previous, lists);
  }
  for (const index of ["categories", "tags"] as const) {
    const refs = await orGap(context, previous, lists, index, () => readAll(context, index));
    if (refs === undefined) continue;
    lists.saved[index] = context.store.snapshots.saveList({ ...unpaged, refs });
  }
  return lists;
}

/** Reads one index, or reads it again, and saves its list. */
export async function walkList(
  context: CrawlContext,
  previous: SnapshotReader | undefined,
  lists: Lists,
  index: PagedName,
  listing: number,
): Promise<void> {
  const urlOf = (page: number) => context.routes.urlOf({ route: "index", index, page });
  if (urlOf(1) === undefined) return;
  const walked = await orGap(context, previous, lists, index, () =>
    walkIndex(context, index, index, listing, (page) => urlOf(page) as string),
  );
  if (walked === undefined) return;
  const keeps = context.config.crawl.removals === "keep";
  if (keeps && (index === "articles" || index === "galleries")) {
    const refs = withVanished(previous?.refs(index) ?? [], walked.list.refs);
    const listed = new Set(walked.list.refs.map(({ id }) => id));
    const vanished = refs.filter(({ id }) => !listed.has(id));
    lists.kept[index] = new Set(vanished.map(({ id }) => id));
    if (vanished.length > 0) walked.list = resized(walked.list, refs);
  }
  save(context, lists, index, walked);
}

function save(context: CrawlContext, lists: Lists, name: ListName, walked: Walked): void {
  const { malformed, total, ...list } = walked.list;
  for (const problem of malformed) addProblem(context, problem);
  lists.saved[name] = context.store.snapshots.saveList(list);
  lists.proofs.set(name, walked.proof);
}

/** A list with other items, its pages as the origin would write them. */
function resized(list: PagedList, refs: Ref[]): PagedList {
  const { envelope, perPage } = list;
  const total = refs.length;
  const count = Math.min(total, perPage);
  const model = envelope && envelopeForPage(envelope, { page: 1, perPage, total, count });
  return { ...list, refs, total, envelope: model, overrides: {} };
}

/** The private images: what the index shows more when it is asked for them. */
async function walkPrivate(
  context: CrawlContext,
  previous: SnapshotReader | undefined,
  lists: Lists,
): Promise<void> {
  const walked = await orGap(context, previous, lists, "images.private", () =>
    walkIndex(context, "images", "images.private", 1, (page) => {
      const url = context.routes.urlOf({ route: "index", index: "images", page }) as string;
      return `${url}${url.includes("?") ? "&" : "?"}private=1`;
    }),
  );
  if (walked === undefined) return;
  const listed = new Set<string>();
  const saved = lists.saved.images;
  if (saved !== undefined) {
    for (const { id } of context.store.snapshots.refs(saved)) listed.add(id);
  }
  walked.list.refs = walked.list.refs.filter(({ id }) => !listed.has(id));
  save(context, lists, "images.private", walked);
}

/** Lists that an origin need not have, and how the configuration says that it has none. */
const optional: Partial<Record<ListName, string | null>> = {
  videos: "origin.paths.videos: null",
  documents: "origin.paths.documents: null",
  audio: "origin.paths.audio: null",
  "images.private": 'crawl.privateImages: "exclude"',
  tags: null,
};

/**
 * A list's result; undefined where it could not be had. An optional list that the origin refuses is taken for
 * absent, unless the last snapshot has items of it; everything else is a gap, in which the last snapshot's list
 * stays. Without the articles there is nothing to go on with.
 *
 * @throws ApiError when the token is refused, the origin stopped answering, or there is no article index
 */
async function orGap<T>(
  context: CrawlContext,
  previous: SnapshotReader | undefined,
  lists: Lists,
  name: ListName,
  work: () => Promise<T>,
): Promise<T | undefined> {
  try {
    const result = await work();
    context.patience.answered();
    return result;
  } catch (error) {
    if (!(error instanceof ApiError) || name === "articles") throw error;
    const silence = optional[name];
    if (silence !== undefined && error.status === 401) await checkToken(context);
    else if (!isItemFailure(error)) throw error;
    const before = previous?.list(name);
    const expected = (before?.count ?? 0) > 0 && silence !== null;
    if (silence !== undefined && isRefusal(error) && !expected) {
      context.patience.answered();
      const hint = silence === null ? undefined : `set ${silence} where that is right`;
      context.reporter.warn(`this origin has no ${labelOf(name)}: ${error.message}`, hint);
      return undefined;
    }
    if (!isRefusal(error)) await context.patience.failed(error);
    leaveGap(lists, name, before, error);
    const kept =
      before === undefined ? "" : ` (kept the ${before.count} items of the last snapshot)`;
    const hint =
      isRefusal(error) && silence ? `set ${silence} where it is gone for good` : error.hint;
    addProblem(context, {
      subject: labelOf(name),
      reason: `${error.message}${kept}`,
      ...(hint === undefined ? {} : { hint }),
    });
    return undefined;
  }
}

/** Asks for something that every token may read. @throws ApiError when this one is refused altogether */
async function checkToken({ client, routes }: CrawlContext): Promise<void> {
  await client.json(routes.urlOf({ route: "index", index: "articles", page: 1 }) as string);
}

function leaveGap(
  { saved, proofs }: Lists,
  name: ListName,
  before: ListManifest | undefined,
  { message: remark }: ApiError,
): void {
  const list = saved[name] ?? before;
  if (list !== undefined) saved[name] = list;
  const collected = list?.count ?? 0;
  const counts = { collected, expected: null, pages: 0, passes: 0 };
  proofs.set(name, { list: name, ...counts, agreed: false, remark });
}

function labelOf(name: ListName): string {
  return `index of ${name === "images.private" ? "private images" : name}`;
}

/** Categories or tags: all of them in one answer. */
async function readAll(context: CrawlContext, index: "categories" | "tags"): Promise<Ref[]> {
  const { draft, store } = context;
  const { refs, malformed } = await draft.once(
    `all ${index}, ${draft.listing}`,
    async (): Promise<Ingested> => {
      const url = context.routes.urlOf({ route: "all", index }) as string;
      const { text, value } = await context.client.json(url);
      const data = openAnswer(keepable(text))?.data;
      const source = `GET /${index}`;
      if (data?.startsWith("[")) return ingestList(context, index, source, data, value);
      const message = `${source}: unexpected answer: data: expected an array`;
      throw new ApiError(message, { url, status: 200, attempts: 1 });
    },
    (known) => known.refs.every((ref) => store.objects.has(ref.digest)),
  );
  for (const problem of malformed) addProblem(context, problem);
  return distinct(refs);
}

/** Each id once, where it is first. */
function distinct(refs: Ref[]): Ref[] {
  const found = new Map<string, Ref>();
  for (const ref of refs) if (!found.has(ref.id)) found.set(ref.id, ref);
  return [...found.values()];
}
