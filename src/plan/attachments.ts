import type { Config } from "../config.ts";
import { lastPageOf, totalOf, wantedAttachments } from "../crawl/plan.ts";
import { append } from "../lib/many.ts";
import type { Page, Prober } from "../probe/prober.ts";
import { type MediaKind, type Parent, parents } from "../routes/table.ts";
import type { AttachmentCounts } from "../store/records.ts";
import { mean, sum } from "./forecast.ts";
import { idsOf, pageIn, spread } from "./pages.ts";

/** Long attachment lists that are looked at: one for so many parents, but not fewer nor more than these. */
const sampled = { each: 100, least: 12, most: 36 };
type Owner = { id: string; attachments: AttachmentCounts };

type Lists = Awaited<ReturnType<typeof attachmentLists>>;

/**
 * Looks at a few attachment lists of several pages: items on a page, how often such a list is read on average, and how
 * many lists of one page are read twice, the first ones and those that are asked for meanwhile. Besides, attached images.
 */
export async function attachmentLists(
  prober: Prober,
  { origin: { paths }, crawl }: Config,
  owners: Record<Parent, readonly Owner[]>,
  parentsInAll: number,
) {
  const lists = parents.flatMap((parent) => {
    const path = parent === "articles" ? paths.articleImages : paths.galleryImages;
    return owners[parent].flatMap(({ id, attachments: { images } }) =>
      path === null || !images
        ? []
        : [{ path: path.replace("{id}", encodeURIComponent(id)), images }],
    );
  });
  const longest = lists.toSorted((a, b) => b.images - a.images)[0];
  const { meta, data: images = [] } = (longest && (await prober.ask(longest.path))?.page) ?? {};
  const perPage = meta?.per_page || 20;
  const long = lists.filter(({ images }) => images > perPage);
  const most = Math.min(Math.max(parentsInAll / sampled.each, sampled.least), sampled.most);
  const readings: number[] = [];
  for (const { path, images } of spread(long, most)) {
    const first = (await prober.ask(path))?.page;
    const pages = (first && lastPageOf(first)) ?? 1;
    const last = pages > 1 ? (await prober.ask(pageIn(path, pages)))?.page : undefined;
    if (first === undefined || last === undefined) continue;
    // It weighs as much as its pages.
    append(readings, Array(pages).fill(readingsOf(first, last, images, crawl)));
  }
  const again = readings.some((times) => times > 1) ? 2 * crawl.concurrency : 0;
  return { perPage, readings: mean(readings, 1), again, images };
}

/** How often a list is read: once, or again while its rows are not what is counted. */
function readingsOf(first: Page, last: Page, count: number, { maxPasses }: Config["crawl"]) {
  const ids = new Set(idsOf(first));
  if (idsOf(last).some((id) => ids.has(id))) return maxPasses;
  return ids.size < first.data.length || totalOf(first) !== count ? 2 : 1;
}

/** Attachments of an item, on average: lists that have something, their pages, requests for them, and files of a kind. */
export function attachmentsOf(
  parent: Parent,
  items: readonly Owner[],
  { perPage, readings }: Lists,
  paths: Config["origin"]["paths"],
) {
  const wanted = items.map(({ attachments }) =>
    wantedAttachments(parent, attachments, paths).map(({ kind }) => attachments[kind] ?? 1),
  );
  const pages = wanted.map((counts) => counts.map((count) => Math.ceil(count / perPage)));
  const requestsFor = (pages: number): number => pages * (pages > 1 ? readings : 1);
  return {
    lists: mean(wanted.map((counts) => counts.length)),
    pages: mean(pages.map(sum)),
    requests: mean(pages.map((some) => sum(some.map(requestsFor)))),
    filesOf: (kind: MediaKind) => mean(items.map(({ attachments }) => attachments[kind] ?? 0)),
  };
}
