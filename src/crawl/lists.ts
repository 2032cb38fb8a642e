import { WireEnvelope } from "../api/schema.ts";
import { ApiError } from "../errors.ts";
import { mediaKinds, type Parent, parents } from "../routes/table.ts";
import type { ListName } from "../store/list-names.ts";
import type { SnapshotReader } from "../store/reader.ts";
import type { ListManifest, ListProof, Ref } from "../store/snapshots.ts";
import { ask, type KeptAnswer } from "./ask.ts";
import { brake } from "./brake.ts";
import { addProblem, addRemark, type CrawlContext } from "./context.ts";
import { contractError, isRefusal, itemFailureOf, refusedTwice } from "./failures.ts";
import { beginWalk, type Walked } from "./index-walk.ts";
import { type Ingested, ingestList, openAnswer } from "./ingest.ts";
import { namesNext, type PagedList } from "./pages.ts";
import type { Known } from "./pass.ts";
import { type Watched, watched } from "./plan.ts";

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

/**
 * Reads all indexes, the categories and the tags. What has to be read again is read after all others, so that a fault
 * of the moment is not met twice.
 */
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
  const readings = [...parents, ...mediaKinds].map((index) =>
    readingOfIndex(context, previous, lists, index, 1),
  );
  if (context.config.crawl.privateImages === "include") {
    readings.push(readingOfPrivate(context, previous, lists));
  }
  for (const index of ["categories", "tags"] as const) {
    readings.push(readingOfAll(context, previous, lists, index));
  }
  await readInTurns(context, previous, lists, readings);
  return lists;
}

/** Reads one index again, and saves its list. */
export async function walkList(
  context: CrawlContext,
  previous: SnapshotReader | undefined,
  lists: Lists,
  index: PagedName,
  listing: number,
): Promise<void> {
  const reading = readingOfIndex(context, previous, lists, index, listing);
  await readInTurns(context, previous, lists, [reading]);
}

/** A list that is read, if need be several times. */
interface Reading {
  name: ListName;
  /** Reads it once. @returns whether it must be read again */
  pass(): Promise<boolean>;
  /** Saves what was read. @throws GuardError where too much has vanished */
  save(): void;
}

/** Reads each list in its turn, until none must be read again, and then saves them in their order. */
async function readInTurns(
  context: CrawlContext,
  previous: SnapshotReader | undefined,
  lists: Lists,
  readings: readonly (Reading | undefined)[],
): Promise<void> {
  const all = readings.filter((reading) => reading !== undefined);
  const saves = new Map<Reading, () => void>();
  const refused = new Set<Reading>();
  for (let open = all; open.length > 0; ) {
    const again: Reading[] = [];
    for (const reading of open) {
      const { save } = reading;
      const last = refused.has(reading);
      const outcome = await passOrGap(context, previous, lists, reading, last);
      if (outcome === "refused") refused.add(reading);
      if (outcome === "refused" || outcome === "again") again.push(reading);
      else saves.set(reading, outcome === "read" ? save : outcome);
    }
    open = again;
  }
  for (const reading of all) saves.get(reading)?.();
}

function readingOfIndex(
  context: CrawlContext,
  previous: SnapshotReader | undefined,
  lists: Lists,
  index: PagedName,
  listing: number,
): Reading | undefined {
  const urlOf = (page: number) => context.routes.urlOf({ route: "index", index, page });
  if (urlOf(1) === undefined) return undefined;
  const walk = beginWalk(context, {
    collection: index,
    name: index,
    listing,
    urlOf: (page) => urlOf(page) as string,
    known: knownOf(previous, [index]),
    before: previous && {
      refs: [...previous.refs(index)],
      unstable: proofOf(previous, index)?.unstable === true,
    },
  });
  return {
    name: index,
    pass: walk.pass,
    save() {
      const walked = walk.result();
      if (!isWatched(index)) brakeAlone(context, previous, index, walked.list.refs);
      save(context, lists, index, walked);
    },
  };
}

