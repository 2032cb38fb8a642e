import { isDeepStrictEqual } from "node:util";
import { idsOf, type Page } from "./page.ts";

/** What one pass over the pages of a list tells of it. */
export interface Pass {
  /** Ids of the rows in the order of the pages; one that stands in the list twice stands here twice. */
  ids: string[];
  /** Ids of the head: page 1, and further ones as far as they hold unseen ids, read again after the last page. */
  head: string[];
  /** meta.total of each page in the order of reading, the head's last; undefined where a page has none. */
  totals: (number | undefined)[];
  pages: number;
  /** Pages without items, unless they are the only one. */
  empty: number;
  /** Rows whose id stands further up on the same page: one answer has both, so neither hides another row. */
  doubles: number;
  /** Why nothing says that the list ends behind these pages. */
  openEnd?: string;
  /** Which page is a copy of another one: `page 2 repeats page 1`. */
  repeated?: string;
}

/** The first page that is a copy of an earlier one: the origin may ignore page numbers. */
function repetitionIn(pages: readonly Page[]): string | undefined {
  const seen = new Map<string, number>();
  for (const [at, { refs }] of pages.entries()) {
    if (refs.length === 0) continue;
    const key = JSON.stringify(refs.map(({ id }) => id));
    const place = seen.get(key);
    if (place !== undefined) return `page ${at + 1} repeats page ${place}`;
    seen.set(key, at + 1);
  }
  return undefined;
}

/** What the pages of one pass tell; `head` are the first ones, read again after the last. */
export function passOf(
  pages: readonly Page[],
  head: readonly Page[],
  openEnd: string | undefined,
): Pass {
  // The pages were asked for at the same time: totals count in the order in which they came.
  const read = [...pages].sort((a, b) => a.at - b.at);
  return {
    ids: pages.flatMap(idsOf),
    head: head.flatMap(idsOf),
    totals: [...read, ...head].map((page) => page.total),
    pages: pages.length,
    empty: pages.length === 1 ? 0 : pages.filter((page) => page.count === 0).length,
    doubles: pages.reduce(
      (sum, { refs }) => sum + refs.length - new Set(refs.map(({ id }) => id)).size,
      0,
    ),
    openEnd,
    repeated: repetitionIn(pages),
  };
}

/**
 * What speaks against a pass as the whole of a list; undefined where nothing does.
 *
 * Totals that never fall mean that nothing was removed, so that everything seen is still there. As many rows as the
 * last total says are then all there are. A row that another page has too does not count: it may stand in the place of
 * one that was carried past the reader. Items that were added on top meanwhile stand in the head. A removal and an
 * addition between two pages leave the total as it was and can carry an item past the reader; therefore a pass needs
 * another one that it continues.
 */
export function doubtOf(pass: Pass): string | undefined {
  const first = pass.totals[0];
  const last = pass.totals.at(-1);
  const size = distinctIds(pass).size + pass.doubles;
  if (pass.empty > 0) return `${pass.empty} of ${pass.pages} pages are empty`;
  if (first === undefined || last === undefined || pass.totals.includes(undefined)) {
    const silence = pass.pages > 1 ? "the origin gives no total" : undefined;
    return pass.openEnd ?? pass.repeated ?? silence;
  }
  if (fell(pass.totals)) return "items were removed while the index was read";
  if (size !== last) {
    const repeated = pass.repeated === undefined ? "" : `: ${pass.repeated}`;
    return `${size} items of ${last}${repeated}`;
  }
  if (pass.repeated !== undefined) return pass.repeated;
  return sameHead(pass, last > first) ? undefined : "the index changed while it was read";
}

/**
 * Whether a pass has every item that a list had before, and others only on top of them.
 *
 * That proves the pass: an item is carried past the reader only if one that was read already is removed while another
 * one is added behind. Then the next pass lacks the removed one, or this one has the added one below its top.
 */
export function continues(before: ReadonlySet<string>, pass: Pass): boolean {
  const ids = [...distinctIds(pass)];
  const added = ids.length - before.size;
  return added >= 0 && ids.slice(added).every((id) => before.has(id));
}

/** Whether two passes saw the same items in as many rows, in whatever order. */
export function passesAgree(before: Pass, after: Pass): boolean {
  const isSame = isDeepStrictEqual(distinctIds(before), distinctIds(after));
  return isSame && rowsOf(before) === rowsOf(after);
}

/** Whether a pass is whole by its own envelope: no page is empty or a copy, and neither end nor rows are missing. */
export function isWhole(pass: Pass): boolean {
  const { empty, totals, openEnd, repeated } = pass;
  if (empty > 0 || fell(totals) || openEnd !== undefined || repeated !== undefined) return false;
  return rowsOf(pass) >= (totals.at(-1) ?? 0);
}

/** Whether a pass is whole and has as many rows as its total, which stayed the same. */
export function isSteady(pass: Pass): boolean {
  return isWhole(pass) && pass.totals.every((total) => total === pass.ids.length);
}

/** Whether ids stand on several pages. */
export function hasRepeats({ ids, doubles }: Pass): boolean {
  return new Set(ids).size + doubles < ids.length;
}

/** Whether two passes show that the order of a list changes from request to request. */
export function isUnstable(passes: readonly Pass[]): boolean {
  const moving = passes.filter(movesRows);
  return moving.some(({ ids }) => !isDeepStrictEqual(ids, moving[0]?.ids));
}

/** Whether rows stand on two pages of a list that did not change: they moved between two requests. */
export function movesRows(pass: Pass): boolean {
  return isSteady(pass) && hasRepeats(pass);
}

/** Rows of a pass, and of its head those that the pages do not have. */
export function rowsOf(pass: Pass): number {
  return pass.ids.length + distinctIds(pass).size - new Set(pass.ids).size;
}

/** Ids of a pass, those of the head first. */
export function distinctIds({ head, ids }: Pass): Set<string> {
  return new Set([...head, ...ids]);
}

function fell(totals: Pass["totals"]): boolean {
  return totals.some((total, at) => (total ?? 0) < (totals[at - 1] ?? 0));
}

/** Whether the head shows what the pages began with, below what may have been added on top. */
function sameHead({ head, ids }: Pass, grew: boolean): boolean {
  const read = new Set(ids);
  const old = head.filter((id) => read.has(id));
  if (old.length < head.length && !grew) return false;
  // An item that was pushed to the next page occurs on both, and counts once.
  return [...read].slice(0, old.length).every((id, at) => id === old[at]);
}
