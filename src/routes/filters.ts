import type { Query } from "./query.ts";
import { encodeSegment } from "./segments.ts";

/** Parameters that narrow an index down, in the order in which they become folders of the mirror. */
export const filterNames = ["year", "month", "category", "tags"] as const;
export type FilterName = (typeof filterNames)[number];

/** What an index is narrowed down to. */
export interface Filters {
  year?: number;
  /** 1 to 12; other numbers list nothing. Only together with `year`. */
  month?: number;
  /** Id or slug. */
  category?: string;
  /** Slugs, each once, at least one. */
  tags?: readonly string[];
}

/** The form of a year, a month: a number of one to four digits. */
const number = /^\d{1,4}$/;

/**
 * The filters that a query asks for, of those that an index knows. A month without a year, empty tags and repeated
 * tags are ignored. Undefined where year or month is no number.
 */
export function filtersOf(query: Query, known: readonly FilterName[]): Filters | undefined {
  const value = (name: FilterName): string | undefined =>
    known.includes(name) ? query.get(name) : undefined;
  const [year, category] = [value("year"), value("category")];
  const month = year === undefined ? undefined : value("month");
  if ([year, month].some((text) => text !== undefined && !number.test(text))) return undefined;
  const tags = [...new Set((value("tags") ?? "").split(","))].filter((tag) => tag !== "");
  return {
    ...(year === undefined ? {} : { year: Number(year) }),
    ...(month === undefined ? {} : { month: Number(month) }),
    ...(category === undefined ? {} : { category }),
    ...(tags.length === 0 ? {} : { tags }),
  };
}

/** The parameters that ask for filters, in the order of the mirror's folders. */
export function parametersOf(filters: Filters): [FilterName, string][] {
  return filterNames
    .map((name): [FilterName, string] => [name, String(filters[name] ?? "")])
    .filter(([, value]) => value !== "");
}

export function isFiltered(filters: Filters | undefined): filters is Filters {
  return filters !== undefined && parametersOf(filters).length > 0;
}

/**
 * Reserved folders of a filtered list below its index; "" without filters. Tags are repeated.
 *
 * folderOf({ year: 2024, tags: ["a", "b"] }) → "by/year/2024/tags/a/tags/b"
 */
export function folderOf(filters: Filters): string {
  const { tags = [], ...others } = filters;
  const segments = parametersOf(others).flatMap(([name, value]) => [name, encodeSegment(value)]);
  for (const tag of tags) segments.push("tags", encodeSegment(tag));
  return segments.length === 0 ? "" : ["by", ...segments].join("/");
}
