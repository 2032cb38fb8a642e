import { envelopeElsewhere, withFilters } from "../api/envelope.ts";
import { keyOf } from "../lib/digest.ts";
import type { OutputFile } from "../lib/output.ts";
import { parametersOf } from "../routes/filters.ts";
import type { FilterLinks } from "../routes/learned.ts";
import type { Parent, Routes } from "../routes/table.ts";
import type { Ref } from "../store/snapshots.ts";
import type { Answers } from "./answers.ts";
import type { FilteredList, Filtering } from "./filtered.ts";
import { type PagedList, pagesOf } from "./paged-lists.ts";

export interface FilterSource {
  name: Parent;
  list: PagedList;
  filtering: Filtering;
  /** How the origin writes filters into its links, where a crawl has learned it. */
  filterLinks: FilterLinks | undefined;
}

/** The filtered lists of an index, the empty list for all other filters, and the index of the filters. */
export function* filterFiles(
  source: FilterSource,
  routes: Routes,
  answers: Answers,
): Generator<OutputFile> {
  const { name, filtering } = source;
  for (const filtered of filtering.lists.values()) {
    const request = { route: "index", index: name, filters: filtered.filters } as const;
    yield* answers.pages(pagedList(source, filtered), (page) => ({ ...request, page }));
  }
  yield emptyList(source, routes.emptyFileOf(name), answers);
  const text = JSON.stringify(filtering.index);
  yield { path: routes.filterIndexOf(name), key: keyOf(text), content: () => text };
}

function pagedList(
  { list, filtering, filterLinks }: FilterSource,
  { filters, count, positions }: FilteredList,
): PagedList {
  const parameters = parametersOf(filters);
  const { perPage, envelope } = list;
  const change = (url: string, of: "page" | "path"): string =>
    of === "path" ? url : withFilters(url, parameters, filterLinks);
  return {
    refs: () => positions().map((at) => filtering.refs[at] as Ref),
    count,
    filtered: true,
    perPage,
    envelope: envelope && envelopeElsewhere(envelope, change),
    overrides: {},
  };
}

/** The empty list. Its links lead to itself, because it answers for any filters. */
function emptyList(source: FilterSource, path: string, { settings, linker }: Answers): OutputFile {
  const self = keyOf("itself", path);
  const none = pagedList(source, { filters: {}, count: 0, positions: () => [] });
  const [{ envelope } = { envelope: "{}" }] = pagesOf(none);
  const marked = envelopeElsewhere(envelope, (url, of) => (of === "path" ? url : self));
  return {
    path,
    key: keyOf(settings, "empty", marked, linker.destinations(marked)),
    content: () => linker.rewrite(marked, path).replaceAll(self, linker.hrefOf(path, path)),
  };
}
