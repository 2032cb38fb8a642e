import type { Catalogue } from "../catalogue/catalogue.ts";
import { keyOf } from "../lib/digest.ts";
import type { Article, Gallery } from "../store/records.ts";
import type { Ref } from "../store/snapshots.ts";
import type { Formats } from "./formats.ts";
import { createThumbs, type EntryKey, type Thumb } from "./pictures.ts";

/** What lists, neighbours and keys need of an article; held for all of them. */
export interface ArticleSummary {
  id: string;
  /** Digest of its index form. */
  digest: string;
  title: string;
  /** Of its page. */
  path: string;
  publishedAt: string | null;
  category: string | null;
  tags: readonly string[];
  thumb: Thumb | undefined;
  /** Key of everything that a list shows of it. */
  card: string;
}

/** The same of a gallery. */
export interface GallerySummary {
  id: string;
  digest: string;
  title: string;
  path: string;
  publishedAt: string | null;
  thumb: Thumb | undefined;
  card: string;
}

export interface CategorySummary {
  id: string;
  title: string;
  name: string;
}

export interface TagSummary {
  slug: string;
  title: string;
  name: string;
  /** Galleries that carry it, as the origin says; which ones it does not. */
  galleries: number;
}

/** The light side of a snapshot: what is needed to know which pages there are, and their keys. */
export interface Summaries {
  articles: ArticleSummary[];
  galleries: GallerySummary[];
  /** By id, in the origin's display order. */
  categories: Map<string, CategorySummary>;
  /** By slug, in alphabetical order. */
  tags: Map<string, TagSummary>;
  byCategory: Map<string, ArticleSummary[]>;
  byTag: Map<string, ArticleSummary[]>;
  /** Years, latest first, each with its months, latest first. */
  byYear: Map<string, { articles: ArticleSummary[]; months: Map<string, ArticleSummary[]> }>;
  undated: ArticleSummary[];
}

/** Reads every article and gallery once, in the origin's order, and keeps only the summaries. */
export function readSummaries(
  catalogue: Catalogue,
  formats: Formats,
  entryKey: EntryKey,
): Summaries {
  const { snapshot } = catalogue;
  const thumbOf = createThumbs();
  const categories = readCategories(catalogue);
  const tags = readTags(catalogue, formats);

  function thumb(parent: "articles" | "galleries", normal: Article | Gallery) {
    for (const id of thumbIds(catalogue, parent, normal)) {
      const entry = catalogue.media("images", id);
      const found = entry && thumbOf(entry);
      if (found !== undefined) return { thumb: found, key: `${id} ${entryKey(entry)}` };
    }
    return { thumb: undefined, key: "" };
  }

  const articles: ArticleSummary[] = [];
  for (const ref of snapshot.refs("articles")) {
    const path = catalogue.page("articles", ref.id);
    if (path === undefined) continue;
    const { normal } = snapshot.read("articles", ref);
    const category = catalogue.categoryOf(normal);
    const known = category === null ? undefined : categories.get(category);
    const picture = thumb("articles", normal);
    articles.push({
      id: ref.id,
      digest: ref.digest,
      title: normal.title,
      path,
      publishedAt: normal.publishedAt,
      category,
      tags: normal.tags,
      thumb: picture.thumb,
      card: keyOf(ref.digest, path, known?.title, known?.name, picture.key),
    });
  }

  const galleries: GallerySummary[] = [];
  for (const ref of snapshot.refs("galleries")) {
    const path = catalogue.page("galleries", ref.id);
    if (path === undefined) continue;
    const { normal } = snapshot.read("galleries", ref);
    const picture = thumb("galleries", normal);
    galleries.push({
      id: ref.id,
      digest: ref.digest,
      title: normal.title,
      path,
      publishedAt: normal.publishedAt,
      thumb: picture.thumb,
      card: keyOf(ref.digest, path, picture.key),
    });
  }

  return { articles, galleries, categories, tags, ...group(articles, formats) };
}

/** The images that may stand for an item: the one its thumbnail shows, then those attached to it. */
function* thumbIds(
  catalogue: Catalogue,
  parent: "articles" | "galleries",
  normal: Article | Gallery,
): Generator<string> {
  const request =
    normal.thumbnail === null ? undefined : catalogue.routes.resolve(normal.thumbnail);
  if (request?.route === "binary" || request?.route === "download") yield request.id;
  if (normal.attachments.images === 0) return;
  const attached = catalogue.snapshot.attachments(parent, normal.id, "images")?.items ?? [];
  for (const { id } of attached.slice(0, 5)) yield id;
}

function readCategories(catalogue: Catalogue): Map<string, CategorySummary> {
  const found: (CategorySummary & { order: number })[] = [];
  for (const ref of catalogue.snapshot.refs("categories")) {
    const { title, order } = catalogue.snapshot.read("categories", ref).normal;
    const name = catalogue.categoryName(ref.id);
    if (name !== undefined) found.push({ id: ref.id, title, name, order });
  }
  found.sort((a, b) => a.order - b.order || (a.title < b.title ? -1 : 1));
  return new Map(found.map(({ order: _, ...category }) => [category.id, category]));
}

function readTags(catalogue: Catalogue, formats: Formats): Map<string, TagSummary> {
  const found: TagSummary[] = [];
  for (const ref of catalogue.snapshot.refs("tags")) {
    const { slug, title, galleriesCount } = catalogue.snapshot.read("tags", ref).normal;
    const name = catalogue.tagName(slug);
    if (name !== undefined) found.push({ slug, title, name, galleries: galleriesCount });
  }
  found.sort((a, b) => formats.compare(a.title, b.title) || (a.slug < b.slug ? -1 : 1));
  return new Map(found.map((tag) => [tag.slug, tag]));
}

function group(articles: ArticleSummary[], formats: Formats) {
  const byCategory: Summaries["byCategory"] = new Map();
  const byTag: Summaries["byTag"] = new Map();
  const years: Summaries["byYear"] = new Map();
  const undated: ArticleSummary[] = [];
  for (const article of articles) {
    if (article.category !== null) push(byCategory, article.category, article);
    for (const tag of new Set(article.tags)) push(byTag, tag, article);
    if (article.publishedAt === null) {
      undated.push(article);
      continue;
    }
    const [name, month] = formats.yearMonth(article.publishedAt);
    const year = years.get(name) ?? {
      articles: [],
      months: new Map<string, ArticleSummary[]>(),
    };
    years.set(name, year);
    year.articles.push(article);
    push(year.months, month, article);
  }
  const byYear: Summaries["byYear"] = new Map();
  for (const [name, year] of sortedDown(years)) {
    byYear.set(name, { articles: year.articles, months: sortedDown(year.months) });
  }
  return { byCategory, byTag, byYear, undated };
}

function push<T>(map: Map<string, T[]>, key: string, value: T): void {
  const list = map.get(key);
  if (list === undefined) map.set(key, [value]);
  else list.push(value);
}

function sortedDown<T>(map: Map<string, T>): Map<string, T> {
  return new Map([...map].sort(([a], [b]) => (a < b ? 1 : -1)));
}

/** The refs of an attachment list that may go out, in its order; what is attached twice stands where it is first. */
export function publishedAttachments(
  catalogue: Catalogue,
  parent: "articles" | "galleries",
  id: string,
  kind: "images" | "videos" | "documents" | "audio",
): Ref[] {
  const items = catalogue.snapshot.attachments(parent, id, kind)?.items ?? [];
  const first = new Map(items.map((ref) => [ref.id, ref]));
  return [...first.values()].filter((ref) => catalogue.shows(kind, ref.id));
}
