import { needsAnother, unsettledIn } from "../crawl/completeness.ts";
import type { Pass } from "../crawl/pass.ts";
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
    const groups = groupsOf(size, group);
    const read = (page: number): string[] => {
      const [from, to] = [page * index.perPage, Math.min((page + 1) * index.perPage, size)];
      const around = [...new Set(groups.slice(from, to))];
      const turn = roll(group);
      const ids = around.flatMap((ids) => [...ids.slice(turn), ...ids.slice(0, turn)]);
      const start = from - Number(groups[from]?.[0]);
      return ids.slice(start, start + to - from);
    };
    const passes: Pass[] = [];
    let alone: string[] | undefined;
    do {
      const ids = Array.from({ length: pages }, (_, page) => read(page)).flat();
      const { head, heads } = headOf(new Set(ids), pages, read);
      passes.push({ ids, head, totals: [size, size], pages, empty: 0, doubles: 0 });
      made += pages + heads;
      alone = hasSingles ? unsettledIn(passes, terms) : undefined;
      made += alone?.length ?? 0;
    } while (alone === undefined && needsAnother(passes, terms));
  }
  return (made / rounds) * (allPages / pages);
}

/** The first pages, read again as long as they have ids that were not seen. */
function headOf(seen: ReadonlySet<string>, pages: number, read: (page: number) => string[]) {
  const head: string[] = [];
  let heads = 0;
  let page: string[];
  do {
    page = read(heads++);
    head.push(...page);
  } while (heads < pages && page.some((id) => !seen.has(id)));
  return { head, heads };
}

/** For each item, the ids of all that have its time. */
function groupsOf(size: number, group: number): string[][] {
  const groups: string[][] = [];
  while (groups.length < size) {
    const from = groups.length;
    const length = Math.min(group, size - from);
    const ids = Array.from({ length }, (_, n) => String(from + n));
    for (let n = 0; n < length; n++) groups.push(ids);
  }
  return groups;
}
