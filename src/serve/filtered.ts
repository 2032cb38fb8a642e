import {
  envelopeElsewhere,
  envelopeForPage,
  envelopeOf,
  withData,
  withFilters,
  withPage,
} from "../api/envelope.ts";
import { elementsOf, membersOf } from "../lib/jsontext.ts";
import { type FilterIndex, type MirrorDescription, positionsOf } from "../routes/description.ts";
import { type Filters, parametersOf } from "../routes/filters.ts";
import type { MirrorTable } from "../routes/table.ts";

/** A page of a filtered list that has no file. */
export interface FilteredRequest {
  index: "articles" | "galleries";
  page: number;
  filters: Filters;
  /** Whether pages behind the last one are empty, and not missing. */
  emptyPages: boolean;
}

export interface FilterSources {
  table: MirrorTable;
  description: Pick<MirrorDescription, "links" | "tagMatch" | "filterLinks" | "behind">;
  /** URL of the mirror root as the client sees it. */
  baseUrl: string;
  filterIndex(index: "articles" | "galleries"): Promise<FilterIndex | undefined>;
  /** The JSON of a file with its links made absolute. */
  absolute(json: string, file: string): string;
  /** JSON of a file, its links absolute. */
  read(file: string): Promise<string | undefined>;
}

/**
 * One page of what filters leave of an index, put together from the pages of the whole index; undefined where it
 * is missing behind the last one, or the mirror has no such index.
 */
export async function filteredPage(
  { index, page, filters, emptyPages }: FilteredRequest,
  { table, description, baseUrl, filterIndex, read }: FilterSources,
): Promise<string | undefined> {
  const found = await filterIndex(index);
  const fileOf = (number: number): string | undefined =>
    table.fileOf({ route: "index", index, page: number });
  const first = await read(fileOf(1) ?? "");
  if (found === undefined || first === undefined) return undefined;
  const positions = positionsOf(found, filters, description.tagMatch);
  const perPage = found.perPage > 0 ? found.perPage : Number.POSITIVE_INFINITY;
  const start = page === 1 ? 0 : (page - 1) * perPage;
  const chosen = positions.slice(start, start + perPage);
  if (page > 1 && chosen.length === 0 && !emptyPages) return undefined;

  const pages = new Map<number, string[]>();
  const items: string[] = [];
  for (const position of chosen) {
    const number = found.perPage > 0 ? Math.floor(position / perPage) + 1 : 1;
    const ofPage = pages.get(number) ?? dataOf((await read(fileOf(number) ?? "")) ?? "{}");
    pages.set(number, ofPage);
    const item = ofPage[position - (number - 1) * (found.perPage > 0 ? perPage : 0)];
    if (item !== undefined) items.push(item);
  }
  const indexUrl = baseUrl + table.pathOf({ route: "index", index, page: 1 });
  const parameters = parametersOf(filters);
  const model = envelopeElsewhere(envelopeOf(first), (written, of) => {
    if (of === "path") return indexUrl;
    // Only the API's own links show how the origin writes them.
    const url = description.links === "api" ? written : withPage(indexUrl, 1);
    return withFilters(url, parameters, description.filterLinks);
  });
  const target = { page, perPage: found.perPage, total: positions.length, count: items.length };
  return withData(envelopeForPage(model, target), items);
}

function dataOf(answer: string): string[] {
  const span = membersOf(answer).get("data");
  return span === undefined ? [] : elementsOf(answer.slice(span.start, span.end));
}
