import { envelopeElsewhere, withFilters } from "../api/envelope.ts";
import type { Catalogue } from "../catalogue/catalogue.ts";
import type { FilterCombination } from "../config/filters.ts";
import type { Config } from "../config.ts";
import { yearMonthIn } from "../lib/calendar.ts";
import { keyOf } from "../lib/digest.ts";
import { largest, smallest } from "../lib/many.ts";
import type { OutputFile } from "../lib/output.ts";
import type { FilterIndex } from "../routes/description.ts";
import { type Filters, folderOf, parametersOf } from "../routes/filters.ts";
import type { Parent } from "../routes/table.ts";
import type { Ref } from "../store/snapshots.ts";
import type { Answers } from "./answers.ts";
import { urlsOf } from "./links.ts";
import { type PagedList, pagesOf } from "./paged-lists.ts";

type Item = FilterIndex["items"][number];

interface FilteredList {
  filters: Filters;
  count: number;
  positions: () => readonly number[];
}

interface Filtering {
  name: Parent;
  index: FilterIndex;
  refs: readonly Ref[];
  /** The lists that become files, by their folder. */
  lists: ReadonlyMap<string, FilteredList>;
}

/**
 * Works out the filtered lists of an index from what the store holds, as the origin would answer: years and months
 * in the time zone of `origin.timezone`, categories by id and by slug, and the combinations of `mirror.filters`.
 *
 * A single filter has a list for each value that the origin knows, also an empty one: each category, each tag, and
 * each month of each year from the first to the last. A combination has only lists with items.
 */
export function filterIndex(
  name: Parent,
  catalogue: Catalogue,
  config: Pick<Config, "origin" | "mirror">,
  tagMatch: "any" | "all",
): Filtering {
  const { refs, index } = readIndex(name, catalogue, config.origin.timezone);
  const names = namesByNumber(index);
  const lists = new Map<string, FilteredList>();
  for (const combination of config.mirror.filters) {
    // Galleries have neither categories nor tags.
    if (name === "galleries" && /category|tag/.test(combination)) continue;
    const made =
      combination === "tag+tag"
        ? pairLists(index, names.tags, tagMatch)
        : valueLists(index, names, combination);
    for (const list of made) lists.set(folderOf(list.filters), list);
  }
  return { name, index, refs, lists };
}

function readIndex(name: Parent, catalogue: Catalogue, timezone: string) {
  const { snapshot } = catalogue;
  const yearMonth = yearMonthIn(timezone);
  const refs: Ref[] = [];
  const items: Item[] = [];
  const categories = new Map<string, number>();
  const tags = new Map<string, number>();
  if (name === "articles") {
    for (const ref of snapshot.refs("tags")) numberOf(tags, ref.id);
    for (const ref of snapshot.refs("categories")) numberOf(categories, ref.id);
  }
  for (const { id, digest, value: normal } of snapshot.normals(name)) {
    const [year, month] = normal.publishedAt === null ? [0, 0] : yearMonth(normal.publishedAt);
    const category = "category" in normal ? catalogue.categoryOf(normal) : null;
    const ofTags = "tags" in normal ? [...new Set(normal.tags)] : [];
    refs.push({ id, digest });
    items.push([
      year * 100 + month,
      category === null ? -1 : numberOf(categories, category),
      ...ofTags.map((tag) => numberOf(tags, tag)),
    ]);
  }
  if (name === "articles") {
    for (const { id, value } of snapshot.normals("categories")) {
      const { slug } = value;
      // An id is meant before a slug, and of equal slugs the first.
      if (slug !== "" && !categories.has(slug)) categories.set(slug, numberOf(categories, id));
    }
  }
  const index: FilterIndex = {
    perPage: snapshot.list(name)?.perPage ?? 0,
    categories: nameable(categories, catalogue),
    tags: nameable(tags, catalogue),
    items,
  };
  return { refs, index };
}

/** Nobody can ask for a name that must not be shown. */
function nameable(numbers: ReadonlyMap<string, number>, { hides }: Pick<Catalogue, "hides">) {
  return Object.fromEntries([...numbers].filter(([name]) => !hides(name)));
}

function numberOf(numbers: Map<string, number>, name: string): number {
  const number = numbers.get(name) ?? numbers.size;
  numbers.set(name, number);
  return number;
}

type Names = ReturnType<typeof namesByNumber>;

function namesByNumber({ categories, tags }: FilterIndex) {
  const byNumber = (numbers: Record<string, number>, canBeAsked: RegExp): string[][] => {
    const names: string[][] = [];
    for (const [name, number] of Object.entries(numbers)) {
      names[number] ??= [];
      if (canBeAsked.test(name)) names[number].push(name);
    }
    return names;
  };
  // A query cannot ask for half of a character, nor for a tag with a comma.
  return {
    categories: byNumber(categories, /^\P{Surrogate}+$/su),
    tags: byNumber(tags, /^[^,\p{Surrogate}]+$/su),
  };
}

