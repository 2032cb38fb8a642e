import { WireEnvelope } from "../api/schema.ts";
import { ApiError, GuardError } from "../errors.ts";
import { mediaKinds, type Parent, parents } from "../routes/table.ts";
import type { SnapshotReader } from "../store/reader.ts";
import type { ListManifest, ListName, ListProof, Ref } from "../store/snapshots.ts";
import { ask, type KeptAnswer } from "./answers.ts";
import {
  addProblem,
  type CrawlContext,
  contractError,
  isItemFailure,
  isRefusal,
  refusedTwice,
} from "./context.ts";
import { namesNext, type PagedList, type Walked, walkIndex } from "./index-walk.ts";
import { type Ingested, ingestList, openAnswer } from "./ingest.ts";
import { mayVanish, vanishedHint } from "./plan.ts";
import { type Watched, watched } from "./removals.ts";

/** The lists of the snapshot in the making. */
export interface Lists {
  /** Saved, by name. */
  saved: Partial<Record<ListName, ListManifest>>;
  /** By the name of what they prove, in the order of the report. */
  proofs: Map<string, ListProof>;
  /** As the origin gave them, where it is not yet decided what became of the items that they no longer have. */
  walked: Map<Watched, PagedList>;
  /** Ids of articles or galleries that are kept as they are, although the origin does not list them. */
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
    walked: new Map(),
    kept: { articles: none, galleries: none },
  };
  for (const index of [...parents, ...mediaKinds])
    await walkList(context, previous, lists, index, 1);
  if (context.config.crawl.privateImages === "include") {
    await walkPrivate(context, previous, lists);
  }
  for (const index of ["categories", "tags"] as const) {
    const read = await orGap(context, previous, lists, index, async () => {
      const all = await readAll(context, index, provedIds(previous, [index]));
      brake(context, previous, index, all.refs);
      return all;
    });
    if (read === undefined) continue;
    lists.saved[index] = context.store.snapshots.saveList({ ...unpaged, refs: read.refs });
    lists.proofs.set(index, read.proof);
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
  const walked = await orGap(context, previous, lists, index, async () => {
    const walk = await walkIndex(context, {
      collection: index,
      name: index,
      listing,
      urlOf: (page) => urlOf(page) as string,
      known: provedIds(previous, [index]),
    });
    if (!isWatched(index)) brake(context, previous, index, walk.list.refs);
    return walk;
  });
  if (walked !== undefined) save(context, lists, index, walked);
}

function isWatched(index: ListName): index is Watched {
  return watched.some((one) => one === index);
}

/**
 * Stops the crawl where a list lost more at once than `crawl.maxRemoved` allows of its own items, or all of several:
 * nothing else can be asked of what stands in none of the watched indexes.
 *
 * @throws GuardError
 */
function brake(
  { config }: CrawlContext,
  previous: SnapshotReader | undefined,
  name: ListName,
  refs: readonly Ref[],
): void {
  const before = previous?.list(name)?.count ?? 0;
  const present = new Set(refs.map(({ id }) => id));
  const gone = [...(previous?.refs(name) ?? [])].filter(({ id }) => !present.has(id)).length;
  const { items, share } = config.crawl.maxRemoved;
  const few = gone <= mayVanish({ items, share }, before);
  if (few && (gone < before || before <= 1)) return;
  if (share >= 1 && gone <= items) return;
  throw new GuardError(`${gone} of ${before} ${name} vanished from the origin at once`, {
    hint: vanishedHint,
  });
}

/** Ids that stood in lists at the last snapshot, if all of those lists were proved; without the withdrawn ones. */
function provedIds(
  previous: SnapshotReader | undefined,
  names: readonly ListName[],
): ReadonlySet<string> | undefined {
  if (previous === undefined) return undefined;
  const proved = new Set<string>();
  for (const { list, agreed } of previous.manifest.proof) if (agreed) proved.add(list);
  if (!names.every((name) => proved.has(name))) return undefined;
  const ids = new Set<string>();
  for (const name of names) {
    for (const { id } of previous.refs(name)) {
      if (previous.digestOf("withdrawn", `${name}/${id}`) === undefined) ids.add(id);
    }
  }
  return ids;
}

