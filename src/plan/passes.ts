import { needsAnother } from "../crawl/completeness.ts";
import type { Pass } from "../crawl/pass.ts";
import { dice } from "../lib/random.ts";

/** More items need only a few passes more. */
const mostItems = 10_000;
/** Items that are read in all, so that small indexes are tried several times. */
const itemsToTry = 20_000;

/**
 * How many passes an index takes at first, on average, if items of one time come in another order with each request.
 * Such an index is made up and read.
 *
 * @param ties items that have the same time, on average
 */
export function passesFor(
  index: { total: number; perPage: number },
  ties: number,
  terms: { maxPasses: number; unasked: boolean },
): number {
  const group = Math.max(1, Math.round(ties));
  if (group === 1 || index.total === 0) return 2;
  const size = Math.min(index.total, mostItems);
  const rounds = Math.min(50, Math.ceil(itemsToTry / Math.max(size, 1)));
  let made = 0;
  for (let round = 0; round < rounds; round++) {
    const { roll, shuffled } = dice(size, round);
    const groups = groupsOf(size, () => 1 + roll(2 * group - 1));
    const pages = Math.max(1, Math.ceil(size / index.perPage));
    const read = (page: number): string[] => {
      const [from, to] = [page * index.perPage, Math.min((page + 1) * index.perPage, size)];
      const around = [...new Set(groups.slice(from, to))];
      const ids = around.flatMap((ids) => shuffled(ids));
      const start = from - Number(groups[from]?.[0]);
      return ids.slice(start, start + to - from);
    };
    const passes: Pass[] = [];
    do {
      const ids = Array.from({ length: pages }, (_, page) => read(page)).flat();
      passes.push({ ids, head: read(0), totals: [size, size], pages, empty: 0, doubles: 0 });
    } while (needsAnother(passes, terms));
    made += passes.length;
  }
  return made / rounds;
}

/** For each item, the ids of all that have its time. */
function groupsOf(size: number, sizeOfNext: () => number): string[][] {
  const groups: string[][] = [];
  while (groups.length < size) {
    const from = groups.length;
    const length = Math.min(sizeOfNext(), size - from);
    const ids = Array.from({ length }, (_, n) => String(from + n));
    for (let n = 0; n < length; n++) groups.push(ids);
  }
  return groups;
}
