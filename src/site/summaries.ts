import type { Catalogue } from "../catalogue/catalogue.ts";
import { keyOf } from "../lib/digest.ts";
import { sitePaths } from "../routes/site.ts";
import type { Parent } from "../routes/table.ts";
import type { Article, Gallery } from "../store/records.ts";
import type { Ref } from "../store/snapshots.ts";
import type { Formats } from "./formats.ts";
import { byInitial } from "./initials.ts";
import { entryKey } from "./pictures.ts";
import { readable } from "./plain-text.ts";

export interface Named {
  title: string;
  path: string;
}

/** What is held of every article and gallery. */
export interface Summary extends Named {
  id: string;
  /** Digest of its index form. */
  digest: string;
  publishedAt: string | null;
  /** The image with renditions that stands for it, by its id. */
  thumb: string | undefined;
  /** Key of everything that a list shows. */
  card: string;
}

export interface ArticleSummary extends Summary {
  category: string | null;
  tags: readonly string[];
}

/** Articles of a category, tag, year or month. */
export interface Group extends Named {
  /** Counted from 1. */
  pathOf: (page: number) => string;
  articles: ArticleSummary[];
  /** What its pages are about; see `OutputFile`. */
  about?: string;
}

export interface Period extends Group {
  year: string;
  /** Empty for a whole year. */
  month: string;
}

export interface Category extends Group {
  /** Of its paths. */
  name: string;
  /** Latest first; none where all articles are of one year. */
  years: Period[];
}

export type Summaries = ReturnType<typeof readSummaries>;

/** What tells which pages there are, and their keys. Reads articles and galleries once, in the origin's order. */
export function readSummaries(catalogue: Catalogue, formats: Formats) {
  const { snapshot } = catalogue;
  const categories = readCategories(catalogue, formats);
  const tags = readTags(catalogue, formats);

  function summaryOf(parent: Parent, ref: Ref, path: string, normal: Article | Gallery) {
    const { title, publishedAt } = normal;
    const entry = thumbEntry(catalogue, parent, normal);
    const card = keyOf(ref.digest, path, entry?.id, entryKey(entry));
    return { ...ref, title: titleOf(title, formats), path, publishedAt, thumb: entry?.id, card };
  }

  const articles: ArticleSummary[] = [];
  for (const ref of snapshot.refs("articles")) {
    const path = catalogue.page("articles", ref.id);
    if (path === undefined) continue;
    const { normal } = snapshot.read("articles", ref);
    const category = catalogue.categoryOf(normal);
    const known = category === null ? undefined : categories.get(category);
    const summary = summaryOf("articles", ref, path, normal);
    const card = keyOf(summary.card, known?.title, known?.path);
    const article = { ...summary, category, tags: normal.tags, card };
    articles.push(article);
    known?.articles.push(article);
    for (const slug of new Set(normal.tags)) tags.get(slug)?.articles.push(article);
  }

  const galleries: Summary[] = [];
  for (const ref of snapshot.refs("galleries")) {
    const path = catalogue.page("galleries", ref.id);
    if (path === undefined) continue;
    galleries.push(summaryOf("galleries", ref, path, snapshot.read("galleries", ref).normal));
  }

  for (const category of categories.values()) category.years = yearsIn(category, formats);
  const initials = byInitial(articles, formats);
  return { articles, galleries, categories, tags, initials, ...readPeriods(articles, formats) };
}

/** The image that stands for an item: the one its thumbnail shows, or the first attached one, with renditions. */
function thumbEntry(catalogue: Catalogue, parent: Parent, normal: Article | Gallery) {
  for (const id of thumbIds(catalogue, parent, normal)) {
    const entry = catalogue.media("images", id);
    if (entry !== undefined && entry.renditions.length > 0) return entry;
  }
  return undefined;
}

function* thumbIds(catalogue: Catalogue, parent: Parent, normal: Article | Gallery) {
  const request =
    normal.thumbnail === null ? undefined : catalogue.routes.resolve(normal.thumbnail);
  if (request?.route === "binary" || request?.route === "download") yield request.id;
  if (normal.attachments.images === 0) return;
  const attached = catalogue.snapshot.attachments(parent, normal.id, "images")?.items ?? [];
  for (const { id } of attached.slice(0, 5)) yield id;
}

