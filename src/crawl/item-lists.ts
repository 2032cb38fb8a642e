import { mediaKinds } from "../routes/table.ts";
import { type AttachmentCounts, attachmentsId } from "../store/records.ts";
import type { Ref } from "../store/snapshots.ts";
import { readAttachments } from "./attachment-lists.ts";
import { addProblem } from "./context.ts";
import type { WantedList } from "./endpoints.ts";
import { refusedTwice } from "./failures.ts";
import { type Item, type ItemCrawl, storedList } from "./item-crawl.ts";
import { wantedAttachments } from "./plan.ts";

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

/** The list, or its last known form where that fails. */
async function fetchList(crawl: ItemCrawl, item: Item, wanted: WantedList) {
  const { context, endpoints } = crawl;
  const { listId, count, before } = wanted;
  if (endpoints.isAbsent(wanted)) {
    if (count !== null) item.current = false;
    return before;
  }
  const read = () => readAttachments(context, wanted, item.ref.id);
  const found = await crawl.attempt(
    () =>
      context.draft.once(
        `list ${listId} ${item.ref.digest}`,
        () => (endpoints.isBelieved(wanted) ? read() : refusedTwice(read)),
        ({ list }) => storedList(context.store, list.id, list.digest) !== undefined,
      ),
    (error) => {
      if (!endpoints.explains(wanted, error)) crawl.fail(item, listId, error);
      else if (count !== null) item.current = false;
    },
  );
  if (found === undefined) return before;
  endpoints.answered(wanted);
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
