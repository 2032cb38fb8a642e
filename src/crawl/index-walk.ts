import { ApiError } from "../errors.ts";
import type { Remark } from "../lib/reporter.ts";
import type { MediaKind, Parent } from "../routes/table.ts";
import type { ListName } from "../store/list-names.ts";
import type { SnapshotReader } from "../store/reader.ts";
import type { ListProof, Ref } from "../store/snapshots.ts";
import { type Known, needsAnother, proveIndex, type Terms, verdictOf } from "./completeness.ts";
import type { CrawlContext } from "./context.ts";
import { joinPages, type Page, type PagedList, readPage } from "./page.ts";
import { type ReadPages, readHead, readPages } from "./pages.ts";
import { isUnstable, movesRows, type Pass, passOf } from "./pass.ts";
import { withVanished } from "./plan.ts";

/** A list that a crawl walks. */
export type WalkedName = Parent | MediaKind | "images.private" | "categories" | "tags";

/** What a list that is not paginated has in the place of pages. */
export const noPages = { perPage: 0, envelope: null, overrides: {} };

/**
 * A walk over an index, pass by pass. Page numbers are built here; the addresses that the origin gives of other pages
 * are not followed.
 */
export class IndexWalk {
  /** How the list is called in the journal, the proof and the progress line. */
  readonly name: WalkedName;
  readonly #context: CrawlContext;
  /** From 1, counts the walks of one crawl over this index. */
  readonly #number: number;
  /** Whether the whole list is one answer without page numbers. */
  readonly #unpaged: boolean;
  /** The list of the last snapshot, if it has an order. */
  readonly #before: readonly Ref[] | undefined;
  readonly #wasUnstable: boolean;
  readonly #terms: Terms;
  readonly #passes: Pass[] = [];
  readonly #seen = new Map<string, Ref>();
  #list: PagedList | undefined;
  /** An origin that was right about its end once is not asked for more. */
  #looksBehind = true;
  /** The last page that the origin names, where the list ends before it. */
  #overstated: number | undefined;

  constructor(
    context: CrawlContext,
    last: SnapshotReader | undefined,
    name: WalkedName,
    number: number,
  ) {
    const isPrivate = name === "images.private";
    this.name = name;
    this.#context = context;
    this.#number = number;
    this.#unpaged = name === "categories" || name === "tags";
    this.#before = isPrivate || this.#unpaged ? undefined : last && [...last.refs(name)];
    this.#wasUnstable = this.#before !== undefined && proofOf(last, name)?.unstable === true;
    this.#terms = {
      // The index of private images is all that it shows when it is asked for them.
      known: knownOf(last, isPrivate ? ["images", name] : [name]),
      maxPasses: context.config.crawl.maxPasses,
      exact: this.#unpaged,
      unasked: name !== "articles" && name !== "galleries",
      stored: new Set(this.#before?.map(({ id }) => id)),
    };
  }

