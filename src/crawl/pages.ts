import { envelopeForPage } from "../api/envelope.ts";
import { sameJson } from "../api/same-json.ts";
import { describeIssues, WireEnvelope } from "../api/schema.ts";
import { eachLimited } from "../lib/concurrency.ts";
import type { Problem } from "../lib/reporter.ts";
import type { ItemCollection } from "../store/records.ts";
import type { ListDraft, Ref } from "../store/snapshots.ts";
import { type AskedPage, ask, type KeptAnswer } from "./ask.ts";
import type { CrawlContext } from "./context.ts";
import { contractError, isGone, isItemFailure } from "./failures.ts";
import { type Ingested, ingestList, openAnswer } from "./ingest.ts";
import { lastPageOf, mayGoOn, totalOf } from "./plan.ts";

/** One page of a paginated list, as it is journalled. */
export interface Page extends Ingested {
  /** Items the page had, malformed ones included. */
  count: number;
  /** When it was read, milliseconds since 1970. */
  at: number;
  total?: number;
  lastPage?: number;
  /** Whether the origin names a next page; undefined where it says nothing of it. */
  more?: boolean;
  perPage: number;
  /** Raw envelope with `data` emptied; null where it follows from page 1's. */
  envelope: string | null;
}

/** A whole paginated list: its items in order, and what its pages looked like. */
export interface PagedList extends Omit<ListDraft, "refs"> {
  /** Each item once. */
  refs: Ref[];
  /** All rows of its pages: an item that stands in the list twice stands here twice. */
  rows: Ref[];
  malformed: Problem[];
  total: number | undefined;
}

/** How far pages are read where the origin names no last page. */
const maxOpenEndedPages = 1_000_000;
/** After so many pages in a row without anything new, the last page that the origin named counts as wrong. */
const maxIdlePages = 5;

/** Reads a page; `first` is page 1, if this is a further one. @throws ApiError where it fails or has no envelope */
export async function readPage(
  context: CrawlContext,
  collection: ItemCollection,
  url: string,
  { first, number, endpoint }: AskedPage & { first?: Page | undefined },
): Promise<Page> {
  const page = await ask<Page>(context, {
    url,
    page: { number, endpoint },
    read: (answer) => openPage(context, collection, url, answer),
  });
  if (endpoint !== undefined && page.total !== undefined) context.counting.add(endpoint);
  const { envelope, count } = page;
  const follows = envelope !== null && followsFrom(first, envelope, number, count);
  return follows ? { ...page, envelope: null } : page;
}

/** Takes the answer to a page apart, and stores its items. @throws ApiError */
function openPage(
  context: CrawlContext,
  collection: ItemCollection,
  url: string,
  { text, value }: KeptAnswer,
): Page {
  const parsed = WireEnvelope.safeParse(value);
  const source = `GET ${url.slice(context.config.origin.baseUrl.length)}`;
  const opened = openAnswer(text);
  if (!parsed.success || !opened?.data.startsWith("[")) {
    const issues = parsed.success ? "data: expected an array" : describeIssues(parsed.error);
    throw contractError(source, url, `unexpected answer: ${issues}`);
  }
  const { meta, links, data } = parsed.data;
  const count = data.length;
  const total = totalOf(parsed.data);
  return {
    ...ingestList(context, collection, source, opened.data, value),
    count,
    at: context.now().getTime(),
    total,
    lastPage: lastPageOf({ ...meta, total }),
    // A link that is null or empty says that there is none; a missing one says nothing.
    more: links?.next === undefined ? undefined : Boolean(links.next),
    perPage: meta?.per_page || count,
    envelope: opened.envelope,
  };
}

