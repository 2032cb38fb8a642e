import { envelopeForPage, envelopeOf, sameJson } from "../api/envelope.ts";
import { describeIssues, WireEnvelope } from "../api/schema.ts";
import { ApiError } from "../errors.ts";
import { eachLimited } from "../lib/concurrency.ts";
import type { Problem } from "../lib/reporter.ts";
import type { Collection } from "../store/records.ts";
import type { ListDraft, ListProof, Ref } from "../store/snapshots.ts";
import { doubtOf, type Pass, passesAgree, proveIndex } from "./completeness.ts";
import { addProblem, type CrawlContext } from "./context.ts";
import { type Ingested, ingestList, keepable } from "./ingest.ts";
import { lastPageOf } from "./plan.ts";

/** One page of a paginated list, as it is journalled. */
export interface Page extends Ingested {
  /** Items the page had, malformed ones included. */
  count: number;
  total: number | undefined;
  lastPage: number | undefined;
  perPage: number;
  /** Raw envelope with `data` emptied. */
  envelope: string;
}

/** A whole paginated list: its items in order, and what its pages looked like. */
export interface PagedList extends Omit<ListDraft, "refs"> {
  refs: Ref[];
  malformed: Problem[];
  total: number | undefined;
  pages: number;
}

/** How far pages are read where the origin names no last page. */
const maxOpenEndedPages = 1_000_000;

/** Reads one page of a list. @throws ApiError where it cannot be had or has not the documented envelope */
export async function readPage(
  context: CrawlContext,
  collection: Exclude<Collection, "attachments">,
  url: string,
): Promise<Page> {
  const { text, value } = await context.client.json(url);
  const envelope = WireEnvelope.safeParse(value);
  const source = `GET ${url.slice(context.config.origin.baseUrl.length)}`;
  if (!envelope.success) {
    throw new ApiError(`${source}: unexpected answer: ${describeIssues(envelope.error)}`, {
      url,
      status: 200,
      attempts: 1,
    });
  }
  const kept = keepable(text);
  const { meta, links } = envelope.data;
  const count = envelope.data.data.length;
  return {
    ...ingestList(context, collection, source, kept, value),
    count,
    total: meta?.total,
    lastPage: lastPageOf(meta ?? {}) ?? (links?.next === null ? 1 : undefined),
    perPage: meta?.per_page || count,
    envelope: envelopeOf(kept),
  };
}

/** Puts pages in order, and keeps only those envelopes that do not follow from the first page's. */
export function joinPages(pages: readonly Page[]): PagedList {
  const first = pages[0];
  if (first === undefined) throw new RangeError("a list has at least one page");
  const overrides: Record<string, string> = {};
  const total = first.total ?? pages.reduce((sum, page) => sum + page.count, 0);
  for (const [index, { envelope, count }] of pages.entries()) {
    const target = { page: index + 1, perPage: first.perPage, total, count };
    if (index > 0 && !sameJson(envelopeForPage(first.envelope, target), envelope)) {
      overrides[index + 1] = envelope;
    }
  }
  return {
    refs: pages.flatMap((page) => page.refs),
    malformed: pages.flatMap((page) => page.malformed),
    perPage: first.perPage,
    envelope: first.envelope,
    overrides,
    total: first.total,
    pages: pages.length,
  };
}

/** All pages of a list, from `read`, which gets page numbers from 1; the last page is learnt on the way. */
export async function readPages(
  limit: number,
  read: (page: number) => Promise<Page>,
): Promise<Page[]> {
  const first = await read(1);
  const pages = [first];
  if (first.lastPage === undefined) {
    for (let page = 2; page <= maxOpenEndedPages; page++) {
      const next = await read(page);
      if (next.count === 0) break;
      pages.push(next);
      if (next.count < first.count) break;
    }
    return pages;
  }
  await eachLimited(numbers(2, first.lastPage), limit, async (page) => {
    pages[page - 1] = await read(page);
  });
  return pages;
}

/**
 * Walks an index until a pass proves itself or two passes in a row agree, at most `maxPasses` times.
 * Page numbers are built here; what the origin says of its next page is not followed.
 *
 * @param url address of page n
 * @param name how the list is called in the journal, the proof and the progress line
 */
export async function walkIndex(
  context: CrawlContext,
  collection: Exclude<Collection, "attachments">,
  name: string,
  url: (page: number) => string,
): Promise<{ list: PagedList; proof: ListProof }> {
  const { draft, config, reporter } = context;
  const passes: Pass[] = [];
  let list: PagedList;
  const progress = reporter.stage(name);
  do {
    const number = passes.length + 1;
    const read = (page: number): Promise<Page> =>
      draft.once(`page ${number} ${name} ${page}`, () => readPage(context, collection, url(page)));
    const pages = await readPages(config.crawl.concurrency, async (page) => {
      const result = await read(page);
      if (page === 1) progress.expect(result.total ?? result.count);
      progress.advance(number === 1 ? result.count : 0);
      return result;
    });
    // Items that appeared during the walk pushed others onto pages that had been read: look at page 1 again.
    const head =
      pages.length === 1
        ? pages[0]
        : await draft.once(`head ${number} ${name}`, () => readPage(context, collection, url(1)));
    list = joinPages(pages);
    passes.push({
      // A malformed item may lack an id; it was seen all the same.
      ids: [...list.refs.map(({ id }) => id), ...list.malformed.map(({ subject }) => subject)],
      totals: pages.map((page) => page.total),
      pages: pages.length,
      headStable: sameHead(pages[0], head),
    });
  } while (!settled(passes) && passes.length < config.crawl.maxPasses);
  progress.end();
  for (const problem of list.malformed) addProblem(context, problem);
  return { list, proof: proveIndex(name, passes) };
}

function settled(passes: readonly Pass[]): boolean {
  const last = passes.at(-1) as Pass;
  if (doubtOf(last) === undefined) return true;
  const before = passes.at(-2);
  return before !== undefined && passesAgree(before, last);
}

function sameHead(before: Page | undefined, after: Page | undefined): boolean {
  if (before?.total !== after?.total) return false;
  const ids = (page: Page | undefined): string => JSON.stringify(page?.refs.map((ref) => ref.id));
  return ids(before) === ids(after);
}

function* numbers(from: number, to: number): Generator<number> {
  for (let n = from; n <= to; n++) yield n;
}
