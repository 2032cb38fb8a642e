import { describeIssues, WireEnvelope } from "../api/schema.ts";
import { ApiError, BudgetError } from "../errors.ts";
import type { Filters } from "../routes/filters.ts";
import type { FilterLinks } from "../routes/learned.ts";
import type { Ref, SnapshotManifest } from "../store/snapshots.ts";
import type { CrawlContext } from "./context.ts";
import { filterLinksOf } from "./learned.ts";
import { lastPageOf } from "./plan.ts";
import { monthsOf, pickMonth, writtenOffset, zonesThatFit } from "./zone-check.ts";

/** What a snapshot knows of the origin's filters. */
export type FilterFacts = Pick<SnapshotManifest, "tagMatch" | "timezoneChecked"> & {
  /** How the answers that were asked for write their own links. */
  filterLinks?: FilterLinks | undefined;
};

/** Articles of an index as far as filters look at them. */
export interface Listing {
  ids: string[];
  /** Places of the articles that have a tag, by its slug. */
  tags: Map<string, number[]>;
  /** Publications, in milliseconds since 1970. */
  times: number[];
}

/** Two tags, and the articles that have any or all of them. */
export interface TagPair {
  tags: [string, string];
  any: ReadonlySet<string>;
  all: ReadonlySet<string>;
}

/** What the origin answered to filters. */
export interface Sample {
  /** Items of all pages. */
  total: number;
  /** Ids on the first page. */
  ids: string[];
}

/** The articles of a crawl, each list in the order of the index. */
export interface Articles {
  articles: Iterable<Ref>;
  singles: Iterable<Ref>;
}

/**
 * Asks the origin for two filtered lists at most, to learn what its filters mean: one of two tags where
 * `origin.tagMatch` is "auto", one of a month that begins or ends at another time in other time zones. What a
 * snapshot knows already is not asked again. Nothing that happens here is a problem of the crawl.
 *
 * @param known what the last snapshot knows
 * @param articles in their index form, those that the origin lists
 */
export async function checkFilters(
  context: CrawlContext,
  known: FilterFacts,
  { articles, singles }: Articles,
): Promise<FilterFacts> {
  const { tagMatch, timezone } = context.config.origin;
  const asksTags = tagMatch === "auto" && known.tagMatch === undefined;
  const asksZone = known.timezoneChecked !== timezone;
  if (!asksTags && !asksZone) return factsOf(known);
  const listing = readListing(context, articles);
  const facts = { ...known };
  const heard = (answer: unknown): void => {
    facts.filterLinks ??= filterLinksOf(answer);
  };
  if (asksTags) facts.tagMatch = await askTags({ ...context, heard }, listing);
  if (asksZone && (await askMonth({ ...context, heard }, listing, singles)))
    facts.timezoneChecked = timezone;
  return factsOf(facts);
}

/** Without members that are undefined. */
function factsOf({ tagMatch, timezoneChecked, filterLinks }: FilterFacts): FilterFacts {
  return {
    ...(filterLinks === undefined ? {} : { filterLinks }),
    ...(tagMatch === undefined ? {} : { tagMatch }),
    ...(timezoneChecked === undefined ? {} : { timezoneChecked }),
  };
}

function readListing({ store }: CrawlContext, refs: Iterable<Ref>): Listing {
  const listing: Listing = { ids: [], tags: new Map(), times: [] };
  for (const { id, digest } of refs) {
    const { tags, publishedAt } = store.objects.readNormal("articles", digest);
    const place = listing.ids.push(id) - 1;
    for (const tag of new Set(tags)) {
      const places = listing.tags.get(tag);
      if (places === undefined) listing.tags.set(tag, [place]);
      else places.push(place);
    }
    if (publishedAt !== null) listing.times.push(Date.parse(publishedAt));
  }
  return listing;
}

/** Tags of which pairs are made: every two of them are looked at. */
const maxTags = 200;
/** An article more or less, published or removed in the meantime, is then not taken for the other meaning. */
const clearDifference = 3;

/**
 * The pair of tags whose answer tells best what several tags mean: one that some articles have both of, because
 * an empty list can also mean that the origin takes the two for one name; with clearly more articles that have
 * any of them; with as few articles as possible. Undefined where every pair has the same articles either way, or
 * all that there are, which an origin would list that does not know the filter.
 */
export function pickTags({ ids, tags }: Pick<Listing, "ids" | "tags">): TagPair | undefined {
  const rare = [...tags]
    .filter(([slug]) => slug.trim() === slug && slug !== "" && !slug.includes(","))
    .sort(
      ([a, one], [b, two]) =>
        Number(one.length === 1) - Number(two.length === 1) ||
        one.length - two.length ||
        (a < b ? -1 : 1),
    )
    .slice(0, maxTags);
  let best: { rank: number; tags: [string, string]; any: Set<number>; all: number[] } | undefined;
  for (const [at, [a, withA]] of rare.entries()) {
    const hasA = new Set(withA);
    for (const [b, withB] of rare.slice(at + 1)) {
      const all = withB.filter((place) => hasA.has(place));
      const size = withA.length + withB.length - all.length;
      if (size === all.length || size === ids.length) continue;
      const unclear = size - all.length < clearDifference ? 2 : 0;
      const rank = (unclear + (all.length === 0 ? 1 : 0)) * 1e9 + size;
      if (best !== undefined && best.rank <= rank) continue;
      best = { rank, tags: [a, b], any: new Set([...withA, ...withB]), all };
    }
  }
  if (best === undefined) return undefined;
  const idsAt = (places: Iterable<number>): Set<string> =>
    new Set([...places].map((place) => ids[place] as string));
  return { tags: best.tags, any: idsAt(best.any), all: idsAt(best.all) };
}