function isWatched(index: ListName): index is Watched {
  return watched.some((one) => one === index);
}

/** The brake of a list whose items cannot be asked for one by one. @throws GuardError */
function brakeAlone(
  { config }: CrawlContext,
  previous: SnapshotReader | undefined,
  name: ListName,
  refs: readonly Ref[],
): void {
  const before = previous?.list(name)?.count ?? 0;
  const present = new Set(refs.map(({ id }) => id));
  const gone = [...(previous?.refs(name) ?? [])].filter(({ id }) => !present.has(id));
  brake(config.crawl.maxRemoved, [{ name, before, gone: gone.map(({ id }) => `${name}/${id}`) }]);
}

/** What lists held together at the last snapshot, if all of them were proved; without those that the origin has removed. */
function knownOf(
  previous: SnapshotReader | undefined,
  names: readonly ListName[],
): Known | undefined {
  if (previous === undefined) return undefined;
  const ids = new Set<string>();
  let doubles = 0;
  for (const name of names) {
    const proof = proofOf(previous, name);
    if (proof?.agreed !== true) return undefined;
    doubles += Math.max(0, (proof.expected ?? 0) - proof.collected);
    for (const { id } of previous.refs(name)) {
      if (previous.digestOf("removed", `${name}/${id}`) === undefined) ids.add(id);
    }
  }
  return { ids, rows: ids.size + doubles };
}

function proofOf({ manifest }: SnapshotReader, name: ListName): ListProof | undefined {
  return manifest.proof.find(({ list }) => list === name);
}

function save(context: CrawlContext, lists: Lists, name: ListName, walk: Walked): void {
  const { malformed, total, rows, ...list } = walk.list;
  for (const problem of malformed) addProblem(context, problem);
  for (const remark of walk.remarks) addRemark(context, remark);
  if (isWatched(name)) lists.walked.set(name, walk.list);
  lists.saved[name] = context.store.snapshots.saveList(list);
  lists.proofs.set(name, walk.proof);
}

/** The private images: what the index shows more when it is asked for them. */
function readingOfPrivate(
  context: CrawlContext,
  previous: SnapshotReader | undefined,
  lists: Lists,
): Reading {
  const walk = beginWalk(context, {
    collection: "images",
    name: "images.private",
    listing: 1,
    urlOf: context.routes.privateUrlOf,
    known: knownOf(previous, ["images", "images.private"]),
  });
  return {
    name: "images.private",
    pass: walk.pass,
    save() {
      const walked = walk.result();
      const listed = new Set<string>();
      const saved = lists.saved.images;
      if (saved !== undefined) {
        for (const { id } of context.store.snapshots.refs(saved)) listed.add(id);
      }
      const refs = walked.list.refs.filter(({ id }) => !listed.has(id));
      save(context, lists, "images.private", { ...walked, list: { ...walked.list, refs } });
    },
  };
}

/**
 * Categories or tags: all of them in one answer, which is asked for again until two in a row have the same items,
 * unless the last snapshot had just these.
 */
function readingOfAll(
  context: CrawlContext,
  previous: SnapshotReader | undefined,
  lists: Lists,
  index: "categories" | "tags",
): Reading | undefined {
  const { draft, store, config, routes } = context;
  const url = routes.urlOf({ route: "all", index });
  if (url === undefined) return undefined;
  const usable = ({ refs }: Ingested): boolean =>
    refs.every((ref) => store.objects.has(ref.digest));
  let before = knownOf(previous, [index])?.ids;
  let confirmedBy: ListProof["confirmedBy"];
  let passes = 0;
  let read: Whole | undefined;
  return {
    name: index,
    async pass() {
      read = await draft.once(
        `all ${index}, ${draft.listing}.${passes + 1}`,
        () =>
          ask<Whole>(context, { url, read: (answer) => readItems(context, index, url, answer) }),
        usable,
      );
      passes++;
      const ids = new Set(read.refs.map(({ id }) => id));
      const same = before?.size === ids.size && [...ids].every((id) => before?.has(id));
      if (same) confirmedBy = passes === 1 ? "the last snapshot" : "another pass";
      before = ids;
      return confirmedBy === undefined && passes < config.crawl.maxPasses;
    },
    save() {
      if (read === undefined) throw new RangeError("no pass was made");
      for (const problem of read.malformed) addProblem(context, problem);
      const refs = distinct(read.refs);
      brakeAlone(context, previous, index, refs);
      lists.saved[index] = store.snapshots.saveList({ ...unpaged, refs });
      const { expected, goesOn } = read;
      const proof = { list: index, collected: refs.length, expected, pages: 1, passes };
      const remark = goesOn ? "the origin names more items than it gave" : "the passes differ";
      const proved = confirmedBy !== undefined && !goesOn;
      lists.proofs.set(
        index,
        proved ? { ...proof, agreed: true, confirmedBy } : { ...proof, agreed: false, remark },
      );
    },
  };
}

