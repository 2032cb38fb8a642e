import { mediaKinds } from "../routes/table.ts";
import { attachmentsRaw } from "../store/reader.ts";
import { type AttachmentCounts, attachmentsId } from "../store/records.ts";
import type { Ref } from "../store/snapshots.ts";
import { needsAnother, verdictOf } from "./completeness.ts";
import { addProblem, type CrawlContext } from "./context.ts";
import type { WantedList } from "./endpoints.ts";
import { contractError, refusedTwice } from "./failures.ts";
import { type Item, type ItemCrawl, storedList } from "./item-crawl.ts";
import { joinPages, type PagedList, readLimited, readPage } from "./page.ts";
import { readPages } from "./pages.ts";
import { distinctIds, doubtOf, hasRepeats, isWhole, type Pass, passOf, rowsOf } from "./pass.ts";
import { wantedAttachments, withVanished } from "./plan.ts";

/** The attachment lists of an item, without those that failed; `single` is what its single form counts. */
export async function attachmentsOf(
  crawl: ItemCrawl,
  item: Item,
  single: AttachmentCounts | undefined,
): Promise<Ref[]> {
  const { context, parent, snapshot, endpoints } = crawl;
  const { ref, asked } = item;
  const wanted = countsOf(crawl, single, ref);
  const found: Ref[] = [];
  for (const route of wantedAttachments(parent, wanted, context.config.origin.paths)) {
    const listId = attachmentsId(parent, ref.id, route.kind);
    const listed = snapshot?.digestOf("attachments", listId);
    const last = storedList(context.store, listId, listed);
    const count = wanted[route.kind];
    // An endpoint that gave lists to others has said that there is none.
    const absent = count === null && endpoints.known.has(route.kind) && listed === undefined;
    const isCurrent = last === undefined ? absent : !crawl.isOlder(last);
    const isAsked = item.there && !item.frozen && (asked || !isCurrent);
    const wantedList = { ...route, listId, count, before: last, asked };
    const list = isAsked ? await fetchList(crawl, item, wantedList) : last;
    countList(crawl, item, wantedList, list);
    if (list !== undefined) found.push(list);
  }
  return found;
}

/** Adds a list to what all lists of its kind come to. */
function countList(
  { context, counts }: ItemCrawl,
  { position, frozen }: Item,
  { kind, listId, count }: WantedList,
  list: Ref | undefined,
): void {
  const sum = counts.get(kind) ?? { collected: 0, expected: 0, missing: 0, differing: new Map() };
  counts.set(kind, sum);
  sum.expected = sum.expected === null || count === null ? null : sum.expected + count;
  if (list === undefined) {
    if (count !== null && !frozen) sum.missing++;
    return;
  }
  const rows = context.store.objects.readNormal("attachments", list.digest).items.length;
  sum.collected += rows;
  if (count !== null && rows !== count)
    sum.differing.set(position, `${listId}: ${rows} of ${count}`);
}

/** The list, or its last known form where that fails. @param again at the path that was found for it since */
async function fetchList(
  crawl: ItemCrawl,
  item: Item,
  wanted: WantedList,
  again = false,
): Promise<Ref | undefined> {
  const { context, endpoints } = crawl;
  const { listId, count, before } = wanted;
  const { current } = item;
  if (endpoints.isAbsent(wanted)) {
    if (count !== null) item.current = false;
    return before;
  }
  const read = () => readAttachments(context, wanted, item.ref.id, endpoints.isMiscounted(wanted));
  const found = await crawl.attempt(
    () =>
      context.draft.once(
        `list ${listId} ${item.ref.digest}`,
        () => (endpoints.isBelieved(wanted) ? read() : refusedTwice(read)),
        ({ list }) => storedList(context.store, list.id, list.digest) !== undefined,
      ),
    (error) => {
      if (!endpoints.noteFailure(wanted, error)) crawl.fail(item, listId, error);
      else if (count !== null) item.current = false;
    },
  );
  if (found === undefined) {
    if (again || !(await endpoints.isElsewhere(wanted, item.ref.id))) return before;
    item.current = current;
    return await fetchList(crawl, item, wanted, true);
  }
  endpoints.answered(wanted, found.readings);
  for (const problem of found.problems) addProblem(context, problem);
  // What was believed to have become shorter is asked for once more the next time.
  if (found.problems.length > 0 || found.shrunk) item.current = false;
  return found.list;
}

