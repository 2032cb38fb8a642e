import { attachmentsRaw } from "../store/reader.ts";
import type { Ref } from "../store/snapshots.ts";
import { needsAnother, verdictOf } from "./completeness.ts";
import type { CrawlContext } from "./context.ts";
import type { WantedList } from "./endpoints.ts";
import { contractError } from "./failures.ts";
import { joinPages, type PagedList, readPage } from "./page.ts";
import { readPages } from "./pages.ts";
import { distinctIds, doubtOf, hasRepeats, isWhole, type Pass, passOf, rowsOf } from "./pass.ts";
import { withVanished } from "./plan.ts";

/**
 * Reads one attachment list and stores it as one object. One pass is enough if it brings as many items as the parent
 * counts, or what the last snapshot had. Any other list takes as many as prove it: the parent may count what this
 * token cannot see. An item that is attached twice stands in the list twice.
 *
 * @throws ApiError where a page fails, or nothing proves the list
 */
export async function readAttachments(context: CrawlContext, wanted: WantedList, id: string) {
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
  do {
    ({ list, pass } = await readOnce(context, wanted, urlOf));
    passes.push(pass);
    for (const ref of list.refs) seen.set(ref.id, ref);
  } while (!isAsCounted(pass, count) && needsAnother(passes, terms));
  const verdict = verdictOf(passes, terms);
  if (verdict === undefined && !isAsCounted(pass, count)) {
    throw contractError(listId, urlOf(1), reasonOf(pass, count));
  }
  const united = (verdict?.ids.size ?? 0) > distinctIds(pass).size;
  const rows = united ? withVanished(seen.values(), list.refs) : list.rows;
  const shrunk = items !== undefined && rows.length < items.length && rows.length < (count ?? 0);
  const raw = attachmentsRaw({ ...list, envelope: list.envelope ?? "{}" });
  const refs = rows.map((ref): [string, string] => [ref.id, ref.digest]);
  const normal = { parent, parentId: id, kind, items: refs };
  const digest = store.objects.put("attachments", listId, normal, raw);
  const stored: Ref = { id: listId, digest };
  return {
    list: stored,
    /** Items that cannot be read. */
    problems: list.malformed,
    /** Whether it is shorter than it was, although its parent still counts more. */
    shrunk,
  };
}

async function readOnce(
  context: CrawlContext,
  { kind, count, path }: WantedList,
  urlOf: (page: number) => string,
) {
  const { pages, openEnd } = await readPages(
    context.config.crawl.concurrency,
    (number, first) => readPage(context, kind, urlOf(number), { number, endpoint: path, first }),
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

function reasonOf(pass: Pass, count: number | null): string {
  if (isWhole(pass)) return "different items each time it is read";
  const doubt = doubtOf(pass) ?? `${rowsOf(pass)} items of ${pass.totals.at(-1)}`;
  if (pass.openEnd === undefined) return doubt;
  const expected = count === null ? "" : `, ${distinctIds(pass).size} items of ${count}`;
  return `${doubt}${expected}, and the origin does not say that it ends there`;
}
