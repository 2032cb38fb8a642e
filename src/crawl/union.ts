import { distinctIds, hasRepeats, isSteady, type Pass, type Terms, type Verdict } from "./pass.ts";

/** How many times `maxPasses` a list is read whose order changes, as long as its passes bring it nearer to its total. */
const patience = 5;

/**
 * The list that all passes have together, with what the last snapshot knows, although none of them has it alone, as
 * where an index sorts by a key that many items share and cuts each page from a new order; undefined where they do
 * not prove it.
 *
 * They prove it if they bring as many ids as the total says, which stayed the same, and each of them was seen both
 * before and after one moment between two passes: then all of them were listed at that moment, and nothing else was.
 * What the last snapshot knows was seen before the first pass. What was not seen after that moment can be asked for
 * by itself, where that shows whether the origin still lists it.
 */
export function unite(
  passes: readonly Pass[],
  { known, askable = false }: Terms,
): Verdict | undefined {
  const { steady, rows } = steadyPasses(passes);
  if (rows === undefined) return undefined;
  const read = steady.map(distinctIds);
  const withKnown = known && settle([known.ids, ...read], rows, askable);
  if (withKnown !== undefined) return { confirmedBy: "the last snapshot", ...withKnown };
  const alone = settle(read, rows, askable);
  return alone && { confirmedBy: "all passes together", ...alone };
}

/** Whether more passes than usual may bring what is missing: each has as many rows as the total, and other ids. */
export function mayUnite(passes: readonly Pass[], { maxPasses }: Terms): boolean {
  const { steady, rows } = steadyPasses(passes);
  if (rows === undefined || steady.length < passes.length || !passes.some(hasRepeats)) return false;
  const { ids, newest } = sightings(steady.map(distinctIds));
  if (ids.size > rows || passes.length >= patience * maxPasses) return false;
  return ids.size === rows || passes.length - 1 - newest < maxPasses;
}

/** The last passes that are whole and have one and the same total, and the rows it counts, without the doubles. */
function steadyPasses(passes: readonly Pass[]): { steady: readonly Pass[]; rows?: number } {
  const last = passes.at(-1);
  const total = last?.totals.at(-1);
  if (last === undefined || total === undefined) return { steady: [] };
  const other = passes.findLastIndex((pass) => !isSteady(pass) || pass.ids.length !== total);
  if (other === passes.length - 1) return { steady: [] };
  return { steady: passes.slice(other + 1), rows: total - last.doubles };
}

function settle(
  sets: readonly ReadonlySet<string>[],
  rows: number,
  askable: boolean,
): Pick<Verdict, "ids" | "unseen"> | undefined {
  const { ids, newest, last } = sightings(sets);
  // After the newest id was seen there must be a moment after which others were seen.
  if (ids.size !== rows || newest >= sets.length - 1) return undefined;
  const unseen = new Set<string>();
  for (const [id, at] of last) if (at <= newest) unseen.add(id);
  return askable || unseen.size === 0 ? { ids, unseen } : undefined;
}

/** Which ids stand in some sets, in which each was last, and in which of them the newest id was first. */
function sightings(sets: readonly ReadonlySet<string>[]): {
  ids: ReadonlySet<string>;
  newest: number;
  last: ReadonlyMap<string, number>;
} {
  const last = new Map<string, number>();
  let newest = 0;
  for (const [at, set] of sets.entries()) {
    for (const id of set) {
      if (!last.has(id)) newest = at;
      last.set(id, at);
    }
  }
  return { ids: new Set(last.keys()), newest, last };
}
