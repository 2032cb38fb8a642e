import type { Config } from "../config.ts";
import { lastPageOf, totalOf, wantedAttachments } from "../crawl/plan.ts";
import type { Page, Prober } from "../probe/prober.ts";
import type { MediaKind, Parent } from "../routes/table.ts";
import type { AttachmentCounts } from "../store/records.ts";
import { mean, sum } from "./forecast.ts";
import { idsOf, pageIn, spread } from "./pages.ts";

/** Attachment lists that are looked at: one for so many parents, but not fewer nor more than these. */
const sampled = {
  articles: { each: 100, least: 20, most: 50 },
  galleries: { each: 20, least: 10, most: 30 },
};
/** Requests that only many articles are worth: the plan of a small archive has no limit of 60 a minute to wait for. */
const sparedBelow = { articles: 2_000, requests: 60 };
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
  countOf: (parent: Parent) => number,
): Promise<Lists> {
  let perPage = 20;
  const short: number[] = [];
  const long: number[] = [];
  const spared = countOf("articles") < sparedBelow.articles ? sparedBelow.requests : 0;
  for (const parent of ["galleries", "articles"] as const) {
    const path = parent === "articles" ? paths.articleImages : paths.galleryImages;
    if (path === null) continue;
    const having = owners[parent].filter((owner) => imagesOf(owner) > 0);
    const { each, least, most } = sampled[parent];
    const lists = Math.min(Math.max(countOf(parent) / each, least), most);
    // Long lists take most requests, so that some of the sample are the longest.
    const longest = having.toSorted((a, b) => imagesOf(b) - imagesOf(a)).slice(0, lists / 4);
    const others = having.filter((owner) => !longest.includes(owner));
    for (const owner of [...longest, ...spread(others, lists - longest.length)]) {
      if (!prober.affords(spared + 2)) break;
      const list = path.replace("{id}", encodeURIComponent(owner.id));
      const first = (await prober.ask(list))?.page;
      if (first === undefined) continue;
      const pages = lastPageOf(first) ?? 1;
      const last = pages > 1 ? (await prober.ask(pageIn(list, pages)))?.page : undefined;
      perPage = first.meta?.per_page || perPage;
      const times = readingsOf(first, last, owner.attachments.images, maxPasses);
      if (pages > 1) long.push(...Array(pages).fill(times));
      else if (!longest.includes(owner)) short.push(times);
    }
  }
  return { perPage, readings: { short: mean(short, 1), long: mean(long, 1) } };
}

function imagesOf({ attachments }: Owner): number {
  return attachments.images ?? 0;
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
