/** Number of pages of a list; an empty list still has its first page. */
export function pageCount(items: number, perPage: number): number {
  return Math.max(1, Math.ceil(items / perPage));
}

/** Items of one page, counted from 1. */
export function pageItems<T>(items: readonly T[], page: number, perPage: number): T[] {
  return items.slice((page - 1) * perPage, page * perPage);
}

/**
 * Page numbers to offer on a page: the first, the last and those near; `null` stands for a gap. A gap of one
 * page is filled with its number.
 *
 * pageWindow(6, 20) → [1, null, 5, 6, 7, null, 20]
 */
export function pageWindow(current: number, last: number, near = 1): (number | null)[] {
  const wanted = [1, last];
  for (let page = current - near; page <= current + near; page++) wanted.push(page);
  const pages = [...new Set(wanted)]
    .filter((page) => page >= 1 && page <= last)
    .sort((a, b) => a - b);
  const window: (number | null)[] = [];
  let before = 0;
  for (const page of pages) {
    if (page - before === 2) window.push(page - 1);
    else if (page - before > 2) window.push(null);
    window.push(page);
    before = page;
  }
  return window;
}

/** Links of a paginated list, ready for its template; undefined where one page holds it all. */
export interface Pagination {
  current: number;
  last: number;
  previous: string | null;
  next: string | null;
  entries: ({ page: number; href: string; current: boolean } | null)[];
}

export function paginationOf(
  current: number,
  last: number,
  hrefOfPage: (page: number) => string,
): Pagination | undefined {
  if (last === 1) return undefined;
  return {
    current,
    last,
    previous: current > 1 ? hrefOfPage(current - 1) : null,
    next: current < last ? hrefOfPage(current + 1) : null,
    entries: pageWindow(current, last).map((page) =>
      page === null ? null : { page, href: hrefOfPage(page), current: page === current },
    ),
  };
}
