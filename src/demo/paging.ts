import type { OriginOptions } from "./options.ts";

export interface PageRequest extends Partial<Pick<OriginOptions, "behindLastPage" | "otherPager">> {
  /** Without a query. */
  path: string;
  /** `page` is replaced in links, filters stay. */
  query: URLSearchParams;
  pageSize: number;
}

/** Page 1 for anything that is no number. */
export function pageOf<T>(items: readonly T[], { query, pageSize }: PageRequest): T[] {
  const page = currentPage(query);
  return items.slice((page - 1) * pageSize, page * pageSize);
}

/** The envelope of the API document; undefined behind the last page if the answer is 404. */
export function envelope(data: unknown[], total: number, request: PageRequest) {
  const { path, query, pageSize, behindLastPage, otherPager } = request;
  const page = currentPage(query);
  const last = Math.max(1, Math.ceil(total / pageSize));
  if (page > last && behindLastPage === "404") return undefined;
  const url = (number: number): string => {
    const search = new URLSearchParams(query);
    search.delete("page");
    const parts = [`page=${number}`, ...(search.size > 0 ? [String(search)] : [])];
    return `${path}?${(otherPager ? parts : parts.reverse()).join("&")}`;
  };
  const prev = page > 1 ? url(page - 1) : null;
  const next = page < last ? url(page + 1) : null;
  const arrows = otherPager ? ["&laquo; Previous", "Next &raquo;"] : ["« Previous", "Next »"];
  const from = (page - 1) * pageSize + 1;
  return {
    data,
    links: { first: url(1), last: url(last), prev, next: otherPager ? (next ?? undefined) : next },
    meta: {
      current_page: page,
      from: data.length > 0 ? from : null,
      last_page: last,
      links: [
        { url: prev, label: arrows[0], active: false },
        ...pageWindow(page, last).map((number) => ({
          url: number && url(number),
          label: String(number ?? "..."),
          active: number === page,
        })),
        { url: next, label: arrows[1], active: false },
      ],
      path,
      per_page: pageSize,
      to: data.length > 0 ? from + data.length - 1 : null,
      total,
    },
  };
}

function currentPage(query: URLSearchParams): number {
  const text = query.get("page") ?? "";
  return /^\d{1,9}$/.test(text) ? Math.max(1, Number(text)) : 1;
}

/**
 * The numbers of a pager as Laravel has them, null standing for "...": all of up to 13, else two at each end and three on
 * either side of the current one.
 */
function pageWindow(page: number, last: number): (number | null)[] {
  const range = (from: number, to: number) =>
    Array.from({ length: to - from + 1 }, (_, at) => from + at);
  if (last < 14) return range(1, last);
  if (page <= 7) return [...range(1, 10), null, last - 1, last];
  if (page > last - 7) return [1, 2, null, ...range(last - 9, last)];
  return [1, 2, null, ...range(page - 3, page + 3), null, last - 1, last];
}