/** Whether a page's envelope is the one that the rules make from page 1's. */
function followsFrom(
  first: Page | undefined,
  envelope: string,
  page: number,
  count: number,
): boolean {
  if (typeof first?.envelope !== "string" || first.total === undefined) return false;
  const { perPage, total } = first;
  return sameJson(envelopeForPage(first.envelope, { page, perPage, total, count }), envelope);
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

/** The pages of a list. */
export interface PageWalk {
  pages: Page[];
  /** Why nothing says that the list ends behind them; undefined where something does. */
  unended?: string;
  /** Whether there were pages behind the last one that the origin named. */
  beyond?: boolean;
  /** The last page that the origin names, where the total ends before it and the pages behind bring nothing new. */
  named?: number;
}

/**
 * All pages of a list: up to the last one that page 1 names, and then as long as pages say that there is more, or
 * nothing says that there is not. An empty page or none (404) ends a list that says nothing. A page of items that were
 * seen already does not, because an origin that ignores page numbers gives the same one for ever. Where the origin
 * names a last page far behind the end, several pages without anything new end the list, without those behind its
 * total.
 *
 * @param beyond whether to look behind the last page, too
 * @param counted whether somebody else says how many items there are, so that a repeated page is no end
 */
export async function readPages(
  limit: number,
  read: (number: number, first?: Page) => Promise<Page>,
  { beyond = false, counted = false } = {},
): Promise<PageWalk> {
  const first = await read(1);
  const pages = [first];
  await readNamed(pages, limit, (number) => read(number, first));
  if (dropIdleEnd(pages)) return { pages, named: first.lastPage };
  const seen = seenOn(pages);
  const beyondLast = beyond && first.count > 0;
  let found = false;
  while ((mayGoOn(pages) || beyondLast) && pages.length < maxOpenEndedPages) {
    const number = pages.length + 1;
    const last = pages.at(-1) as Page;
    const told = last.total !== undefined || last.lastPage !== undefined;
    const probing = !mayGoOn(pages);
    const page = await readIfThere(() => read(number, first), probing);
    if (probing && (page === undefined || page.refs.every(({ id }) => seen.has(id)))) break;
    if (probing && isFullOfRepeats(pages, seen)) break;
    found ||= probing;
    if (page === undefined || page.count === 0) {
      if (told || last.more !== true) break;
      return { pages, unended: `page ${number - 1} names a next page, which has no items` };
    }
    const unended =
      page.refs.length === 0 && last.refs.length === 0
        ? `pages ${number - 1} and ${number} have no readable item`
        : repetition(page, number, seen);
    if (unended !== undefined) {
      const ended =
        told || (!counted && (await repeatsItsEnd(pages, page, () => read(number + 1, first))));
      return ended ? { pages } : { pages, unended };
    }
    for (const { id } of page.refs) seen.set(id, number);
    pages.push(page);
  }
  return { pages, beyond: found };
}

/**
 * Whether pages have as many rows as their total, and an item on two of them: the order changes from page to page, and
 * a further page is no part of the list.
 */
function isFullOfRepeats(pages: readonly Page[], seen: ReadonlyMap<string, number>): boolean {
  const rows = pages.reduce((sum, { count }) => sum + count, 0);
  return seen.size < rows && pages.every(({ total }) => total === rows);
}

/** Reads the pages up to the last one that page 1 names, or until several in a row bring nothing new. */
async function readNamed(
  pages: Page[],
  limit: number,
  read: (number: number) => Promise<Page>,
): Promise<void> {
  const [first] = pages;
  const seen = new Set(first?.refs.map(({ id }) => id));
  const last = first?.lastPage ?? 1;
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
}

/** Takes pages without anything new from the end, where those before them have as many rows as the total says. */
function dropIdleEnd(pages: Page[]): boolean {
  const total = pages[0]?.total;
  if (total === undefined || pages.some((page) => page.total !== total)) return false;
  // In the order of the pages, so that the last one stands at the end.
  let end = [...seenOn(pages).values()].at(-1) ?? 1;
  let rows = pages.slice(0, end).reduce((sum, { count }) => sum + count, 0);
  // Where the order changes, a page of the list can have items of earlier ones only.
  while (rows < total && end < pages.length) rows += pages[end++]?.count ?? 0;
  if (end === pages.length || rows < total) return false;
  pages.length = end;
  return true;
}

/** A page that may be missing. Where the origin has said that there is none, any failure shows it. */
async function readIfThere(
  read: () => Promise<Page>,
  unexpected: boolean,
): Promise<Page | undefined> {
  try {
    return await read();
  } catch (error) {
    if (isItemFailure(error) && (unexpected || isGone(error))) return undefined;
    throw error;
  }
}

/**
 * Whether an origin that says nothing of an end gives the last page for each number behind it: for two in a row, after
 * another page, so that it does not ignore the numbers.
 */
async function repeatsItsEnd(
  pages: readonly Page[],
  behind: Page,
  readNext: () => Promise<Page>,
): Promise<boolean> {
  const last = JSON.stringify(idsOf(pages.at(-1)));
  const isCopy = (page: Page | undefined): boolean => JSON.stringify(idsOf(page)) === last;
  if (pages.length === 1 || behind.more !== undefined || !isCopy(behind)) return false;
  return isCopy(await readIfThere(readNext, false));
}

/** On which page each id was seen first. */
function seenOn(pages: readonly Page[]): Map<string, number> {
  const seen = new Map<string, number>();
  for (const [at, { refs }] of pages.entries()) {
    for (const { id } of refs) if (!seen.has(id)) seen.set(id, at + 1);
  }
  return seen;
}

/** Says that earlier pages have all items of a page; undefined where they have not, or the page has no items. */
function repetition(
  { refs }: Page,
  number: number,
  seen: ReadonlyMap<string, number>,
): string | undefined {
  const places = new Set(refs.map(({ id }) => seen.get(id) ?? number));
  if (places.has(number)) return undefined;
  const [place] = places;
  if (place === undefined) return undefined;
  return places.size === 1
    ? `page ${number} repeats page ${place}`
    : `page ${number} has only items of earlier pages`;
}

/** A malformed item may lack an id; it was seen all the same, and goes by its place. */
export function idsOf(page: Page | undefined): string[] {
  if (page === undefined) return [];
  return [...page.refs.map(({ id }) => id), ...page.malformed.map(({ subject }) => subject)];
}
