import { isDeepStrictEqual } from "node:util";
import { envelopeForPage } from "../api/envelope.ts";
import { describeIssues, WireEnvelope } from "../api/schema.ts";
import type { Problem } from "../lib/reporter.ts";
import type { ItemCollection } from "../store/records.ts";
import type { Ref } from "../store/snapshots.ts";
import { type AskedPage, ask, type KeptAnswer } from "./ask.ts";
import type { CrawlContext } from "./context.ts";
import { contractError, tooManyItems } from "./failures.ts";
import { ingestList, openAnswer } from "./ingest.ts";
import { lastPageOf, totalOf } from "./plan.ts";

/** One page of a paginated list, as it is journalled; a further one has no envelope if it follows from page 1's. */
export type Page = Omit<ReturnType<typeof openPage>, "envelope"> & { envelope: string | null };

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

/** Characters. Each page's is kept, and those of an origin that links every page have about 100 for each. */
const longestEnvelope = 1_000_000;

/** Reads pages of one list until they have more items than `crawl.limits.items`. @param source the list in messages */
export function readLimited(
  { config }: CrawlContext,
  source: string,
  read: (number: number, first?: Page) => Promise<Page>,
) {
  const { items: most } = config.crawl.limits;
  let items = 0;
  return async (number: number, first?: Page): Promise<Page> => {
    const page = await read(number, first);
    items += page.count;
    if (items > most) throw tooManyItems(source, config.origin.baseUrl, most);
    return page;
  };
}

/** Takes the answer to a page apart, and stores its items. @throws ApiError */
function openPage(
  context: CrawlContext,
  collection: ItemCollection,
  url: string,
  { source, text, value }: KeptAnswer,
) {
  const parsed = WireEnvelope.safeParse(value);
  const opened = openAnswer(text);
  if (!parsed.success || opened === undefined) {
    const issues = parsed.success ? "data is missing" : describeIssues(parsed.error);
    throw contractError(source, url, `unexpected answer: ${issues}`);
  }
  const { meta, links, data } = parsed.data;
  const count = data.length;
  const most = context.config.crawl.limits.items;
  if (count > most) throw tooManyItems(source, url, most);
  return {
    ...ingestList(context, collection, source, opened.data, data),
    /** Items the page had, malformed ones included. */
    count,
    /** When it was read, milliseconds since 1970. */
    at: context.now().getTime(),
    total: totalOf(parsed.data),
    lastPage: lastPageOf(parsed.data),
    /** Whether the origin names a next page. A link that is null or empty denies it; a missing one says nothing. */
    more: links?.next === undefined ? undefined : Boolean(links.next),
    perPage: meta?.per_page || count,
    /** Raw, with `data` emptied. */
    envelope: opened.envelope.length > longestEnvelope ? '{"data":[]}' : opened.envelope,
  };
}

/** Whether a page's envelope is the one that the rules make from page 1's. */
function followsFrom(first: Page | undefined, envelope: string, page: number, count: number) {
  if (typeof first?.envelope !== "string" || first.total === undefined) return false;
  const { perPage, total } = first;
  const expected = envelopeForPage(first.envelope, { page, perPage, total, count });
  return isDeepStrictEqual(JSON.parse(expected), JSON.parse(envelope));
}

/** A malformed item may lack an id; it was seen all the same, and goes by its place. */
export function idsOf(page: Page | undefined): string[] {
  if (page === undefined) return [];
  return [...page.refs.map(({ id }) => id), ...page.malformed.map(({ subject }) => subject)];
}

/** A whole paginated list: its items in order, and what its pages looked like. */
export type PagedList = ReturnType<typeof joinPages>;

/** The list that pages make up; `head` are the first ones once more, if items were added on top since. */
export function joinPages(pages: readonly Page[], head: readonly Page[] = []) {
  const first = head[0] ?? pages[0];
  if (first === undefined) throw new RangeError("a list has at least one page");
  const all = [...head, ...pages];
  const refs = new Map<string, Ref>();
  const malformed = new Map<string, Problem>();
  const unread = new Map<string, string>();
  for (const page of all) {
    for (const ref of page.refs) if (!refs.has(ref.id)) refs.set(ref.id, ref);
    for (const problem of page.malformed) malformed.set(problem.subject, problem);
    for (const [reason, id] of page.unread) unread.set(id, reason);
  }
  // Pages of different states of the list: none of their envelopes fits the list as it is joined.
  const moved = head.length > 0 || pages.some((page) => page.total !== first.total);
  return {
    /** Each item once. */
    refs: [...refs.values()],
    /** All rows of its pages: an item that stands in the list twice stands here twice. */
    rows: all.flatMap((page) => page.refs),
    malformed: [...malformed.values()],
    /** By the id of an item, what could not be read of it. */
    unread,
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