/** The larger ones of single form and index: where they differ, the list itself must decide. */
function countsOf(
  { context, parent }: ItemCrawl,
  single: AttachmentCounts | undefined,
  { digest }: Ref,
): AttachmentCounts {
  const counts = { ...context.store.objects.readNormal(parent, digest).attachments };
  if (single === undefined) return counts;
  for (const kind of mediaKinds) {
    const [listed, told] = [counts[kind], single[kind]];
    counts[kind] = listed === null || told === null ? (told ?? listed) : Math.max(listed, told);
  }
  return counts;
}

/**
 * Reads one attachment list and stores it as one object. One pass is enough if it brings as many items as the parent
 * counts, or what the last snapshot had. Any other list takes as many as prove it: the parent may count what this
 * token cannot see. An item that is attached twice stands in the list twice.
 *
 * @param isMiscounted whether the counts of such parents are known to say little
 * @throws ApiError where a page fails, or nothing proves the list
 */
async function readAttachments(
  context: CrawlContext,
  wanted: WantedList,
  id: string,
  isMiscounted: boolean,
) {
  const { parent, kind, count, before, listId } = wanted;
  const { store, routes, config } = context;
  const urlOf = (page: number): string =>
    routes.urlOf({ route: "attachments", parent, id, kind, page }) as string;
  const items = before && store.objects.readNormal("attachments", before.digest).items;
  const known = items && { ids: new Set(items.map(([item]) => item)), rows: items.length };
  const terms = { known, maxPasses: config.crawl.maxPasses };
  const passes: Pass[] = [];
  const seen = new Map<string, Ref>();
  let list: PagedList;
  let pass: Pass;
  let isEnough: boolean;
  do {
    ({ list, pass } = await readOnce(context, wanted, urlOf));
    passes.push(pass);
    for (const ref of list.refs) seen.set(ref.id, ref);
    const isNew = items === undefined && isMiscounted;
    isEnough = isAsCounted(pass, count) || (isNew && isWholePage(pass));
  } while (!isEnough && needsAnother(passes, terms));
  const verdict = verdictOf(passes, terms);
  if (verdict === undefined && !isEnough) {
    throw contractError(listId, urlOf(1), reasonOf(pass, count));
  }
  const united = (verdict?.ids.size ?? 0) > distinctIds(pass).size;
  const rows = united ? withVanished(seen.values(), list.refs) : list.rows;
  const shrunk = items !== undefined && rows.length < items.length && rows.length < (count ?? 0);
  const raw = attachmentsRaw({ ...list, envelope: list.envelope ?? "{}" });
  const refs = rows.map((ref): [string, string] => [ref.id, ref.digest]);
  const normal = { parent, parentId: id, kind, items: refs };
  const digest = store.objects.put("attachments", listId, normal, raw);

  return {
    list: { id: listId, digest },
    /** Items that cannot be read. */
    problems: list.malformed,
    /** Whether it is shorter than it was, although its parent still counts more. */
    shrunk,
    readings: passes.length,
  };
}

async function readOnce(
  context: CrawlContext,
  { kind, count, path, listId }: WantedList,
  urlOf: (page: number) => string,
) {
  const { pages, openEnd } = await readPages(
    context.config.crawl.concurrency,
    readLimited(context, listId, (number, first) =>
      readPage(context, kind, urlOf(number), { number, endpoint: path, first }),
    ),
    { counted: count !== null },
  );
  const list = joinPages(pages);
  // As many items as are counted are an end, too.
  const hasAll = count !== null && list.rows.length + list.malformed.length >= count;
  // There are origins that give the size of a page as the total: page 1 speaks for the list.
  const pass = { ...passOf(pages, [], hasAll ? undefined : openEnd), totals: [list.total] };
  return { list, pass };
}

/** Whether one pass is enough: it is whole, has just what the parent counts, and each item once. */
function isAsCounted(pass: Pass, count: number | null): boolean {
  const rows = rowsOf(pass);
  const told = pass.totals.every((total) => total === undefined || total === rows);
  return rows === count && told && isWhole(pass) && pass.doubles === 0 && !hasRepeats(pass);
}

/** Whether a list says itself that its only page has all of it. */
function isWholePage(pass: Pass): boolean {
  const rows = rowsOf(pass);
  return pass.pages === 1 && rows > 0 && pass.totals[0] === rows && isWhole(pass);
}

function reasonOf(pass: Pass, count: number | null): string {
  if (isWhole(pass)) return "different items each time it is read";
  const doubt = doubtOf(pass) ?? `${rowsOf(pass)} items of ${pass.totals.at(-1)}`;
  if (pass.openEnd === undefined) return doubt;
  const expected = count === null ? "" : `, ${distinctIds(pass).size} items of ${count}`;
  return `${doubt}${expected}, and the origin does not say that it ends there`;
}