function save(context: CrawlContext, lists: Lists, name: ListName, walk: Walked): void {
  const { malformed, total, ...list } = walk.list;
  for (const problem of malformed) addProblem(context, problem);
  if (isWatched(name)) lists.walked.set(name, walk.list);
  lists.saved[name] = context.store.snapshots.saveList(list);
  lists.proofs.set(name, walk.proof);
}

/** The private images: what the index shows more when it is asked for them. */
async function walkPrivate(
  context: CrawlContext,
  previous: SnapshotReader | undefined,
  lists: Lists,
): Promise<void> {
  const walked = await orGap(context, previous, lists, "images.private", () =>
    walkIndex(context, {
      collection: "images",
      name: "images.private",
      listing: 1,
      urlOf: context.routes.privateUrlOf,
      known: provedIds(previous, ["images", "images.private"]),
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
 * A list's result; undefined where it could not be had. An optional list that the origin refuses twice, or once
 * where the last snapshot has none either, is taken for absent, unless that snapshot has items of it; everything
 * else is a gap, in which the last snapshot's list stays. Without the articles there is nothing to go on with.
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
  const before = previous?.list(name);
  const known = previous !== undefined && before === undefined;
  try {
    const result = await (known ? work() : refusedTwice(work));
    context.patience.answered();
    return result;
  } catch (error) {
    if (!(error instanceof ApiError) || name === "articles") throw error;
    const silence = optional[name];
    if (silence !== undefined && error.status === 401) await checkToken(context);
    else if (!isItemFailure(error)) throw error;
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

/**
 * Categories or tags: all of them in one answer, which is asked for again until two in a row have the same items,
 * unless the last snapshot had just these.
 */
async function readAll(
  context: CrawlContext,
  index: "categories" | "tags",
  known: ReadonlySet<string> | undefined,
): Promise<{ refs: Ref[]; proof: ListProof }> {
  const { draft, store, config } = context;
  const url = context.routes.urlOf({ route: "all", index }) as string;
  const usable = ({ refs }: Ingested): boolean =>
    refs.every((ref) => store.objects.has(ref.digest));
  let before = known;
  let confirmedBy: ListProof["confirmedBy"];
  let passes = 0;
  let read: Whole;
  do {
    passes++;
    read = await draft.once(
      `all ${index}, ${draft.listing}.${passes}`,
      () => ask<Whole>(context, { url, read: (answer) => readItems(context, index, url, answer) }),
      usable,
    );
    const ids = new Set(read.refs.map(({ id }) => id));
    const same = before?.size === ids.size && [...ids].every((id) => before?.has(id));
    if (same) confirmedBy = passes === 1 ? "the last snapshot" : "another pass";
    before = ids;
  } while (confirmedBy === undefined && passes < config.crawl.maxPasses);
  for (const problem of read.malformed) addProblem(context, problem);
  const refs = distinct(read.refs);
  const { expected, goesOn } = read;
  const proof = { list: index, collected: refs.length, expected, pages: 1, passes };
  if (confirmedBy !== undefined && !goesOn) {
    return { refs, proof: { ...proof, agreed: true, confirmedBy } };
  }
  const remark = goesOn ? "the origin names more than it gave" : "the passes differ";
  return { refs, proof: { ...proof, agreed: false, remark } };
}

/** A list that should be whole in one answer. */
interface Whole extends Ingested {
  /** The total that the answer gives; null where it gives none, as the document has it. */
  expected: number | null;
  /** Whether the answer says that there is more than it has. */
  goesOn: boolean;
}

/** @throws ApiError where the answer has no array */
function readItems(
  context: CrawlContext,
  index: "categories" | "tags",
  url: string,
  { text, value }: KeptAnswer,
): Whole {
  const data = openAnswer(text)?.data;
  const source = `GET /${index}`;
  if (!data?.startsWith("[")) {
    throw contractError(source, url, "unexpected answer: data: expected an array");
  }
  const items = ingestList(context, index, source, data, value);
  const expected = WireEnvelope.safeParse(value).data?.meta?.total ?? null;
  const size = items.refs.length + items.malformed.length;
  return { ...items, expected, goesOn: (expected ?? 0) > size || namesNext(value) === true };
}

/** Each id once, where it is first. */
function distinct(refs: Ref[]): Ref[] {
  const found = new Map<string, Ref>();
  for (const ref of refs) if (!found.has(ref.id)) found.set(ref.id, ref);
  return [...found.values()];
}
