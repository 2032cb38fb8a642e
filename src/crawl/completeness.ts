import type { Problem } from "../lib/reporter.ts";
import type { ListProof } from "../store/snapshots.ts";

/** One walk over all pages of an index. */
export interface Pass {
  /** Ids in the order of the pages. */
  ids: string[];
  /** Ids of page 1, and of further ones as far as they hold unseen ids, read again after the last page. */
  head: string[];
  /** meta.total of each page in the order of reading, the head's last; undefined where a page has none. */
  totals: (number | undefined)[];
  pages: number;
  /** Pages without items, unless they are the only one. */
  empty: number;
  /** Why nothing says that the list ends behind these pages. */
  unended?: string;
  /** Which page has only items of earlier ones: `page 2 repeats page 1`. */
  repeated?: string;
}

/**
 * What speaks against a pass as the whole of an index; undefined where nothing does.
 *
 * Totals that never fall mean that nothing was removed, so that whatever was seen is still there. As many ids as
 * the last total says are then all there are. Items that were added on top in the meantime stand in the head.
 * What this cannot see is a removal and an addition between the reading of two pages, which leave the total as it
 * was and can carry an item past the reader; therefore a pass needs another one that it continues.
 */
export function doubtOf(pass: Pass): string | undefined {
  const first = pass.totals[0];
  const last = pass.totals.at(-1);
  const distinct = distinctIds(pass).size;
  if (pass.empty > 0) return `${pass.empty} of ${pass.pages} pages are empty`;
  if (first === undefined || last === undefined || pass.totals.includes(undefined)) {
    if (pass.unended !== undefined) return pass.unended;
    if (pass.repeated !== undefined) return pass.repeated;
    if (pass.pages > 1) return "the origin gives no total";
    return distinct < pass.ids.length ? "ids occur twice" : undefined;
  }
  if (fell(pass.totals)) return "items were removed while the index was read";
  if (distinct === last && pass.repeated !== undefined) return pass.repeated;
  if (distinct !== last) {
    const repeated = pass.repeated === undefined ? "" : `: ${pass.repeated}`;
    return `${distinct} items of ${last}${repeated}`;
  }
  if (!sameHead(pass, last > first)) return "the index changed while it was read";
  return undefined;
}

/**
 * Whether a pass has every item of an earlier listing, and no others but on top of them.
 *
 * That proves the pass: an item can be carried past the reader only where one that was read already is removed in
 * the same moment as another one is added behind. Then the next pass lacks the removed one, or this one has the
 * added one below its top.
 */
export function continues(before: ReadonlySet<string>, pass: Pass): boolean {
  const ids = distinctIds(pass);
  const added = ids.size - before.size;
  if (added < 0) return false;
  let place = 0;
  let known = 0;
  for (const id of ids) {
    if (before.has(id)) known++;
    else if (place >= added) return false;
    place++;
  }
  return known === before.size;
}

/** Whether two passes in a row saw the same items, which ends the walk also where totals lie or are missing. */
export function passesAgree(before: Pass, after: Pass): boolean {
  const seen = distinctIds(before);
  const again = distinctIds(after);
  if (seen.size !== again.size) return false;
  for (const id of again) if (!seen.has(id)) return false;
  return true;
}

/**
 * The proof of one index after its passes: complete when the last pass leaves no doubt and continues the one before
 * or the last proved listing; or when it has doubt but agrees with the one before, neither of the two shows that the index changed meanwhile,
 * it is not short of the total that the origin claims, and something says that the list ends there.
 *
 * @param known ids of the index as it was last proved complete, if it was
 */
export function proveIndex(
  list: string,
  passes: readonly Pass[],
  known?: ReadonlySet<string>,
): ListProof {
  const last = passes.at(-1);
  if (last === undefined) throw new RangeError("no pass to prove anything");
  const before = passes.at(-2);
  const doubt = doubtOf(last);
  const confirmedBy = confirmationOf(last, before, known);
  const remark = doubt ?? (confirmedBy === undefined ? "the passes differ" : undefined);
  return {
    list,
    collected: distinctIds(last).size,
    expected: last.totals.at(-1) ?? null,
    pages: last.pages,
    passes: passes.length,
    agreed: confirmedBy !== undefined,
    ...(confirmedBy === undefined ? {} : { confirmedBy }),
    ...(remark === undefined ? {} : { remark }),
  };
}

/** Whether no further pass is needed, or of use. */
export function isSettled(passes: readonly Pass[], known?: ReadonlySet<string>): boolean {
  const last = passes.at(-1);
  if (last === undefined) return false;
  const before = passes.at(-2);
  if (confirmationOf(last, before, known) !== undefined) return true;
  return doubtOf(last) !== undefined && before !== undefined && passesAgree(before, last);
}

function confirmationOf(
  last: Pass,
  before: Pass | undefined,
  known: ReadonlySet<string> | undefined,
): ListProof["confirmedBy"] {
  if (doubtOf(last) === undefined) {
    if (known !== undefined && continues(known, last)) return "the last snapshot";
    return before !== undefined && continues(distinctIds(before), last)
      ? "another pass"
      : undefined;
  }
  if (before === undefined || !isSteady(before) || !isSteady(last)) return undefined;
  const total = last.totals.at(-1);
  const short = total !== undefined && distinctIds(last).size < total;
  const repeats = total !== undefined && last.repeated !== undefined;
  const whole = !short && !repeats && last.unended === undefined;
  return whole && passesAgree(before, last) ? "another pass" : undefined;
}

/** Whether nothing shows that the index changed while it was read: no page was empty, no id came twice, no total fell. */
function isSteady({ ids, empty, totals }: Pass): boolean {
  return empty === 0 && new Set(ids).size === ids.length && !fell(totals);
}

/** What a list that could not be proved complete has to say in the report. */
export function problemOfProof({ list, collected, expected, remark }: ListProof): Problem {
  const short = `${collected} items of ${expected}`;
  const numbers = `${collected} items read, ${expected ?? "an unknown number"} expected`;
  const doubt = remark?.startsWith(short) ? remark : `${numbers}: ${remark}`;
  return {
    subject: `index of ${list}`,
    reason: `not proved complete: ${doubt}`,
    hint:
      expected === null
        ? "the origin does not say where this list ends; if it is whole, publish with --allow-incomplete"
        : "run again; if it stays so, the origin contradicts itself: publish with --allow-incomplete",
  };
}

/** Ids of a pass, those of the head first. */
export function distinctIds({ head, ids }: Pass): Set<string> {
  const distinct = new Set(head);
  for (const id of ids) distinct.add(id);
  return distinct;
}

function fell(totals: Pass["totals"]): boolean {
  return totals.some((total, at) => (total ?? 0) < (totals[at - 1] ?? 0));
}

/** Whether the head shows what the pages began with, below what may have been added on top. */
function sameHead({ head, ids }: Pass, grew: boolean): boolean {
  const shown = new Set(head);
  const seen = new Set(ids.filter((id) => shown.has(id)));
  const old = head.filter((id) => seen.has(id));
  if (old.length < head.length && !grew) return false;
  // An item that was pushed to the next page occurs on both.
  const start = new Set<string>();
  for (const id of ids) {
    if (start.size === old.length) break;
    start.add(id);
  }
  return [...start].every((id, at) => id === old[at]);
}
