import { ApiError } from "../errors.ts";
import type { Problem } from "../lib/reporter.ts";
import { plural } from "../lib/words.ts";
import { mediaKinds, type Parent, parents } from "../routes/table.ts";
import type { ListName } from "../store/list-names.ts";
import type { SnapshotReader } from "../store/reader.ts";
import type { ListManifest, ListProof, Ref } from "../store/snapshots.ts";
import { brake } from "./brake.ts";
import { addProblem, addRemark, type CrawlContext } from "./context.ts";
import { isRefusal, itemFailureOf, refusedTwice } from "./failures.ts";
import { beginWalk, type IndexWalk } from "./index-walk.ts";
import type { PagedList } from "./pages.ts";
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
  /** Of the image index where it was refused, to be told when it is known how many pictures that concerns. */
  refusedImages?: Problem;
}

type PagedName = Parent | (typeof mediaKinds)[number];
type ReadName = PagedName | "images.private" | "categories" | "tags";

/** What lists are read with. */
interface Reader {
  context: CrawlContext;
  previous: SnapshotReader | undefined;
  lists: Lists;
}

/** A list that is read, if need be several times. */
interface Reading {
  name: ReadName;
  walk: IndexWalk;
}

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
  const reader = { context, previous, lists };
  const names: ReadName[] = [...parents, ...mediaKinds];
  if (context.config.crawl.privateImages === "include") names.push("images.private");
  names.push("categories", "tags");
  await readInTurns(
    reader,
    names.map((name) => readingOf(reader, name)),
  );
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
  const reader = { context, previous, lists };
  await readInTurns(reader, [readingOf(reader, index, listing)]);
}

/** Reads each list in its turn, until none must be read again, and then saves them in their order. */
async function readInTurns(
  reader: Reader,
  readings: readonly (Reading | undefined)[],
): Promise<void> {
  const all = readings.filter((reading) => reading !== undefined);
  const saves = new Map<Reading, () => void>();
  const refused = new Set<Reading>();
  for (let open = all; open.length > 0; ) {
    const again: Reading[] = [];
    for (const reading of open) {
      const outcome = await passOrGap(reader, reading, refused.has(reading));
      if (outcome === "refused") refused.add(reading);
      if (outcome === "refused" || outcome === "again") again.push(reading);
      else saves.set(reading, outcome === "read" ? () => save(reader, reading) : outcome);
    }
    open = again;
  }
  for (const reading of all) saves.get(reading)?.();
}

/** Undefined where the configuration says that there is no such list. */
function readingOf(
  { context, previous }: Reader,
  name: ReadName,
  listing = 1,
): Reading | undefined {
  const { routes } = context;
  const isPrivate = name === "images.private";
  const unpaged = name === "categories" || name === "tags";
  const urlOf = (page: number): string | undefined => {
    if (isPrivate) return routes.privateUrlOf(page);
    if (unpaged) return routes.urlOf({ route: "all", index: name });
    return routes.urlOf({ route: "index", index: name, page });
  };
  if (urlOf(1) === undefined) return undefined;
  const walk = beginWalk(context, {
    collection: isPrivate ? "images" : name,
    name,
    listing,
    urlOf: (page) => urlOf(page) as string,
    // The index of private images is all that it shows when it is asked for them.
    known: knownOf(previous, isPrivate ? ["images", name] : [name]),
    unpaged,
    before:
      previous === undefined || isPrivate || unpaged
        ? undefined
        : {
            refs: [...previous.refs(name)],
            unstable: proofOf(previous, name)?.unstable === true,
          },
  });
  return { name, walk };
}

/** @throws GuardError where too much has vanished */
function save({ context, previous, lists }: Reader, { name, walk }: Reading): void {
  const { list: read, proof, remarks } = walk.result();
  const { malformed, total, rows, ...list } = read;
  for (const problem of malformed) addProblem(context, problem);
  for (const remark of remarks) addRemark(context, remark);
  if (isWatched(name)) lists.walked.set(name, read);
  else if (name !== "images.private") brakeAlone(context, previous, name, list.refs);
  const { images } = lists.saved;
  if (name === "images.private" && images !== undefined) {
    const listed = new Set([...context.store.snapshots.refs(images)].map(({ id }) => id));
    list.refs = list.refs.filter(({ id }) => !listed.has(id));
  }
  lists.saved[name] = context.store.snapshots.saveList(list);
  lists.proofs.set(name, proof);
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

/** Whether an origin need not have a list: the document does not show its path, or it is not for every token. */
function isOptional({ config }: CrawlContext, name: ListName): boolean {
  if (name === "images.private") return config.origin.tokenKind !== "organisation";
  return name === "videos" || name === "documents" || name === "audio";
}

/**
 * Reads a list once: "again" where it must be read once more, "refused" where that is because the origin refused it
 * for the first time, which may be a fault of the moment. What could not be had is told by a function that says so
 * in place of `save`: an optional list that the origin refuses twice, or once where the last snapshot
 * has none either, is taken for absent, unless that snapshot has items of it; everything else is a gap, in which
 * the last snapshot's list stays. Without the articles there is nothing to go on with.
 *
 * @param refused whether the origin has refused it before
 * @throws ApiError when the token is refused, the origin stopped answering, or there is no article index
 */
async function passOrGap(
  { context, previous, lists }: Reader,
  { name, walk }: Reading,
  refused: boolean,
): Promise<"read" | "again" | "refused" | (() => void)> {
  const before = previous?.list(name);
  const known = previous !== undefined && before === undefined;
  try {
    const again = await (name === "articles" ? refusedTwice(walk.pass) : walk.pass());
    context.patience.answered();
    return again ? "again" : "read";
  } catch (error) {
    if (!(error instanceof ApiError) || name === "articles") throw error;
    await itemFailureOf(context, error);
    // How the configuration says that there is no such list, at this origin or for this token.
    const isPrivate = name === "images.private";
    const silence = isPrivate ? 'crawl.privateImages: "exclude"' : `origin.paths.${name}: null`;
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
    const hint = isRefusal(error) ? `set ${silence} ${when}` : error.hint;
    const reason = `${error.message}${kept}`;
    const problem = { subject: labelOf(name), reason, ...(hint === undefined ? {} : { hint }) };
    return () => {
      leaveGap(lists, name, before, error);
      if (name === "images" && isRefusal(error) && !expected) lists.refusedImages = problem;
      else addProblem(context, problem);
    };
  }
}

/** Says of an image index that was refused what it would mean to do without it. */
export function tellRefusedImages(context: CrawlContext, lists: Lists, attached: number): void {
  if (lists.refusedImages === undefined) return;
  const { hint, ...problem } = lists.refusedImages;
  const pictures = plural(attached, "attached image");
  const without = `without that index nothing proves that ${pictures} are public, and media.unproved decides whether they are published`;
  addProblem(context, { ...problem, hint: `${hint}; ${without}` });
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
