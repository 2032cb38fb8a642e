import { isDeepStrictEqual } from "node:util";
import type { Problem } from "../lib/reporter.ts";
import type { ListProof } from "../store/snapshots.ts";
import {
  continues,
  distinctIds,
  doubtOf,
  hasRepeats,
  isSteady,
  isWhole,
  type Pass,
  passesAgree,
  rowsOf,
} from "./pass.ts";

/** What passes are judged by. */
export interface Terms {
  /** The list as it was last proved complete. */
  known?: { ids: ReadonlySet<string>; rows: number } | undefined;
  /** Passes that are made at most, unless the order of the list changes with each of them. */
  maxPasses: number;
  /** Whether only a pass with the same ids confirms another: without a total, one that has more may lack some. */
  exact?: boolean;
  /** Whether nothing but the list tells that its items are there, because none is requested alone. */
  unasked?: boolean;
  /** Ids of items that are requested alone only if they changed, because the last snapshot has them. */
  stored?: ReadonlySet<string>;
  /** Ids of items that answered when they were requested alone, after the last pass. */
  answered?: ReadonlySet<string>;
}

/**
 * What proves that a list is complete; undefined where nothing does. There are three proofs:
 *
 * - The last pass leaves no doubt, and continues the pass before it, or the list as it was last proved.
 * - The last pass is whole by its own envelope, and agrees with the list as it was last proved, or with another such
 *   pass. If an id stands on two pages, one row may be in the place of an item that was carried past the reader: then
 *   `maxPasses` of them must have the same rows.
 * - All passes together have as many ids as a total that stayed the same, and the last of them brings nothing new, or
 *   the ids are those of the list as it was last proved. An item that the crawl does not request alone must be seen
 *   again after the last new one, or answer alone: it may be gone, and the new one in its place.
 */
export function verdictOf(passes: readonly Pass[], terms: Terms) {
  const last = passes.at(-1);
  if (last === undefined) return undefined;
  const confirmedBy = confirmationOf(last, passes, terms);
  if (confirmedBy !== undefined) return { confirmedBy, ids: distinctIds(last) };
  const { known, unasked = false, answered } = terms;
  const { ids, rows } = unionOf(passes);
  const isAsKnown = !unasked && ids.size === rows && isDeepStrictEqual(known?.ids, ids);
  const isSettled = unsettledIn(passes, terms)?.every((id) => answered?.has(id)) === true;
  if (!isAsKnown && !isSettled) return undefined;
  return { confirmedBy: "all passes together" as const, ids };
}

/**
 * Items that have to be seen again, or answer alone, where nothing else lacks: passes have all that the total counts,
 * and the last brings nothing new. Undefined also where they are many: then another pass is cheaper.
 */
export function unsettledIn(
  passes: readonly Pass[],
  { unasked = false, stored }: Terms,
): string[] | undefined {
  const { ids, rows, idle, unseen } = unionOf(passes);
  if (ids.size !== rows || idle < 1) return undefined;
  const unsettled = unseen.filter((id) => unasked || stored?.has(id));
  return unsettled.length <= 2 * (passes.at(-1)?.pages ?? 0) ? unsettled : undefined;
}

function confirmationOf(
  last: Pass,
  passes: readonly Pass[],
  { known, maxPasses, exact = false }: Terms,
): "the last snapshot" | "another pass" | undefined {
  if (doubtOf(last) === undefined) {
    const follows = (ids: ReadonlySet<string>): boolean =>
      exact ? isDeepStrictEqual(ids, distinctIds(last)) : continues(ids, last);
    if (known !== undefined && follows(known.ids)) return "the last snapshot";
    const before = passes.at(-2);
    return before && follows(distinctIds(before)) ? "another pass" : undefined;
  }
  if (!isWhole(last)) return undefined;
  if (known?.rows === rowsOf(last) && isDeepStrictEqual(known.ids, distinctIds(last))) {
    return "the last snapshot";
  }
  const repeats = hasRepeats(last);
  const needed = repeats ? Math.max(2, maxPasses) : 2;
  const recent = passes.slice(-needed);
  const agree = (pass: Pass): boolean =>
    repeats ? isDeepStrictEqual(pass.ids, last.ids) : passesAgree(pass, last);
  const agreed = recent.every((pass) => isWhole(pass) && agree(pass));
  return agreed && recent.length === needed ? "another pass" : undefined;
}

/** What the last passes with one and the same total have together, as where equal keys change their order. */
function unionOf(passes: readonly Pass[]) {
  const last = passes.at(-1);
  const fits = (pass: Pass): boolean => isSteady(pass) && pass.ids.length === last?.ids.length;
  const united = passes.slice(passes.findLastIndex((pass) => !fits(pass)) + 1);
  const ids = new Set<string>();
  let newest = 0;
  for (const [at, pass] of united.entries()) {
    const { size } = ids;
    for (const id of distinctIds(pass)) ids.add(id);
    if (ids.size > size) newest = at;
  }
  const since = new Set(united.slice(newest + 1).flatMap((pass) => pass.ids));
  return {
    ids,
    /** What the total counts, without the doubles of a page. */
    rows: (last?.ids.length ?? 0) - (last?.doubles ?? 0),
    count: united.length,
    /** How many came after the one that brought the last new id. */
    idle: united.length - 1 - newest,
    /** Ids that none of the idle ones has. */
    unseen: [...ids].filter((id) => !since.has(id)),
  };
}

/** How many times `maxPasses` a list is read whose order changes: for new items, and then to see all of them again. */
const unstableFactor = 5;

/** Whether more passes than usual may bring what is missing. */
function mayUnite(passes: readonly Pass[], { maxPasses }: Terms): boolean {
  const { ids, rows, count, idle } = unionOf(passes);
  if (count < passes.length || ids.size > rows || !passes.some(hasRepeats)) return false;
  // Once all are there, each may have to be seen again.
  if (ids.size === rows) return idle < unstableFactor * maxPasses;
  return count < unstableFactor * maxPasses && idle < maxPasses;
}

/** The proof of one index after its passes. @throws RangeError where there are none */
export function proveIndex(list: string, passes: readonly Pass[], terms: Terms): ListProof {
  const last = passes.at(-1);
  if (last === undefined) throw new RangeError("no pass to prove anything");
  const verdict = verdictOf(passes, terms);
  const ids = verdict?.ids ?? distinctIds(last);
  const isExplained = verdict !== undefined && hasRepeats(last);
  const doubt = doubtOf(last) ?? (verdict === undefined ? "the passes differ" : undefined);
  return {
    list,
    collected: ids.size,
    expected: last.totals.at(-1) ?? null,
    pages: last.pages,
    passes: passes.length,
    agreed: verdict !== undefined,
    confirmedBy: verdict?.confirmedBy,
    remark: isExplained ? undefined : doubt,
  };
}

/** Whether another pass may prove what the ones before it do not. */
export function needsAnother(passes: readonly Pass[], terms: Terms): boolean {
  const [before, last] = [passes.at(-2), passes.at(-1)];
  if (last === undefined) return true;
  if (verdictOf(passes, terms) !== undefined) return false;
  // A third pass will not say otherwise than two that agree.
  if (before !== undefined && !isWhole(last) && passesAgree(before, last)) return false;
  return passes.length < terms.maxPasses || mayUnite(passes, terms);
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
        : "run again; if nothing changes, the origin contradicts itself: publish with --allow-incomplete",
  };
}