  /**
   * Reads all pages once.
   *
   * @returns whether another pass is needed: none of them continues the one before it or the last proved list,
   *   and `maxPasses` are not reached
   */
  async pass(): Promise<boolean> {
    const { config, reporter } = this.#context;
    const { name } = this;
    const pass = this.#passes.length + 1;
    const progress = reporter.stage(pass === 1 ? name : `${name}, pass ${pass}`);
    const read = async (number: number, first?: Page): Promise<Page> => {
      const page = await this.#readNoting(number, first);
      if (number === 1) progress.expect(page.total ?? page.count);
      progress.advance(page.count);
      return page;
    };
    const looksBehind = this.#looksBehind;
    const { pages, openEnd, foundBehind, overstated } = this.#unpaged
      ? onlyPage(await read(1))
      : await readPages(config.crawl.concurrency, read, { looksBehind });
    this.#looksBehind = foundBehind === true;
    this.#overstated = overstated;
    const { head, grew } = await readHead(pages, (number) => this.#read("head", number));
    this.#list = joinPages(pages, grew ? head : []);
    for (const ref of this.#list.refs) this.#seen.set(ref.id, ref);
    this.#passes.push(passOf(pages, head, openEnd));
    progress.end();
    return needsAnother(this.#passes, this.#terms);
  }

  /**
   * The list, its proof, and what is odd about it without being a gap. If no pass is confirmed, the list has the items
   * of all of them. @throws RangeError before the first pass
   */
  result(): { list: PagedList; proof: ListProof; remarks: Remark[] } {
    const list = this.#list;
    if (list === undefined) throw new RangeError("no pass was made");
    const verdict = verdictOf(this.#passes, this.#terms);
    const { refs, same } = this.#itemsOf(list, verdict?.ids);
    const unstable =
      isUnstable(this.#passes) || (this.#wasUnstable && (same || this.#passes.some(movesRows)));
    const proof = proveIndex(this.name, this.#passes, this.#terms);
    return {
      list: { ...list, ...(this.#unpaged ? noPages : {}), refs },
      proof: unstable ? { ...proof, unstable } : proof,
      remarks: remarksOn(proof, unstable, this.#overstated),
    };
  }

  /**
   * The items of the list, and whether the last snapshot has the same. Then they keep its order: another order of items
   * with equal keys is no change.
   */
  #itemsOf(list: PagedList, proved?: ReadonlySet<string>): { refs: Ref[]; same: boolean } {
    const before = this.#before;
    const found = [...this.#seen.values()].filter(({ id }) => proved?.has(id) !== false);
    const refs = withVanished(found, list.refs);
    const digests = new Map(refs.map(({ id, digest }) => [id, digest]));
    const same =
      before?.length === refs.length &&
      before.every(({ id, digest }) => digests.get(id) === digest);
    return { refs: same ? [...before] : refs, same };
  }

  /** A page of this pass, from the journal if a killed run has read it. */
  #read(kind: "page" | "head", number: number, first?: Page): Promise<Page> {
    const { draft, store } = this.#context;
    const { name } = this;
    const pass = `${draft.listing}.${this.#number}.${this.#passes.length + 1}`;
    const collection = name === "images.private" ? "images" : name;
    // Categories and tags are documented without an envelope.
    const endpoint = this.#unpaged ? undefined : name;
    return draft.once(
      `${kind} ${number} of ${name}, ${pass}`,
      () => {
        const url = urlOfPage(this.#context, name, number) as string;
        return readPage(this.#context, collection, url, { number, endpoint, first });
      },
      (page) => page.refs.every((ref) => store.objects.has(ref.digest)),
    );
  }

  /** A page. One that is empty, or fails behind the last one, shows how the origin answers there. */
  async #readNoting(number: number, first: Page | undefined): Promise<Page> {
    const { behind } = this.#context;
    const { name } = this;
    // An empty list has no end to look behind.
    const isFurther = first !== undefined && first.count > 0;
    const isBehind = isFurther && number > (first.lastPage ?? 1);
    try {
      const page = await this.#read("page", number, first);
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
  }
}

/** Address of a page of a list; undefined where the configuration says that there is no such list. */
export function urlOfPage(
  { routes }: CrawlContext,
  name: WalkedName,
  page: number,
): string | undefined {
  if (name === "images.private") return routes.privateUrlOf(page);
  if (name === "categories" || name === "tags") return routes.urlOf({ route: "all", index: name });
  return routes.urlOf({ route: "index", index: name, page });
}

/** What lists held together at the last snapshot, if all of them were proved; without what the origin has removed. */
function knownOf(last: SnapshotReader | undefined, names: readonly ListName[]): Known | undefined {
  if (last === undefined) return undefined;
  const ids = new Set<string>();
  let doubles = 0;
  for (const name of names) {
    const proof = proofOf(last, name);
    if (proof?.agreed !== true) return undefined;
    doubles += Math.max(0, (proof.expected ?? 0) - proof.collected);
    for (const { id } of last.refs(name)) {
      if (last.digestOf("removed", `${name}/${id}`) === undefined) ids.add(id);
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
function remarksOn(proof: ListProof, unstable: boolean, overstated: number | undefined): Remark[] {
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
  if (overstated !== undefined) {
    const reason = `names ${overstated} pages, but there is nothing new after page ${pages}`;
    remarks.push({ subject, reason });
  }
  return remarks;
}
