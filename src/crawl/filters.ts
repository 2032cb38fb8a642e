import { describeIssues, WireEnvelope } from "../api/schema.ts";
import { ApiError, BudgetError } from "../errors.ts";
import { addTo } from "../lib/frequency.ts";
import type { Filters } from "../routes/filters.ts";
import type { FilterLinks, Learned } from "../routes/learned.ts";
import type { Ref, SnapshotManifest } from "../store/snapshots.ts";
import type { CrawlContext } from "./context.ts";
import { pickMonth } from "./months.ts";
import { lastPageOf, totalOf } from "./plan.ts";

/** What a snapshot knows of the origin's filters. */
export type LearnedFilters = Pick<SnapshotManifest, "tagMatch" | "timezoneChecked"> &
  Pick<Learned, "filterLinks">;

type ListedArticles = ReturnType<typeof readArticles>;

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

/** What the requests are made with, and what they have taught so far. */
interface Check {
  context: CrawlContext;
  articles: ListedArticles;
  learned: LearnedFilters;
}

/** Asks for two filtered lists at most, to learn what several tags and a month mean. A failure here is a warning. */
export async function checkFilters(
  context: CrawlContext,
  known: LearnedFilters,
  refs: Iterable<Ref>,
): Promise<LearnedFilters> {
  const { tagMatch, timezone } = context.config.origin;
  const asksTags = tagMatch === "auto" && known.tagMatch === undefined;
  const asksMonth = known.timezoneChecked !== timezone;
  if (!asksTags && !asksMonth) return known;
  const check = { context, articles: readArticles(context, refs), learned: { ...known } };
  if (asksTags) await checkTags(check);
  if (asksMonth) await checkMonth(check);
  return check.learned;
}

function readArticles({ store }: CrawlContext, refs: Iterable<Ref>) {
  const ids: string[] = [];
  /** Ids of the articles that have a tag, by its slug. */
  const tags = new Map<string, string[]>();
  /** Publications, in milliseconds since 1970. */
  const times: number[] = [];
  for (const { id, digest } of refs) {
    const article = store.objects.readNormal("articles", digest);
    ids.push(id);
    for (const tag of new Set(article.tags)) addTo(tags, tag, id);
    if (article.publishedAt !== null) times.push(Date.parse(article.publishedAt));
  }
  return { ids, tags, times };
}

async function checkTags(check: Check): Promise<void> {
  const { context, articles, learned } = check;
  const pair = pickTags(articles);
  if (pair === undefined) return;
  const { tags, any, all } = pair;
  const sample = await probe(check, { tags }, "cannot tell what several tags mean");
  if (sample === undefined) return;
  learned.tagMatch = meaningOf(pair, sample);
  if (learned.tagMatch !== undefined) return;
  const seen = `${sample.total} articles for the tags ${tags.join(" and ")}`;
  context.reporter.warn(
    `the origin lists ${seen}, expected ${any.size} for any of them or ${all.size} for both`,
    'set origin.tagMatch to "any" or "all"; until then, the archive uses "any"',
  );
}

async function checkMonth(check: Check): Promise<void> {
  const { articles, learned } = check;
  const { reporter, config } = check.context;
  const { timezone } = config.origin;
  const picked = pickMonth(articles.times, timezone);
  if (picked === undefined) return;
  const { year, month, count } = picked;
  const unknown = "cannot tell whether origin.timezone is right";
  const sample = await probe(check, { year, month }, unknown);
  if (sample === undefined) return;
  if (sample.total !== count) {
    const label = `${year}-${String(month).padStart(2, "0")}`;
    const seen = `articles of ${label}: the origin lists ${sample.total}, expected ${count}`;
    const offsets = picked.offsetsWith(sample.total);
    if (offsets === undefined) return reporter.warn(`${seen}; no time zone explains that`);
    reporter.warn(
      `${seen}: the origin's months do not match origin.timezone ${timezone}; they match ${offsets}`,
      "set origin.timezone to the time zone of the service",
    );
  }
  learned.timezoneChecked = timezone;
}

/** Tags of which pairs are made: every two of them are compared. */
const maxTags = 200;
/** An article that was published or removed in the meantime must not make one meaning look like the other. */
const clearDifference = 3;

/**
 * The pair of tags whose answer tells best what several tags mean. Some articles have both, because an empty list can
 * also mean that the origin takes the two for one name. Clearly more have any of them, but as few as possible.
 * Undefined where every pair has the same articles either way, or all articles: an origin lists these if it does not
 * know the filter.
 */
