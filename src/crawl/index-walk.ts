import { isDeepStrictEqual } from "node:util";
import { ApiError } from "../errors.ts";
import type { Remark } from "../lib/reporter.ts";
import type { MediaKind, Parent } from "../routes/table.ts";
import type { ListName } from "../store/list-names.ts";
import type { SnapshotReader } from "../store/reader.ts";
import type { ListProof, Ref } from "../store/snapshots.ts";
import { needsAnother, proveIndex, type Terms, unsettledIn, verdictOf } from "./completeness.ts";
import type { CrawlContext } from "./context.ts";
import { itemFailureOf } from "./failures.ts";
import { joinPages, type Page, type PagedList, readLimited, readPage } from "./page.ts";
import { type ReadPages, readHead, readPages } from "./pages.ts";
import { isUnstable, movesRows, type Pass, passOf } from "./pass.ts";
import { isWatched, type Watched, withVanished } from "./plan.ts";
import { findObject } from "./single-images.ts";

/** A list that a crawl walks. */
export type WalkedName = Parent | MediaKind | "images.private" | "categories" | "tags";

/** What a list that is not paginated has in the place of pages. */
export const noPages = { perPage: 0, envelope: null, overrides: {} };

/** A walk over an index, pass by pass. */
export type IndexWalk = ReturnType<typeof startWalk>;

/**
 * Page numbers are built here; the addresses that the origin gives of other pages are not followed.
 *
 * @param number from 1, counts the walks of one crawl over this index
 */
export function startWalk(
  context: CrawlContext,
  last: SnapshotReader | undefined,
  name: WalkedName,
  number: number,
) {
  const { config, reporter } = context;
  const isPrivate = name === "images.private";
  /** The list of the last snapshot, if it has an order. */
  const before = isPrivate || isUnpaged(name) ? undefined : last && [...last.refs(name)];
  const terms: Terms = {
    // The index of private images is all that it shows when it is asked for them.
    known: knownOf(last, isPrivate ? ["images", name] : [name]),
    maxPasses: config.crawl.maxPasses,
    exact: isUnpaged(name),
    unasked: name !== "articles" && name !== "galleries",
    stored: new Set(before?.map(({ id }) => id)),
  };
  const passes: Pass[] = [];
  const seen = new Map<string, Ref>();
  let list: PagedList | undefined;
  /** An origin that was right about its end once is not asked for more. */
  let looksBehind = true;
  /** The last page that the origin names, where the list ends before it. */
  let overstated: number | undefined;

  /** Items that have to be seen again and answer alone; undefined where one of them does not. */
  const findAlone = async (pass: number): Promise<Set<string> | undefined> => {
    const ids = needsAnother(passes, terms) ? unsettledIn(passes, terms) : undefined;
    const index = isPrivate ? "images" : name;
    if (ids === undefined || !isWatched(index)) return undefined;
    const walk = `${name}, ${context.draft.listing}.${number}.${pass}`;
    return (await allAnswer(context, index, ids, walk)) ? new Set(ids) : undefined;
  };

  return {
    name,
    /** Reads all pages once. @returns whether another pass is needed to prove the list */
    async pass(): Promise<boolean> {
      const pass = passes.length + 1;
      const progress = reporter.stage(pass === 1 ? name : `${name}, pass ${pass}`);
      const { readPassPage, readHeadPage } = pageReader(context, name, `${number}.${pass}`);
      const read = readLimited(context, `index of ${name}`, async (page, first) => {
        const found = await readPassPage(page, first);
        if (page === 1) progress.expect(found.total ?? found.count);
        progress.advance(found.count);
        return found;
      });
      const found: ReadPages = isUnpaged(name)
        ? onlyPage(await read(1))
        : await readPages(config.crawl.concurrency, read, { looksBehind });
      looksBehind = found.foundBehind === true;
      overstated = found.overstated;
      const { head, grew } = await readHead(found.pages, readHeadPage);
      list = joinPages(found.pages, grew ? head : []);
      for (const ref of list.refs) seen.set(ref.id, ref);
      passes.push(passOf(found.pages, head, found.openEnd));
      progress.end();
      terms.answered = await findAlone(pass);
      return needsAnother(passes, terms);
    },
    /** If no pass is confirmed, the list has the items of all of them. @throws RangeError before the first pass */
    result() {
      if (list === undefined) throw new RangeError("no pass was made");
      const ids = verdictOf(passes, terms)?.ids;
      const proved = [...seen.values()].filter(({ id }) => ids?.has(id) !== false);
      const refs = withVanished(proved, list.refs);
      // Items with equal keys in another order are no change.
      const same = before !== undefined && isDeepStrictEqual(digestsOf(before), digestsOf(refs));
      const wasUnstable = before !== undefined && proofOf(last, name)?.unstable === true;
      const unstable = isUnstable(passes) || (wasUnstable && (same || passes.some(movesRows)));
      const found = proveIndex(name, passes, terms);
      const proof = unstable ? { ...found, unstable } : found;
      return {
        list: { ...list, ...(isUnpaged(name) ? noPages : {}), refs: same ? before : refs },
        proof,
        remarks: remarksOn(proof, overstated),
      };
    },
  };
}

