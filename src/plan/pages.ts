import type { Page } from "../probe/prober.ts";

/** The path of a page of a list. */
export function pageIn(path: string, page: number): string {
  return `${path}${path.includes("?") ? "&" : "?"}page=${page}`;
}

/** The n-th of some pages: pairs of neighbours, so that items of one time stay together, from the first to the last. */
export function pageAt(n: number, most: number, last: number): number {
  if (most === last) return n + 1;
  const pairs = Math.ceil(most / 2) - 1;
  return 1 + Math.round((Math.floor(n / 2) * (last - 2)) / pairs) + (n % 2);
}

/** Some of many items, at equal distances. */
export function spread<T>(items: readonly T[], most: number): T[] {
  const every = Math.ceil(items.length / most);
  return items.filter((_, at) => at % every === 0);
}

/** The ids on a page, as they stand there. */
export function idsOf({ data }: Page): unknown[] {
  return data.map((item) => (item as { id?: unknown } | null)?.id);
}
