import { needsAnother, unsettledIn } from "../crawl/completeness.ts";
import type { Pass } from "../crawl/pass.ts";
import { append } from "../lib/many.ts";
import { dice } from "../lib/random.ts";
import { pagesOf } from "./forecast.ts";

/** More items need only a few passes more. */
const mostItems = 10_000;
/** Items that are read in all, so that small indexes are tried several times. */
const itemsToTry = 20_000;

/**
 * Requests that it takes to read an index for the first time, on average. Where items of one time come in another
 * order with each request, such an index is made up and read. The made-up index keeps their order, but each request
 * starts it at another item, like a database that may scan a table from any place.
 *
 * @param ties items that have the same time, on average
 * @param hasSingles whether its items can be requested alone
 */
export function requestsFor(
  index: { total: number; perPage: number },
  ties: number,
  { hasSingles, ...terms }: { maxPasses: number; unasked: boolean; hasSingles: boolean },
): number {
  const group = Math.max(1, Math.round(ties));
  const allPages = pagesOf(index.total, index.perPage);
  // Each pass reads the first page again at its end.
  if (allPages === 1) return 2;
  if (group === 1) return 2 * (allPages + 1);
  const size = Math.min(index.total, mostItems);
  const pages = pagesOf(size, index.perPage);
  const rounds = Math.min(50, Math.ceil(itemsToTry / size));
  let made = 0;
  for (let round = 0; round < rounds; round++) {
    const { roll } = dice(size, round);
    const read = (page: number): string[] => {
      const from = page * index.perPage;
      const turn = roll(group);
      return Array.from({ length: Math.min(index.perPage, size - from) }, (_, n) => {
        const place = (from + n) % group;
        const first = from + n - place;
        return String(first + ((place + turn) % Math.min(group, size - first)));
      });
    };
    const passes: Pass[] = [];
    let alone: string[] | undefined;
    do {
      const ids = Array.from({ length: pages }, (_, page) => read(page)).flat();
      const seen = new Set(ids);
      const head: string[] = [];
      let heads = 0;
      // The first pages are read again as long as they have ids that were not seen.
      for (let isNew = true; isNew && heads < pages; heads++) {
        const page = read(heads);
        append(head, page);
        isNew = page.some((id) => !seen.has(id));
      }
      passes.push({ ids, head, totals: [size, size], pages, empty: 0, doubles: 0 });
      made += pages + heads;
      alone = hasSingles ? unsettledIn(passes, terms) : undefined;
      made += alone?.length ?? 0;
    } while (alone === undefined && needsAnother(passes, terms));
  }
  return (made / rounds) * (allPages / pages);
}
