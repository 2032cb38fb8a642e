import { ApiError } from "../errors.ts";
import type { Remark } from "../lib/reporter.ts";
import type { ItemCollection } from "../store/records.ts";
import type { ListProof, Ref } from "../store/snapshots.ts";
import { needsAnother, proveIndex, verdictOf } from "./completeness.ts";
import type { CrawlContext } from "./context.ts";
import {
  idsOf,
  joinPages,
  type Page,
  type PagedList,
  type PageWalk,
  readPages,
  readPage as requestPage,
} from "./pages.ts";
import {
  hasRepeats,
  isSteady,
  type Known,
  type Pass,
  passOf,
  sameRows,
  type Verdict,
} from "./pass.ts";
import { withVanished } from "./plan.ts";

/** A walk over an index. */
export interface Walked {
  list: PagedList;
  proof: ListProof;
  /** What is odd about the list, without being a gap. */
  remarks: Remark[];
}

/** What is to be walked. */
export interface Walk {
  collection: ItemCollection;
  /** How the list is called in the journal, the proof and the progress line. */
  name: string;
  /** Tells repeated walks of one crawl apart. */
  listing: number;
  /** Address of page n, from 1. */
  urlOf: (page: number) => string;
  /** The list as it was last proved complete, if it was. */
  known?: Known | undefined;
  /** Whether the whole list is one answer without page numbers. */
  unpaged?: boolean;
  /** The list of the last snapshot. */
  before?: { refs: readonly Ref[]; unstable: boolean } | undefined;
}

/** A walk over an index, pass by pass. */
export interface IndexWalk {
  /**
   * Reads all pages once.
   *
   * @returns whether another pass is needed: none of them continues the one before it or the last proved listing,
   *   and `maxPasses` are not reached
   */
  pass(): Promise<boolean>;
  /**
   * What the passes have brought. Where none is confirmed, the list has the items of all of them: one that was
   * carried past one reader was seen by another.
   *
   * @throws RangeError before the first pass
   */
  result(): Walked;
}

/** Begins a walk. Page numbers are built here; the addresses that the origin gives of other pages are not followed. */
export function beginWalk(context: CrawlContext, walk: Walk): IndexWalk {
  const { collection, name, listing, urlOf, known, unpaged = false } = walk;
  const { draft, config, reporter, store } = context;
  const usable = (page: Page): boolean => page.refs.every((ref) => store.objects.has(ref.digest));
  // Categories and tags are documented without an envelope.
  const endpoint = unpaged ? undefined : name;
  const unasked = collection !== "articles" && collection !== "galleries";
  const stored = new Set(walk.before?.refs.map(({ id }) => id));
  const terms = { known, maxPasses: config.crawl.maxPasses, exact: unpaged, unasked, stored };
  const passes: Pass[] = [];
  const seen = new Map<string, Ref>();
  let list: PagedList | undefined;
  let beyond = true;
  let named: number | undefined;
  return {
    async pass() {
      const number = passes.length + 1;
      const pass = `${draft.listing}.${listing}.${number}`;
      const progress = reporter.stage(number === 1 ? name : `${name}, pass ${number}`);
      const read = (kind: "page" | "head", number: number, first?: Page): Promise<Page> =>
        draft.once(
          `${kind} ${number} of ${name}, ${pass}`,
          () => requestPage(context, collection, urlOf(number), { number, endpoint, first }),
          usable,
        );
      const readPage = async (number: number, first?: Page): Promise<Page> => {
        const page = await readNoting(context, name, { number, first }, () =>
          read("page", number, first),
        );
        if (number === 1) progress.expect(page.total ?? page.count);
        progress.advance(page.count);
        return page;
      };
      const walked = unpaged
        ? onlyPage(await readPage(1))
        : await readPages(config.crawl.concurrency, readPage, { beyond });
      const { pages, unended } = walked;
      // Who was right about its end once is not asked for more again.
      beyond = walked.beyond === true;
      named = walked.named;
      const { head, grew } = await readHead(pages, (number) => read("head", number));
      list = joinPages(pages, grew ? head : []);
      for (const ref of list.refs) seen.set(ref.id, ref);
      passes.push(passOf(pages, head, unended));
      progress.end();
      return needsAnother(passes, terms);
    },
    result() {
      if (list === undefined) throw new RangeError("no pass was made");
      const proof = proveIndex(name, passes, terms);
      const whole = wholeList(list, seen, walk, verdictOf(passes, terms));
      const unstable = isUnstable(passes, walk, whole);
      const remarks = remarksOn(proof, unstable, named);
      return {
        list: { ...list, ...(unpaged ? noPages : {}), refs: whole.refs },
        proof: unstable ? { ...proof, unstable: true } : proof,
        remarks,
      };
    },
  };
}