function* valueLists(
  { items }: FilterIndex,
  names: Names,
  combination: FilterCombination,
): Generator<FilteredList> {
  const parts = combination.split("+");
  const lists = new Map<string, { filters: Filters; positions: number[] }>();
  const listOf = (filters: Filters) => {
    const key = JSON.stringify(filters);
    const list = lists.get(key) ?? { filters, positions: [] };
    lists.set(key, list);
    return list;
  };
  for (const filters of everyValue(items, names, combination)) listOf(filters);
  for (const [position, item] of items.entries()) {
    let found: Filters[] = [{}];
    for (const part of parts) {
      const values = valuesOf(part, item, names);
      found = found.flatMap((filters) => values.map((value) => ({ ...filters, ...value })));
    }
    for (const filters of found) listOf(filters).positions.push(position);
  }
  for (const { filters, positions } of lists.values()) {
    yield { filters, count: positions.length, positions: () => positions };
  }
}

/** The values of one part of a combination that an item has. */
function valuesOf(part: string, [time, category, ...tags]: Item, names: Names): Filters[] {
  switch (part) {
    case "year":
      return time === 0 ? [] : [{ year: Math.floor(time / 100) }];
    case "month":
      return [{ month: time % 100 }];
    case "category":
      return (names.categories[category] ?? []).map((name) => ({ category: name }));
    default:
      return tags.flatMap((tag) => names.tags[tag] ?? []).map((slug) => ({ tags: [slug] }));
  }
}

/** The values of a single filter that every server must know, with items or without. */
function* everyValue(
  items: readonly Item[],
  { categories, tags }: Names,
  combination: FilterCombination,
): Generator<Filters> {
  if (combination === "category") for (const category of categories.flat()) yield { category };
  if (combination === "tag") for (const tag of tags.flat()) yield { tags: [tag] };
  if (combination !== "year" && combination !== "year+month") return;
  const years = new Set(items.flatMap(([time]) => (time === 0 ? [] : [Math.floor(time / 100)])));
  const [first, last] = [smallest(years), largest(years)];
  // A mistaken date must not make thousands of empty lists.
  if (last - first > 100) return;
  for (let year = first; year <= last; year++) {
    if (combination === "year") yield { year };
    else for (let month = 1; month <= 12; month++) yield { year, month };
  }
}

/**
 * The lists of two tags in either order, if they list something. The items with any of the two are put together on
 * demand, because all pairs together are many times as long as the index.
 */
function* pairLists(
  { items }: FilterIndex,
  names: Names["tags"],
  tagMatch: "any" | "all",
): Generator<FilteredList> {
  const having = Array.from(names, (): number[] => []);
  for (const [position, [, , ...tags]] of items.entries()) {
    for (const tag of tags) having[tag]?.push(position);
  }
  for (const [a, ofA] of having.entries()) {
    const isOfA = new Set(ofA);
    for (const [b, ofB] of having.entries()) {
      if (a === b) continue;
      const both = ofB.filter((position) => isOfA.has(position));
      const either = (): number[] => [...new Set([...ofA, ...ofB])].sort((p, q) => p - q);
      const [count, positions] =
        tagMatch === "all"
          ? [both.length, () => both]
          : [ofA.length + ofB.length - both.length, either];
      if (count === 0) continue;
      for (const first of names[a] ?? []) {
        for (const second of names[b] ?? [])
          yield { filters: { tags: [first, second] }, count, positions };
      }
    }
  }
}

/** The filtered lists of an index, the empty list for all other filters, and the index of the filters. */
export function* filterFiles(
  { name, index, refs, lists }: Filtering,
  { perPage, envelope }: PagedList,
  { routes, snapshot }: Catalogue,
  answers: Answers,
): Generator<OutputFile> {
  const filterLinks = snapshot.manifest.learned?.filterLinks;
  const paged = ({ filters, count, positions }: FilteredList): PagedList => {
    const change = (url: string, of: "page" | "path"): string =>
      of === "path" ? url : withFilters(url, parametersOf(filters), filterLinks);
    return {
      refs: () => positions().map((at) => refs[at] as Ref),
      count,
      filtered: true,
      perPage,
      envelope: envelope && envelopeElsewhere(envelope, change),
      overrides: {},
    };
  };
  for (const filtered of lists.values()) {
    const request = { route: "index", index: name, filters: filtered.filters } as const;
    yield* answers.pages(paged(filtered), (page) => ({ ...request, page }));
  }
  const none = paged({ filters: {}, count: 0, positions: () => [] });
  yield emptyList(none, routes.emptyFileOf(name), answers);
  const text = JSON.stringify(index);
  yield { path: routes.filterIndexOf(name), key: () => keyOf(text), content: () => text };
}

/** The empty list. Its links lead to itself, because it answers for any filters. */
function emptyList(none: PagedList, path: string, { settings, linker }: Answers): OutputFile {
  const self = keyOf("itself", path);
  const [page] = pagesOf(none);
  const marked = envelopeElsewhere(page?.envelope() ?? "{}", (url, of) =>
    of === "path" ? url : self,
  );
  return {
    path,
    key: () => keyOf(settings, "empty", marked, linker.destinations(urlsOf(marked))),
    content: () => linker.rewrite(marked, path).replaceAll(self, linker.hrefOf(path, path)),
  };
}