/** Whether a list is one answer without page numbers, and documented without an envelope. */
function isUnpaged(name: WalkedName): name is "categories" | "tags" {
  return name === "categories" || name === "tags";
}

/** Reads pages of one pass, from the journal if a killed run has read them. */
function pageReader(context: CrawlContext, name: WalkedName, pass: string) {
  const { draft, store, behind } = context;
  const collection = name === "images.private" ? "images" : name;
  const endpoint = isUnpaged(name) ? undefined : name;
  const read = (kind: "page" | "head", number: number, first?: Page): Promise<Page> =>
    draft.once(
      `${kind} ${number} of ${name}, ${draft.listing}.${pass}`,
      () => {
        const url = urlOfPage(context, name, number) as string;
        return readPage(context, collection, url, { number, endpoint, first });
      },
      (page) => page.refs.every((ref) => store.objects.has(ref.digest)),
    );
  return {
    readHeadPage: (number: number): Promise<Page> => read("head", number),
    /** One that is empty, or fails behind the last one, shows how the origin answers there. */
    async readPassPage(number: number, first?: Page): Promise<Page> {
      // An empty list has no end to look behind.
      const isFurther = first !== undefined && first.count > 0;
      const isBehind = isFurther && number > (first.lastPage ?? 1);
      try {
        const page = await read("page", number, first);
        // An empty page that is named may be a fault of the moment: what was learnt behind the end counts for more.
        if (isFurther && page.count === 0 && (isBehind || !behind.has(name))) {
          const envelope = (isBehind && page.envelope) || undefined;
          behind.set(name, { status: 200, envelope });
        }
        return page;
      } catch (error) {
        if (isBehind && error instanceof ApiError && noPage.has(error.status)) {
          behind.set(name, { status: error.status });
        }
        throw error;
      }
    },
  };
}

/**
 * Whether each of some items answers when it is requested alone. The first one that does not ends the search: the path
 * of single images is not documented, and a wrong one is missing for all.
 */
async function allAnswer(context: CrawlContext, index: Watched, ids: string[], walk: string) {
  for (const id of ids) {
    const task = `alone ${index}/${id}, ${walk}`;
    if (!(await context.draft.once(task, () => answers(context, index, id)))) return false;
  }
  return true;
}

async function answers(context: CrawlContext, index: Watched, id: string): Promise<boolean> {
  const url = context.routes.urlOf({ route: "single", index, id });
  if (url === undefined) return false;
  try {
    return findObject((await context.client.json(url)).text, id) !== undefined;
  } catch (error) {
    await itemFailureOf(context, error);
    return false;
  }
}

/** Address of a page of a list; undefined where the configuration says that there is no such list. */
export function urlOfPage({ routes }: CrawlContext, name: WalkedName, page: number) {
  if (name === "images.private") return routes.privateUrlOf(page);
  if (isUnpaged(name)) return routes.urlOf({ route: "all", index: name });
  return routes.urlOf({ route: "index", index: name, page });
}

function digestsOf(refs: readonly Ref[]): Map<string, string> {
  return new Map(refs.map(({ id, digest }) => [id, digest]));
}

/** What lists held together at the last snapshot, if all of them were proved; without what the origin has removed. */
function knownOf(last: SnapshotReader | undefined, names: readonly ListName[]): Terms["known"] {
  if (last === undefined) return undefined;
  const ids = new Set<string>();
  let doubles = 0;
  for (const name of names) {
    const proof = proofOf(last, name);
    if (proof?.agreed !== true) return undefined;
    doubles += Math.max(0, (proof.expected ?? 0) - proof.collected);
    for (const { id } of last.refs(name)) {
      if (last.digestOf("withdrawn", `${name}/${id}`) === undefined) ids.add(id);
    }
  }
  return { ids, rows: ids.size + doubles };
}

function proofOf(snapshot: SnapshotReader | undefined, name: ListName): ListProof | undefined {
  return snapshot?.manifest.proof.find(({ list }) => list === name);
}

/** Statuses that mean "there is no such page". */
const noPage = new Set([400, 404, 410, 416, 422]);

/** An answer that should be the whole list. */
function onlyPage(page: Page): ReadPages {
  const goesOn = page.more === true || (page.total ?? 0) > page.count;
  const openEnd = goesOn ? "the origin names more items than it gave" : undefined;
  return { pages: [page], openEnd };
}

/** What is odd about a list. */
function* remarksOn(proof: ListProof, overstated: number | undefined): Generator<Remark> {
  const { list, collected, expected, pages, agreed, unstable } = proof;
  const subject = `index of ${list}`;
  if (unstable) {
    const reason = "its order changes from request to request, so one reading misses some items";
    yield { subject, reason, hint: "sort it at the origin by a key that no two items share" };
  } else if (agreed && (expected ?? 0) > collected) {
    const reason = `its ${expected} rows are ${collected} items, the same in every reading`;
    yield { subject, reason, hint: "what the origin lists nowhere cannot be archived" };
  }
  if (overstated !== undefined) {
    const reason = `names ${overstated} pages, but there is nothing new after page ${pages}`;
    yield { subject, reason };
  }
}