/** How the configuration says that there is no such list, at this origin or for this token. */
const silences: Partial<Record<ListName, string>> = {
  galleries: "origin.paths.galleries: null",
  images: "origin.paths.images: null",
  categories: "origin.paths.categories: null",
  tags: "origin.paths.tags: null",
  videos: "origin.paths.videos: null",
  documents: "origin.paths.documents: null",
  audio: "origin.paths.audio: null",
  "images.private": 'crawl.privateImages: "exclude"',
};

/** Whether an origin need not have a list: the document does not show its path, or it is not for every token. */
function isOptional({ config }: CrawlContext, name: ListName): boolean {
  if (name === "images.private") return config.origin.tokenKind !== "organisation";
  return name === "videos" || name === "documents" || name === "audio";
}

/**
 * Reads a list once: "again" where it must be read once more, "refused" where that is because the origin refused it
 * for the first time, which may be a fault of the moment. What could not be had is told by a function that says so
 * in place of the reading's `save`: an optional list that the origin refuses twice, or once where the last snapshot
 * has none either, is taken for absent, unless that snapshot has items of it; everything else is a gap, in which
 * the last snapshot's list stays. Without the articles there is nothing to go on with.
 *
 * @param refused whether the origin has refused it before
 * @throws ApiError when the token is refused, the origin stopped answering, or there is no article index
 */
async function passOrGap(
  context: CrawlContext,
  previous: SnapshotReader | undefined,
  lists: Lists,
  { name, pass }: Reading,
  refused: boolean,
): Promise<"read" | "again" | "refused" | (() => void)> {
  const before = previous?.list(name);
  const known = previous !== undefined && before === undefined;
  try {
    const again = await (name === "articles" ? refusedTwice(pass) : pass());
    context.patience.answered();
    return again ? "again" : "read";
  } catch (error) {
    if (!(error instanceof ApiError) || name === "articles") throw error;
    await itemFailureOf(context, error);
    const silence = silences[name];
    if (isRefusal(error) && !known && !refused) return "refused";
    const expected = (before?.count ?? 0) > 0;
    if (isOptional(context, name) && isRefusal(error) && !expected) {
      context.patience.answered();
      const text = `this origin has no ${labelOf(name)}: ${error.message}`;
      return () => context.reporter.warn(text, `set ${silence} if that is right`);
    }
    if (!isRefusal(error)) await context.patience.failed(error);
    const kept =
      before === undefined ? "" : ` (kept the ${before.count} items of the last snapshot)`;
    const when = expected ? "if it is gone for good" : "if this token has none";
    const untold = name === "images" && isRefusal(error) && !expected ? unprovedHint : "";
    const hint = isRefusal(error) && silence ? `set ${silence} ${when}${untold}` : error.hint;
    const reason = `${error.message}${kept}`;
    const problem = { subject: labelOf(name), reason, ...(hint === undefined ? {} : { hint }) };
    return () => {
      leaveGap(lists, name, before, error);
      addProblem(context, problem);
    };
  }
}

const unprovedHint =
  "; without that index nothing proves that attached images are public, and media.unproved decides whether they are published";

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
