import { envelopeForPage } from "../api/envelope.ts";
import { mediaKinds, type Parent, parents } from "../routes/table.ts";
import type { SnapshotReader } from "../store/reader.ts";
import type { ListManifest, ListName, ListProof, Ref } from "../store/snapshots.ts";
import { addProblem, type CrawlContext, isItemFailure } from "./context.ts";
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
  if (context.config.crawl.privateImages === "include") await walkPrivate(context, lists);
  for (const index of ["categories", "tags"] as const) {
    const refs = await orAbsent(context, index, index === "tags", () => readAll(context, index));
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
  const optional = index === "videos" || index === "documents" || index === "audio";
  const walked = await orAbsent(context, index, optional, () =>
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
async function walkPrivate(context: CrawlContext, lists: Lists): Promise<void> {
  const walked = await walkIndex(context, "images", "images.private", 1, (page) => {
    const url = context.routes.urlOf({ route: "index", index: "images", page }) as string;
    return `${url}${url.includes("?") ? "&" : "?"}private=1`;
  });
  const listed = new Set<string>();
  const saved = lists.saved.images;
  if (saved !== undefined) {
    for (const { id } of context.store.snapshots.refs(saved)) listed.add(id);
  }
  walked.list.refs = walked.list.refs.filter(({ id }) => !listed.has(id));
  save(context, lists, "images.private", walked);
}

/** A list's result; undefined where the origin has no such list, which is a problem unless it is optional. */
async function orAbsent<T>(
  context: CrawlContext,
  index: string,
  optional: boolean,
  work: () => Promise<T>,
): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if (!isItemFailure(error)) throw error;
    const absent = error.status === 404 || (optional && error.status === 403);
    if (!absent || index === "articles") throw error;
    if (optional) {
      context.reporter.info(`this origin has no index of ${index} (${error.status})`);
    } else {
      addProblem(context, { subject: `index of ${index}`, reason: error.message });
    }
    return undefined;
  }
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
      return ingestList(context, index, `GET /${index}`, data, value);
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
