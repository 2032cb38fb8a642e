import type { ListProof } from "../store/snapshots.ts";

/** One walk over all pages of an index. */
export interface Pass {
  /** Ids in the order of the pages. */
  ids: string[];
  /** meta.total of each page; undefined where a page has none. */
  totals: (number | undefined)[];
  pages: number;
  /** Whether page 1, read again after the last page, still listed the same. */
  headStable: boolean;
}

/**
 * Why a pass alone does not prove that an index was seen whole; undefined where it does.
 *
 * A pass that saw each id once, as many as every page said there are, with the same first page before and after,
 * cannot have missed an item that was there throughout.
 */
export function doubtOf(pass: Pass): string | undefined {
  const distinct = new Set(pass.ids).size;
  const total = pass.totals[0];
  if (distinct < pass.ids.length) return `${pass.ids.length - distinct} ids occurred twice`;
  if (pass.totals.some((other) => other !== total)) return "the total changed between pages";
  if (total !== undefined && distinct !== total) return `${distinct} items of ${total}`;
  if (!pass.headStable) return "the index changed while it was read";
  return undefined;
}

/** Whether two passes in a row saw the same items, which ends the walk also where totals lie or are missing. */
export function passesAgree(before: Pass, after: Pass): boolean {
  if (before.ids.length !== after.ids.length) return false;
  const seen = new Set(before.ids);
  return after.ids.every((id) => seen.has(id));
}

/**
 * The proof of one index after its passes: complete when the last pass leaves no doubt, or agrees with the one
 * before and is not short of the total that the origin claims.
 */
export function proveIndex(list: string, passes: readonly Pass[]): ListProof {
  const last = passes.at(-1);
  if (last === undefined) throw new RangeError("no pass to prove anything");
  const before = passes.at(-2);
  const distinct = new Set(last.ids).size;
  const total = last.totals[0];
  const doubt = doubtOf(last);
  const confirmed =
    before !== undefined && passesAgree(before, last) && distinct === last.ids.length;
  const short = total !== undefined && distinct < total;
  const agreed = doubt === undefined || (confirmed && !short);
  return {
    list,
    collected: distinct,
    expected: total ?? null,
    pages: last.pages,
    passes: passes.length,
    agreed,
    ...(doubt === undefined ? {} : { remark: doubt }),
  };
}