/** What a list that is not paginated has in the place of pages. */
export const noPages = { perPage: 0, envelope: null, overrides: {} };

/** An answer that should be the whole list. */
function onlyPage(page: Page): PageWalk {
  const goesOn = page.more === true || (page.total ?? 0) > page.count;
  const unended = "the origin names more items than it gave";
  return { pages: [page], ...(goesOn ? { unended } : {}) };
}

/**
 * The items of the list, and whether they are the same as at the last snapshot. Then they keep their order: that of
 * items with equal keys may be another one with each request, and says nothing new. Where nothing proves the list,
 * it has what any pass has seen.
 */
function wholeList(
  list: PagedList,
  seen: ReadonlyMap<string, Ref>,
  { before }: Walk,
  verdict: Verdict | undefined,
): { refs: Ref[]; same: boolean } {
  const found = [...seen.values()].filter(({ id }) => verdict === undefined || verdict.ids.has(id));
  const refs = withVanished(found, list.refs);
  const digests = new Map(refs.map(({ id, digest }) => [id, digest]));
  const same =
    before?.refs.length === refs.length &&
    before.refs.every(({ id, digest }) => digests.get(id) === digest);
  return same ? { refs: [...before.refs], same } : { refs, same };
}

/** What is odd about a list. */
function remarksOn(proof: ListProof, unstable: boolean, named: number | undefined): Remark[] {
  const { list, collected, expected, pages, agreed } = proof;
  const subject = `index of ${list}`;
  const remarks: Remark[] = [];
  if (unstable) {
    const reason = "its order changes from request to request, so one reading misses some items";
    const hint = "sort it at the origin by a key that no two items share";
    remarks.push({ subject, reason, hint });
  } else if (agreed && (expected ?? 0) > collected) {
    const reason = `its ${expected} rows are ${collected} items, the same in every reading`;
    remarks.push({ subject, reason, hint: "what the origin lists nowhere cannot be archived" });
  }
  if (named !== undefined) {
    const reason = `names ${named} pages, but there is nothing new after page ${pages}`;
    remarks.push({ subject, reason });
  }
  return remarks;
}

/** Whether the order of a list changes from request to request: two passes show it, or one as at the last snapshot. */
function isUnstable(
  passes: readonly Pass[],
  { before }: Walk,
  { same }: { same: boolean },
): boolean {
  const moved = passes.filter((pass) => isSteady(pass) && hasRepeats(pass));
  const [first] = moved;
  if (first !== undefined && moved.some((pass) => !sameRows(pass, first))) return true;
  return before?.unstable === true && (same || moved.length > 0);
}

/**
 * Page 1 once more, because items that were added during the walk pushed others onto pages that had been read;
 * and the pages after it as long as they hold items that were not seen. A list of one page was read at once.
 */
async function readHead(
  pages: readonly Page[],
  read: (number: number) => Promise<Page>,
): Promise<{ head: Page[]; grew: boolean }> {
  if (pages.length === 1) return { head: [], grew: false };
  const head = [await read(1)];
  const first = new Set(idsOf(pages[0]));
  if (idsOf(head[0]).every((id) => first.has(id))) return { head, grew: false };
  const seen = new Set(pages.flatMap(idsOf));
  const isNew = (page: Page | undefined): boolean => idsOf(page).some((id) => !seen.has(id));
  const grew = isNew(head[0]);
  while (head.length < pages.length && isNew(head.at(-1))) head.push(await read(head.length + 1));
  return { head, grew };
}

/** Statuses that mean "there is no such page". */
const noPage = new Set([400, 404, 410, 416, 422]);

/** Reads a page of an index. The one behind the last shows how the origin answers there: empty, or with an error. */
async function readNoting(
  { behind }: Pick<CrawlContext, "behind">,
  index: string,
  { number, first }: { number: number; first: Page | undefined },
  read: () => Promise<Page>,
): Promise<Page> {
  const isBehind = first !== undefined && first.count > 0 && number > (first.lastPage ?? number);
  try {
    const { envelope, ...page } = await read();
    if (isBehind && page.count === 0) {
      behind.set(index, { status: 200, ...(envelope === null ? {} : { envelope }) });
    }
    return { ...page, envelope };
  } catch (error) {
    if (isBehind && error instanceof ApiError && noPage.has(error.status)) {
      behind.set(index, { status: error.status });
    }
    throw error;
  }
}