/** By id, in the origin's display order. */
function readCategories(
  { snapshot, categoryName }: Catalogue,
  formats: Formats,
): Map<string, Category> {
  const found = [...snapshot.refs("categories")].flatMap(({ id, digest }) => {
    const { title, order } = snapshot.read("categories", { id, digest }).normal;
    const name = categoryName(id);
    if (name === undefined) return [];
    const group = groupOf(formats, title, (page) => sitePaths.category(name, page));
    const about = `categories/${id}`;
    return [{ id, title, order, category: { ...group, about, name, years: [] } }];
  });
  found.sort((a, b) => a.order - b.order || (a.title < b.title ? -1 : 1));
  return new Map(found.map(({ id, category }) => [id, category]));
}

/** By slug, in alphabetical order. */
function readTags({ snapshot, tagName }: Catalogue, formats: Formats) {
  const found = [...snapshot.refs("tags")].flatMap((ref) => {
    // The origin does not say which galleries carry a tag.
    const { slug, title, galleriesCount: galleries } = snapshot.read("tags", ref).normal;
    const name = tagName(slug);
    return name === undefined ? [] : [{ slug, title, name, galleries }];
  });
  found.sort((a, b) => formats.compare(a.title, b.title) || (a.slug < b.slug ? -1 : 1));
  const groups = found.map(({ title, name, ...tag }) => ({
    ...tag,
    ...groupOf(formats, title, (page) => sitePaths.tag(name, page)),
    about: `tags/${tag.slug}`,
  }));
  return new Map(groups.map((tag) => [tag.slug, tag]));
}

function yearsIn({ name, title, articles, about: of }: Category, formats: Formats): Period[] {
  const years = new Map<string, Period>();
  for (const article of articles) {
    if (article.publishedAt === null) continue;
    const [year] = formats.yearMonth(article.publishedAt);
    const known = years.get(year);
    if (known === undefined) {
      const inYear = formats.t("category.year", { category: title, year });
      const group = groupOf(formats, inYear, (page) => sitePaths.categoryYear(name, year, page));
      const about = `years/${of}/${year}`;
      years.set(year, { ...group, about, articles: [article], year, month: "" });
    } else known.articles.push(article);
  }
  if (years.size < 2) return [];
  return [...years.values()].sort((a, b) => (a.year < b.year ? 1 : -1));
}

/** The years and months with articles, latest first; and the articles without a date. */
function readPeriods(articles: readonly ArticleSummary[], formats: Formats) {
  const undated = groupOf(formats, formats.t("undated"), (page) => sitePaths.year("undated", page));
  const periods = new Map<string, Period>();
  const periodOf = (year: string, month: string): Period => {
    const known = periods.get(`${year}/${month}`);
    if (known !== undefined) return known;
    const group =
      month === ""
        ? groupOf(formats, year, (page) => sitePaths.year(year, page))
        : groupOf(formats, formats.month(year, month), (page) =>
            sitePaths.month(year, month, page),
          );
    const period = { ...group, year, month };
    periods.set(`${year}/${month}`, period);
    return period;
  };
  for (const article of articles) {
    if (article.publishedAt === null) {
      undated.articles.push(article);
      continue;
    }
    const [year, month] = formats.yearMonth(article.publishedAt);
    periodOf(year, "").articles.push(article);
    periodOf(year, month).articles.push(article);
  }
  const latestFirst = [...periods.values()].sort((a, b) => (a.path < b.path ? 1 : -1));
  return {
    undated,
    years: latestFirst.filter(({ month }) => month === ""),
    months: latestFirst.filter(({ month }) => month !== ""),
  };
}

export function groupOf(formats: Formats, title: string, pathOf: Group["pathOf"]): Group {
  return { title: titleOf(title, formats), path: pathOf(1), pathOf, articles: [] };
}

export const titleOf = (title: string, { t }: Pick<Formats, "t">): string =>
  readable(title) || t("untitled");
