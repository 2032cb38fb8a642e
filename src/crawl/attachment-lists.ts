import type { Problem } from "../lib/reporter.ts";
import { attachmentsRaw } from "../store/reader.ts";
import type { AttachmentList } from "../store/records.ts";
import type { Ref } from "../store/snapshots.ts";
import { type CrawlContext, contractError } from "./context.ts";
import type { WantedList } from "./endpoints.ts";
import { joinPages, type PagedList, readPage, readPages } from "./index-walk.ts";

/**
 * Reads all pages of one attachment list and stores it as one object. A list that has not as many items as its
 * parent counts is read again until two readings in a row agree, or one has what the last snapshot had: the count
 * may include what this token cannot see, but it may also be right. Where it is shorter for the first time, that is
 * a problem, until the next crawl finds the same; where there were more at the last snapshot, those stay.
 *
 * @throws ApiError where a page cannot be had, the list contradicts itself or its last reading to the end, or it lacks
 *   what was there and is still counted
 */
export async function readAttachments(
  context: CrawlContext,
  wanted: WantedList,
  id: string,
): Promise<{ list: Ref; problems: Problem[] }> {
  const { parent, kind, count, listId, before, asking } = wanted;
  const { store, routes, config } = context;
  const { concurrency, maxPasses } = config.crawl;
  const urlOf = (page: number): string =>
    routes.urlOf({ route: "attachments", parent, id, kind, page }) as string;
  const known = before && store.objects.readNormal("attachments", before.digest);
  const usual = known && sortedIds(known.items.map(([item]) => item));
  let seen = usual;
  let told: number | undefined;
  for (let pass = 1; ; pass++) {
    const { pages, unended } = await readPages(concurrency, (number, first) =>
      readPage(context, kind, urlOf(number), {
        number,
        first,
        again: asking === "again" && pass === 1,
      }),
    );
    const list = joinPages(pages);
    const doubt = doubtOf(list, count, unended);
    const ids = sortedIds(list.refs.map((ref) => ref.id));
    const size = sizeOf(list);
    // A total that counts less than is there may be the habit of an origin, or a slip.
    const fits = list.total === undefined || list.total >= size || list.total === told;
    const agrees = fits && (ids === seen || size === count);
    if (doubt === undefined && agrees) {
      const { list: ref, malformed } = keep(context, wanted, id, list);
      if (count === null || size >= count || ids === usual)
        return { list: ref, problems: malformed };
      const shorter = `${size} items of the ${count} that its ${parent === "articles" ? "article" : "gallery"} counts`;
      if (known !== undefined && known.items.length > size) {
        throw contractError(
          listId,
          urlOf(1),
          `${shorter}, and ${known.items.length} the last time`,
        );
      }
      const hint = "run again: it is believed when the next run finds the same";
      return { list: ref, problems: [...malformed, { subject: listId, reason: shorter, hint }] };
    }
    if (doubt !== undefined && (ids === seen || pass >= maxPasses)) {
      throw contractError(listId, urlOf(1), doubt);
    }
    if (pass >= maxPasses)
      throw contractError(listId, urlOf(1), "other items each time it is read");
    seen = ids;
    told = list.total;
  }
}

/** What speaks against one reading of a list; undefined where nothing does. */
function doubtOf(
  list: PagedList,
  count: number | null,
  unended: string | undefined,
): string | undefined {
  const size = sizeOf(list);
  const { total } = list;
  if (total !== undefined && size < total) return `${size} items of ${total}`;
  if (unended === undefined || (count !== null && size >= count)) return undefined;
  const expected = count === null ? "" : `, ${size} items of ${count}`;
  return `${unended}${expected}, and nothing says that it ends`;
}

function sizeOf({ refs, malformed }: PagedList): number {
  return refs.length + malformed.length;
}

function sortedIds(ids: readonly string[]): string {
  return JSON.stringify([...ids].sort());
}

function keep(
  { store }: CrawlContext,
  { parent, kind, listId }: WantedList,
  id: string,
  list: PagedList,
): { list: Ref; malformed: Problem[] } {
  const { refs, malformed, total, envelope, ...rest } = list;
  const normal: AttachmentList = {
    parent,
    parentId: id,
    kind,
    items: refs.map((ref) => [ref.id, ref.digest]),
  };
  const raw = attachmentsRaw({ ...rest, envelope: envelope ?? "{}" });
  const digest = store.objects.put("attachments", listId, normal, raw);
  return { list: { id: listId, digest }, malformed };
}
