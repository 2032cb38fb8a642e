import type { Problem } from "../lib/reporter.ts";
import type { ListDraft, Ref } from "../store/snapshots.ts";
import { followsFrom, type Page } from "./page.ts";

/** A whole paginated list: its items in order, and what its pages looked like. */
export interface PagedList extends Omit<ListDraft, "refs"> {
  /** Each item once. */
  refs: Ref[];
  /** All rows of its pages: an item that stands in the list twice stands here twice. */
  rows: Ref[];
  malformed: Problem[];
  total: number | undefined;
}

/**
 * The list that pages make up. An item that occurs twice stands where it was first.
 *
 * @param head the first pages once more, if items were added on top since
 */
export function joinPages(pages: readonly Page[], head: readonly Page[] = []): PagedList {
  const first = head[0] ?? pages[0];
  if (first === undefined) throw new RangeError("a list has at least one page");
  const all = [...head, ...pages];
  const refs = new Map<string, Ref>();
  const malformed = new Map<string, Problem>();
  for (const page of all) {
    for (const ref of page.refs) if (!refs.has(ref.id)) refs.set(ref.id, ref);
    for (const problem of page.malformed) malformed.set(problem.subject, problem);
  }
  // Pages of different states of the list: none of their envelopes fits the list as it is joined.
  const moved = head.length > 0 || pages.some((page) => page.total !== first.total);
  return {
    refs: [...refs.values()],
    rows: all.flatMap((page) => page.refs),
    malformed: [...malformed.values()],
    perPage: first.perPage,
    envelope: first.envelope,
    overrides: moved ? {} : overridesOf(first, pages),
    total: first.total,
  };
}

function overridesOf(first: Page, pages: readonly Page[]): Record<string, string> {
  const overrides: Record<string, string> = {};
  const total = first.total ?? pages.reduce((sum, page) => sum + page.count, 0);
  for (const [index, { envelope, count }] of pages.entries()) {
    if (index === 0 || envelope === null) continue;
    if (followsFrom({ ...first, total }, envelope, index + 1, count)) continue;
    overrides[index + 1] = envelope;
  }
  return overrides;
}