export function pickTags({ ids, tags }: Pick<ListedArticles, "ids" | "tags">): TagPair | undefined {
  const rare = [...tags]
    .filter(([slug]) => slug.trim() === slug && slug !== "" && !slug.includes(","))
    .map(([slug, having]) => ({ slug, having, rank: having.length === 1 ? 1e9 : having.length }))
    .sort((a, b) => a.rank - b.rank || (a.slug < b.slug ? -1 : 1))
    .slice(0, maxTags);
  let best: { rank: number; pair: TagPair } | undefined;
  for (const [at, a] of rare.entries()) {
    const withA = new Set(a.having);
    for (const b of rare.slice(at + 1)) {
      const all = b.having.filter((id) => withA.has(id));
      const size = a.having.length + b.having.length - all.length;
      if (size === all.length || size === ids.length) continue;
      const unclear = size - all.length < clearDifference ? 2 : 0;
      const rank = (unclear + (all.length === 0 ? 1 : 0)) * 1e9 + size;
      if (best !== undefined && best.rank <= rank) continue;
      const any = new Set([...a.having, ...b.having]);
      best = { rank, pair: { tags: [a.slug, b.slug], any, all: new Set(all) } };
    }
  }
  return best?.pair;
}

/** What an answer to two tags means; undefined where it fits neither. */
export function meaningOf({ any, all }: TagPair, sample: Sample): "any" | "all" | undefined {
  const fits = (ids: ReadonlySet<string>): boolean =>
    sample.total === ids.size && sample.ids.every((id) => ids.has(id));
  if (fits(any) === fits(all)) return undefined;
  return fits(any) ? "any" : "all";
}

/** The first page of a filtered list; undefined, after a warning that begins with `unknown`, where it tells nothing. */
async function probe({ context, articles, learned }: Check, filters: Filters, unknown: string) {
  const { client, routes, reporter } = context;
  const url = routes.urlOf({ route: "index", index: "articles", page: 1, filters }) as string;
  let value: unknown;
  try {
    ({ value } = await client.json(url));
  } catch (error) {
    // The crawl itself is done: a refusal, or a pause that is too long, is no reason to lose it.
    if (!(error instanceof ApiError) && !(error instanceof BudgetError)) throw error;
    reporter.warn(`${unknown}: ${error.message}`);
    return undefined;
  }
  learned.filterLinks ??= filterLinksOf(value);
  const sample = sampleOf(value);
  const known = new Set(articles.ids);
  if (typeof sample === "string") reporter.warn(`${unknown}: ${sample}`);
  else if (sample.ids.every((id) => known.has(id))) return sample;
  else reporter.info(`${unknown}: it has articles that the index did not have`);
  return undefined;
}

/** What an answer says of its list, or what is wrong with it. */
export function sampleOf(answer: unknown): Sample | string {
  const parsed = WireEnvelope.safeParse(answer);
  if (!parsed.success) return `unexpected answer: ${describeIssues(parsed.error)}`;
  const { data, links } = parsed.data;
  const ids = data.flatMap((item) => {
    const id = (item as { id?: unknown } | null)?.id;
    return typeof id === "string" || typeof id === "number" ? [String(id)] : [];
  });
  const pages = lastPageOf(parsed.data);
  const isOnlyPage = pages === undefined ? !links?.next : pages === 1;
  const total = totalOf(parsed.data) ?? (isOnlyPage ? data.length : undefined);
  return total === undefined ? "the answer does not say how many items there are" : { total, ids };
}

/** How the links of an answer write filters; undefined where none of them has both a filter and a page. */
export function filterLinksOf(answer: unknown): FilterLinks | undefined {
  const { links } = WireEnvelope.safeParse(answer).data ?? {};
  for (const url of Object.values(links ?? {})) {
    if (typeof url !== "string") continue;
    const query = url.split("?", 2)[1] ?? "";
    const names = query.split("&").map((part) => part.split("=", 1)[0]);
    const page = names.indexOf("page");
    const filter = names.findIndex((name) => name === "year" || name === "tags");
    if (page === -1 || filter === -1) continue;
    const comma = /(?:^|&)tags=[^&]*,/.test(query) ? "," : "%2C";
    return { page: page < filter ? "first" : "last", comma };
  }
  return undefined;
}
