import { isDeepStrictEqual } from "node:util";
import type { ApiError } from "../errors.ts";
import { eachLimited } from "../lib/concurrency.ts";
import { isGone, isItemFailure } from "./failures.ts";
import { idsOf, type Page } from "./page.ts";

/** The pages of a list, as one pass reads them. */
export interface ReadPages {
  pages: Page[];
  /** Why the end is in doubt; undefined where something says that the list ends here. */
  openEnd?: string | undefined;
  /** Whether the list goes on behind the end that the origin names. */
  foundBehind?: boolean;
  /** The last page that the origin names, where the list ends before it. */
  overstated?: number | undefined;
}

/** The page on which each id was seen. */
type Places = Map<string, number>;

/** After so many pages in a row without anything new, the last page that the origin named counts as wrong. */
const maxIdlePages = 5;

/**
 * Reads a list page by page to its end:
 *
 * 1. The pages up to the last one that page 1 names, several at once, or until several in a row bring nothing new.
 *    Those behind the total are left out.
 * 2. Further pages, one by one, as long as the last one says that there is more, or nothing says that there is not. A
 *    page without anything new stops this.
 * 3. The page behind the end that the origin names, if `looksBehind`. If it has new items, the list goes on with it.
 *
 * @param read reads a page; `first` is page 1, if this is a further one
 * @param options.counted whether the parent counts the items: then a repeated page does not prove the end
 */
export async function readPages(
  limit: number,
  read: (number: number, first?: Page) => Promise<Page>,
  { looksBehind = false, counted = false } = {},
): Promise<ReadPages> {
  const first = await read(1);
  const readFurther = (number: number): Promise<Page> => read(number, first);
  const pages = await readNamed(first, limit, readFurther);
  const end = endByTotal(pages);
  if (end < pages.length) return { pages: pages.slice(0, end), overstated: first.lastPage };

  const places = placesOn(pages);
  let foundBehind = false;
  for (;;) {
    const number = pages.length + 1;
    let page: Page | undefined;
    if (mayGoOn(pages)) {
      page = await readItems(() => readFurther(number), isGone);
      const standstill = standstillAt(page, pages, places);
      if (standstill !== undefined) {
        const readNext = counted ? undefined : () => readFurther(number + 1);
        const isEnd = await endsBefore(page, pages, readNext);
        return { pages, foundBehind, openEnd: isEnd ? undefined : standstill };
      }
    } else if (looksBehind && first.count > 0) {
      // The origin has said that there is no such page: any failure shows it.
      page = await readItems(() => readFurther(number), isItemFailure);
      if (!goesOnWith(page, pages, places)) break;
      foundBehind = true;
    }
    if (page === undefined) break;
    for (const { id } of page.refs) places.set(id, number);
    pages.push(page);
  }
  return { pages, foundBehind };
}

/** Step 1: the pages up to the last one that page 1 names, or until several in a row bring nothing new. */
async function readNamed(first: Page, limit: number, read: (number: number) => Promise<Page>) {
  const pages = [first];
  const seen = new Set(first.refs.map(({ id }) => id));
  const last = first.lastPage ?? 1;
  let idle = 0;
  function* numbers(): Generator<number> {
    for (let page = 2; page <= last && idle < maxIdlePages; page++) yield page;
  }
  await eachLimited(numbers(), limit, async (number) => {
    const page = await read(number);
    const known = seen.size;
    for (const { id } of page.refs) seen.add(id);
    idle = seen.size > known ? 0 : idle + 1;
    pages[number - 1] = page;
  });
  return pages;
}

/** Step 1: how many pages have as many rows as the total says, if those behind bring nothing new; otherwise all. */
function endByTotal(pages: readonly Page[]): number {
  const total = pages[0]?.total;
  if (total === undefined || pages.some((page) => page.total !== total)) return pages.length;
  const lastWithNewItems = [...placesOn(pages).values()].at(-1) ?? 1;
  let end = lastWithNewItems;
  let rows = rowsOn(pages.slice(0, end));
  // Where the order changes, a page of the list can have items of earlier ones only.
  while (rows < total && end < pages.length) rows += pages[end++]?.count ?? 0;
  return rows < total ? pages.length : end;
}

