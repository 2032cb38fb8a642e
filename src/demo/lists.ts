import type { Article, Content, Gallery, Image } from "./model.ts";
import type { OriginOptions } from "./options.ts";
import { mix } from "./random.ts";
import { calendarSpan } from "./times.ts";

/** Whose view of the content: both tokens belong to the same organisation. */
export type TokenKind = "organisation" | "user";

/** The lists of a content under the filters of the API document. */
export type Lists = ReturnType<typeof createLists>;

const published = (item: { publishedAt: number }): number => item.publishedAt;
const created = (item: { createdAt: number }): number => item.createdAt;

export function createLists(content: Content, options: OriginOptions) {
  let requests = 0;
  const ordered = <T>(items: T[], time: (item: T) => number): T[] => {
    requests += 1;
    return options.unstableOrder ? reordered(items, time, mix(requests)) : items;
  };
  const everybodys = (): Article[] =>
    [...content.articles, ...content.neighbours].sort((a, b) => published(b) - published(a));

  return {
    articles: (token: TokenKind, query: URLSearchParams): Article[] => {
      const own = token === "organisation" || options.userSees === "organisation";
      const all = own ? [...content.articles] : everybodys();
      const wanted = query.get("category");
      const category = content.categories.find(({ id, slug }) => id === wanted || slug === wanted);
      const tags = (query.get("tags") ?? "").split(",").filter((slug) => slug.trim() !== "");
      const found = within(all, query, options.timezone)
        .filter((one) => !wanted || one.categoryId === category?.id)
        .filter((one) => hasTags(one, tags, options.tagMatch));
      return ordered(found, published);
    },
    galleries: (query: URLSearchParams): Gallery[] =>
      ordered(within([...content.galleries], query, options.timezone), published),
    images: (withPrivate: boolean): Image[] => {
      const list = [...content.images].filter((image) => withPrivate || !image.private);
      if (options.imageOrder === "oldest") list.reverse();
      return ordered(list, created);
    },
    /** Numbers of articles by category. */
    categoryCounts: (token: TokenKind) => {
      const articles = token === "organisation" ? [...content.articles] : everybodys();
      return counted(articles.map(({ categoryId }) => categoryId));
    },
    tagCounts: () => ({
      articles: counted(everybodys().flatMap(({ tags }) => tags)),
      galleries: counted([...content.galleries].flatMap(({ tags }) => tags)),
    }),
  };
}

/** The items with their runs of equal times turned: ORDER BY without a tie-break. */
function reordered<T>(items: T[], time: (item: T) => number, turn: number): T[] {
  const turned: T[] = [];
  for (let from = 0; from < items.length; from = turned.length) {
    let end = from + 1;
    while (end < items.length && time(items[end] as T) === time(items[from] as T)) end += 1;
    const first = from + (turn % (end - from));
    turned.push(...items.slice(first, end), ...items.slice(from, first));
  }
  return turned;
}

/** The items of the year (and month) that a query asks for; a month alone is ignored. */
function within<T extends { publishedAt: number }>(
  items: T[],
  query: URLSearchParams,
  timezone: string,
): T[] {
  const year = wholeNumber(query.get("year"));
  if (year === undefined) return items;
  const { start, end } = calendarSpan(year, wholeNumber(query.get("month")), timezone);
  return items.filter(({ publishedAt }) => publishedAt >= start && publishedAt < end);
}

function wholeNumber(text: string | null): number | undefined {
  return text !== null && /^\d{1,4}$/.test(text) ? Number(text) : undefined;
}

function hasTags(article: Article, wanted: string[], match: "any" | "all"): boolean {
  if (wanted.length === 0) return true;
  const has = (slug: string) => article.tags.includes(slug);
  return match === "any" ? wanted.some(has) : wanted.every(has);
}

function counted(keys: string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1);
  return counts;
}
