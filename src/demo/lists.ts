import type { Collection } from "./collection.ts";
import type { Article, Content, Gallery, Image } from "./model.ts";
import type { OriginOptions } from "./options.ts";
import { mix } from "./random.ts";
import { calendarSpan } from "./times.ts";

/** A list that can be read page by page without making its other items. */
export interface List<T> {
  readonly length: number;
  at(place: number): T | undefined;
}

/** Whose view of the content: both tokens belong to the same organisation. */
export type TokenKind = "organisation" | "user";

/** Numbers behind categories and tags. */
export interface Counts {
  articlesByCategory: Record<TokenKind, ReadonlyMap<string, number>>;
  articlesByTag: ReadonlyMap<string, number>;
  galleriesByTag: ReadonlyMap<string, number>;
}

/** The lists and counts of a content. They are worked out once per version of it and kept. */
export interface Lists {
  articles(token: TokenKind, query: URLSearchParams): List<Article>;
  galleries(query: URLSearchParams): List<Gallery>;
  images(withPrivate: boolean): List<Image>;
  counts(): Counts;
}

type ListOptions = Pick<
  OriginOptions,
  "timezone" | "tagMatch" | "imageOrder" | "userSees" | "unstableOrder"
>;

/** Lists of a content under the filters of the API document. */
export function createLists(content: Content, options: ListOptions): Lists {
  const kept = new Map<string, unknown>();
  let version = -1;
  const once = <T>(key: string, make: () => T): T => {
    if (version !== content.version || kept.size > 500) {
      kept.clear();
      version = content.version;
    }
    if (!kept.has(key)) kept.set(key, make());
    return kept.get(key) as T;
  };

  const visibleArticles = (token: TokenKind): List<Article> => {
    if (token === "organisation" || options.userSees === "organisation") return content.articles;
    return once("everything", () => merged(content.articles, content.neighbours));
  };

  const articles = (token: TokenKind, query: URLSearchParams): List<Article> => {
    const all = visibleArticles(token);
    const span = spanOf(query, options.timezone);
    const category = query.get("category") || undefined;
    const tags = (query.get("tags") ?? "").split(",").filter((slug) => slug.trim() !== "");
    if (!span && !category && tags.length === 0) return all;
    const key = JSON.stringify([token, span, category, tags]);
    return once(key, () => {
      const { from, to } = placesOf(all, span);
      if (!category && tags.length === 0) return slice(all, from, to);
      const found = content.categories.find((one) => one.id === category || one.slug === category);
      const places: number[] = [];
      for (let place = from; place < to; place += 1) {
        const article = all.at(place);
        if (!article || (category && article.categoryId !== found?.id)) continue;
        if (hasTags(article, tags, options.tagMatch)) places.push(place);
      }
      return chosen(all, places);
    });
  };

  const galleries = (query: URLSearchParams): List<Gallery> => {
    const { from, to } = placesOf(content.galleries, spanOf(query, options.timezone));
    return slice(content.galleries, from, to);
  };

  const images = (withPrivate: boolean): List<Image> => {
    const all = content.images;
    const list = withPrivate
      ? all
      : once("public", () => {
          const places: number[] = [];
          for (let place = 0; place < all.length; place += 1) {
            if (!all.at(place)?.private) places.push(place);
          }
          return chosen(all, places);
        });
    if (options.imageOrder === "newest") return list;
    return { length: list.length, at: (place) => list.at(list.length - 1 - place) };
  };

  let requests = 0;
  const ordered = <T>(list: List<T>, time: (item: T) => number): List<T> => {
    requests += 1;
    return options.unstableOrder ? reordered(list, time, requests) : list;
  };
  const published = (one: { publishedAt: number }): number => one.publishedAt;
  return {
    articles: (token, query) => ordered(articles(token, query), published),
    galleries: (query) => ordered(galleries(query), published),
    images: (withPrivate) => ordered(images(withPrivate), (one) => one.createdAt),
    counts: () => once("counts", () => countAll(content)),
  };
}

/** A list whose runs of equal times begin at another item with each turn. */
function reordered<T>(list: List<T>, time: (item: T) => number, turn: number): List<T> {
  const timeAt = (place: number): number | undefined => {
    const item = list.at(place);
    return item === undefined ? undefined : time(item);
  };
  const at = (place: number): T | undefined => {
    const here = timeAt(place);
    if (here === undefined) return undefined;
    let from = place;
    let to = place + 1;
    while (from > 0 && timeAt(from - 1) === here) from -= 1;
    while (timeAt(to) === here) to += 1;
    return list.at(from + ((place - from + mix(turn)) % (to - from)));
  };
  return { length: list.length, at };
}

/** Span of the year (and month) a query asks for; a month alone is ignored. */
function spanOf(query: URLSearchParams, timezone: string) {
  const year = wholeNumber(query.get("year"));
  if (year === undefined) return undefined;
  return calendarSpan(year, wholeNumber(query.get("month")), timezone);
}

function wholeNumber(text: string | null): number | undefined {
  return text !== null && /^\d{1,4}$/.test(text) ? Number(text) : undefined;
}

function hasTags(article: Article, wanted: string[], match: "any" | "all"): boolean {
  if (wanted.length === 0) return true;
  const has = (slug: string) => article.tags.includes(slug);
  return match === "any" ? wanted.some(has) : wanted.every(has);
}

/** Places of a latest-first list that lie in a span: `from` included, `to` excluded. */
function placesOf(
  list: List<{ publishedAt: number }>,
  span: { start: number; end: number } | undefined,
): { from: number; to: number } {
  if (!span) return { from: 0, to: list.length };
  const firstBefore = (time: number): number => {
    let low = 0;
    let high = list.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((list.at(middle)?.publishedAt ?? 0) >= time) low = middle + 1;
      else high = middle;
    }
    return low;
  };
  const from = firstBefore(span.end);
  return { from, to: Math.max(from, firstBefore(span.start)) };
}

function slice<T>(list: List<T>, from: number, to: number): List<T> {
  return {
    length: to - from,
    at: (place) => (from + place < to ? list.at(from + place) : undefined),
  };
}

function chosen<T>(list: List<T>, places: number[]): List<T> {
  const at = (place: number): T | undefined => {
    const there = places[place];
    return there === undefined ? undefined : list.at(there);
  };
  return { length: places.length, at };
}

function merged(one: Collection<Article>, other: Collection<Article>): List<Article> {
  const entries: { publishedAt: number; id: string; from: Collection<Article> }[] = [];
  for (const from of [one, other]) {
    for (const { id, publishedAt } of from) entries.push({ id, publishedAt, from });
  }
  entries.sort((a, b) => b.publishedAt - a.publishedAt);
  const at = (place: number): Article | undefined => {
    const entry = entries[place];
    return entry?.from.get(entry.id);
  };
  return { length: entries.length, at };
}

function countAll(content: Content): Counts {
  const own = new Map<string, number>();
  const tags = new Map<string, number>();
  for (const article of content.articles) {
    increase(own, article.categoryId);
    for (const slug of article.tags) increase(tags, slug);
  }
  const everybody = new Map(own);
  for (const article of content.neighbours) {
    increase(everybody, article.categoryId);
    for (const slug of article.tags) increase(tags, slug);
  }
  const galleries = new Map<string, number>();
  for (const gallery of content.galleries) {
    for (const slug of gallery.tags) increase(galleries, slug);
  }
  return {
    articlesByCategory: { organisation: own, user: everybody },
    articlesByTag: tags,
    galleriesByTag: galleries,
  };
}

function increase(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}