/** Step 2: whether a list may go on: the last page says so, or nothing says that the list ends there. */
export function mayGoOn(pages: readonly { count: number; lastPage?: number; more?: boolean }[]) {
  const last = pages.at(-1);
  if (last === undefined) return true;
  if (last.lastPage !== undefined && pages.length < last.lastPage) return true;
  return last.more ?? (last.lastPage === undefined && last.count > 0);
}

/** Step 2: why a page that should go on with the list does not; undefined where it does. */
function standstillAt(page: Page | undefined, pages: readonly Page[], places: Places) {
  const number = pages.length + 1;
  if (page === undefined) return `page ${number - 1} names a next page, which has no items`;
  if (page.refs.length === 0) {
    const isSecond = pages.at(-1)?.refs.length === 0;
    return isSecond ? `pages ${number - 1} and ${number} have no readable item` : undefined;
  }
  const copied = new Set(page.refs.map(({ id }) => places.get(id)));
  if (copied.has(undefined)) return undefined;
  const [place] = copied;
  return copied.size === 1
    ? `page ${number} repeats page ${place}`
    : `page ${number} has only items of earlier pages`;
}

/**
 * Step 2: whether a list ends with its pages, because the page behind them brings nothing new. If the origin gives a
 * total or a last page, the proof will tell whether the list has all. If not, an empty page or none is the end, unless
 * the last page names a next one. So is a page that repeats the last one, if the list has several pages, the page after
 * it is the same again, and nothing names a next page: an origin that ignores page numbers gives one page for ever.
 *
 * @param readNext reads the page after `behind`; undefined where a repeated page is no end
 */
async function endsBefore(
  behind: Page | undefined,
  pages: readonly Page[],
  readNext: (() => Promise<Page>) | undefined,
): Promise<boolean> {
  const last = pages.at(-1);
  if (last?.total !== undefined || last?.lastPage !== undefined) return true;
  if (behind === undefined) return last?.more !== true;
  if (readNext === undefined || pages.length === 1 || behind.more !== undefined) return false;
  const isCopy = (page: Page | undefined): boolean => isDeepStrictEqual(idsOf(page), idsOf(last));
  return isCopy(behind) && isCopy(await readItems(readNext, isGone));
}

/**
 * Step 3: whether a page behind the end has new items, and the list room for them. Pages that have as many rows as
 * their total, some of them twice, are the whole list: its order changes, and so any page may have other items.
 */
function goesOnWith(page: Page | undefined, pages: readonly Page[], places: Places): boolean {
  const rows = rowsOn(pages);
  const isFullOfRepeats = places.size < rows && pages.every(({ total }) => total === rows);
  return !isFullOfRepeats && page?.refs.some(({ id }) => !places.has(id)) === true;
}

/** A page with items; undefined where it has none, or a failure says that there is no such page. */
async function readItems(read: () => Promise<Page>, isNone: (error: ApiError) => boolean) {
  try {
    const page = await read();
    return page.count === 0 ? undefined : page;
  } catch (error) {
    if (isItemFailure(error) && isNone(error)) return undefined;
    throw error;
  }
}

/** On which page each id was seen first, in the order of the pages. */
function placesOn(pages: readonly Page[]): Places {
  const places: Places = new Map();
  for (const [at, { refs }] of pages.entries()) {
    for (const { id } of refs) if (!places.has(id)) places.set(id, at + 1);
  }
  return places;
}

function rowsOn(pages: readonly Page[]): number {
  return pages.reduce((sum, { count }) => sum + count, 0);
}

/**
 * Page 1 once more, because items that were added during the pass pushed others onto pages that had been read;
 * and the pages after it as long as they hold items that were not seen. A list of one page was read at once.
 */
export async function readHead(pages: readonly Page[], read: (number: number) => Promise<Page>) {
  if (pages.length === 1) return { head: [], grew: false };
  const head = [await read(1)];
  const seen = new Set(pages.flatMap(idsOf));
  const isNew = (page: Page | undefined): boolean => idsOf(page).some((id) => !seen.has(id));
  const grew = isNew(head[0]);
  while (head.length < pages.length && isNew(head.at(-1))) head.push(await read(head.length + 1));
  return { head, grew };
}