/** What an answer to two tags means; undefined where it fits neither. */
export function meaningOf({ any, all }: TagPair, sample: Sample): "any" | "all" | undefined {
  const fits = (ids: ReadonlySet<string>): boolean =>
    sample.total === ids.size && sample.ids.every((id) => ids.has(id));
  if (fits(any) === fits(all)) return undefined;
  return fits(any) ? "any" : "all";
}

/** A crawl, and what listens to the answers. */
interface Asking extends CrawlContext {
  heard: (answer: unknown) => void;
}

async function askTags(context: Asking, listing: Listing): Promise<"any" | "all" | undefined> {
  const pair = pickTags(listing);
  if (pair === undefined) return undefined;
  const { tags, any, all } = pair;
  const sample = await ask(context, listing, { tags }, "cannot tell what several tags mean");
  if (sample === undefined) return undefined;
  const meaning = meaningOf(pair, sample);
  if (meaning === undefined) {
    const seen = `${sample.total} articles for the tags ${tags.join(" and ")}`;
    context.reporter.warn(
      `the origin lists ${seen}, expected ${any.size} for any of them or ${all.size} for both`,
      'set origin.tagMatch to "any" or "all"; until then, the archive uses "any"',
    );
  }
  return meaning;
}

/** Whether the months of the origin could be compared with those of `origin.timezone`. */
async function askMonth(
  context: Asking,
  { ids, times }: Listing,
  singles: Iterable<Ref>,
): Promise<boolean> {
  const { timezone } = context.config.origin;
  const months = monthsOf(times);
  const picked = pickMonth(months, timezone);
  if (picked === undefined) return false;
  const { year, month, count } = picked;
  const unknown = "cannot tell whether origin.timezone is right";
  const sample = await ask(context, { ids }, { year, month }, unknown);
  if (sample === undefined) return false;
  if (sample.total === count) return true;
  const zones = zonesThatFit(months, picked, sample.total, writtenOffsets(context, singles));
  const label = `${year}-${String(month).padStart(2, "0")}`;
  const seen = `articles of ${label}: the origin lists ${sample.total}, expected ${count}`;
  if (zones === undefined) {
    context.reporter.warn(`${seen}; no time zone explains that`);
    return false;
  }
  context.reporter.warn(
    `${seen}: the origin's months do not match origin.timezone ${timezone}; they match ${zones}`,
    "set origin.timezone to the time zone of the service",
  );
  return true;
}

/** Articles whose single forms are looked at for the offsets that the origin writes. */
const maxWritten = 200;

/** Offsets in which the origin writes the publications of some articles from all of the index, by their time. */
function writtenOffsets({ store }: CrawlContext, singles: Iterable<Ref>): Map<number, number> {
  const refs = [...singles];
  const step = Math.ceil(refs.length / maxWritten);
  const offsets = new Map<number, number>();
  for (const { digest } of refs.filter((_, at) => at % step === 0)) {
    const written = writtenOffset(store.objects.readRaw(digest));
    if (written !== undefined) offsets.set(written.time, written.minutes);
  }
  return offsets;
}

/** The first page of a filtered list; undefined, with a word about it, where it says nothing. */
async function ask(
  context: Asking,
  { ids }: Pick<Listing, "ids">,
  filters: Filters,
  unknown: string,
): Promise<Sample | undefined> {
  const { client, routes, reporter } = context;
  const url = routes.urlOf({ route: "index", index: "articles", page: 1, filters }) as string;
  let value: unknown;
  try {
    ({ value } = await client.json(url));
  } catch (error) {
    // The crawl itself is done: a refusal, or a pause that is too long, is nothing to lose it for.
    if (!(error instanceof ApiError) && !(error instanceof BudgetError)) throw error;
    reporter.warn(`${unknown}: ${error.message}`);
    return undefined;
  }
  context.heard(value);
  const sample = sampleOf(value);
  if (typeof sample === "string") {
    reporter.warn(`${unknown}: ${sample}`);
    return undefined;
  }
  const known = new Set(ids);
  if (sample.ids.some((id) => !known.has(id))) {
    reporter.info(`${unknown}: articles were published since the index was read`);
    return undefined;
  }
  return sample;
}

/** What an answer says of its list, or what is wrong with it. */
export function sampleOf(answer: unknown): Sample | string {
  const parsed = WireEnvelope.safeParse(answer);
  if (!parsed.success) return `unexpected answer: ${describeIssues(parsed.error)}`;
  const { data, meta, links } = parsed.data;
  const ids = data.flatMap((item) => {
    const id = (item as { id?: unknown } | null)?.id;
    return typeof id === "string" || typeof id === "number" ? [String(id)] : [];
  });
  // Some origins write 0 where they do not count.
  const counted = meta?.total === 0 && data.length > 0 ? undefined : meta?.total;
  const pages = lastPageOf({ ...meta, total: counted });
  const single = pages === undefined ? !links?.next : pages === 1;
  const total = counted ?? (single ? data.length : undefined);
  return total === undefined ? "the answer does not say how many items there are" : { total, ids };
}
