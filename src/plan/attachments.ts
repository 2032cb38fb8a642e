import type { Config } from "../config.ts";
import { lastPageOf, totalOf, wantedAttachments } from "../crawl/plan.ts";
import type { Page, Prober } from "../probe/prober.ts";
import { type MediaKind, type Parent, parents } from "../routes/table.ts";
import type { AttachmentCounts } from "../store/records.ts";
import { mean, sum } from "./forecast.ts";
import { idsOf, pageIn, spread } from "./pages.ts";

/** Attachment lists of each kind of parent that are looked at. */
const mostLists = { articles: 12, galleries: 8 };
type Owner = { id: string; attachments: AttachmentCounts };

/** Items on a page of an attachment list, and how often lists of one page and of several are read, on average. */
interface Lists {
  perPage: number;
  readings: { short: number; long: number };
}

/** Looks at a few attachment lists. */
export async function attachmentLists(
  prober: Prober,
  { origin: { paths }, crawl: { maxPasses } }: Config,
  owners: Record<Parent, readonly Owner[]>,
): Promise<Lists> {
  let perPage = 20;
  const readings: Record<keyof Lists["readings"], number[]> = { short: [], long: [] };
  for (const parent of parents) {
    const path = parent === "articles" ? paths.articleImages : paths.galleryImages;
    const having = owners[parent].filter(({ attachments }) => (attachments.images ?? 0) > 0);
    for (const { id, attachments } of path === null ? [] : spread(having, mostLists[parent])) {
      const list = `${path}`.replace("{id}", encodeURIComponent(id));
      const first = (await prober.ask(list))?.page;
      if (first === undefined) continue;
      const pages = lastPageOf(first) ?? 1;
      const last = pages > 1 ? (await prober.ask(pageIn(list, pages)))?.page : undefined;
      perPage = first.meta?.per_page || perPage;
      const times = readingsOf(first, last, attachments.images, maxPasses);
      readings[pages > 1 ? "long" : "short"].push(times);
    }
  }
  const { short, long } = readings;
  return { perPage, readings: { short: mean(short, 1), long: mean(long, 1) } };
}

/** How often an attachment list is read: once, or again while its rows are not what is counted. */
function readingsOf(
  first: Page,
  last: Page | undefined,
  count: number | null,
  maxPasses: number,
): number {
  const ids = new Set(idsOf(first));
  if (last && idsOf(last).some((id) => ids.has(id))) return maxPasses;
  const hasDoubles = ids.size < first.data.length;
  return hasDoubles || (totalOf(first) ?? first.data.length) !== count ? 2 : 1;
}

/** Attachments of an item, on average: lists that have something, requests for them, and files of some kinds. */
export function attachmentsOf(
  parent: Parent,
  items: readonly Owner[],
  { perPage, readings }: Lists,
  paths: Config["origin"]["paths"],
) {
  const wanted = items.map(({ attachments }) =>
    wantedAttachments(parent, attachments, paths).map(({ kind }) => attachments[kind] ?? 1),
  );
  const requestsFor = (count: number): number => {
    const pages = Math.ceil(count / perPage);
    return pages * (pages > 1 ? readings.long : readings.short);
  };
  return {
    lists: mean(wanted.map((counts) => counts.length)),
    requests: mean(wanted.map((counts) => sum(counts.map(requestsFor)))),
    filesOf: (kind: MediaKind) => mean(items.map(({ attachments }) => attachments[kind] ?? 0)),
  };
}
