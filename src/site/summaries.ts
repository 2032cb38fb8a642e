import type { Catalogue } from "../catalogue/catalogue.ts";
import { keyOf } from "../lib/digest.ts";
import { counted, groupedBy } from "../lib/frequency.ts";
import { sitePaths } from "../routes/site.ts";
import type { MediaKind, Parent } from "../routes/table.ts";
import type { Article, Gallery } from "../store/records.ts";
import type { Ref } from "../store/snapshots.ts";
import type { Formats } from "./formats.ts";
import { byInitial } from "./initials.ts";
import { entryKey, firstRendered } from "./pictures.ts";
import { readable, readableSummary } from "./plain-text.ts";
import type { FileCounts } from "./views.ts";

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
  counts: FileCounts;
  /** Key of everything that a list shows. */
  card: string;
}

export interface ArticleSummary extends Summary {
  /** As one line, without markup. */
  synopsis: string;
  category: string | null;
  /** Title of a category that is not among those of the archive. */
  otherCategory: string;
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
    const entry = firstRendered(catalogue, thumbIds(catalogue, parent, normal));
    const counts = shownCounts(catalogue, parent, normal);
    const shown = JSON.stringify(counts);
    const card = keyOf(ref.digest, path, entry?.id, entryKey(entry), entry?.record, shown);
    return {
      ...ref,
      title: titleOf(title, formats),
      path,
      publishedAt,
      thumb: entry?.id,
      counts,
      card,
    };
  }

  const articles: ArticleSummary[] = [];
  for (const { value: normal, ...ref } of snapshot.normals("articles")) {
    const path = catalogue.page("articles", ref.id);
    if (path === undefined) continue;
    const category = catalogue.categoryOf(normal);
    const known = category === null ? undefined : categories.get(category);
    const summary = summaryOf("articles", ref, path, normal);
    const card = keyOf(summary.card, known?.title, known?.path);
    const otherCategory = known === undefined ? readable(normal.category?.title ?? "") : "";
    const synopsis = readableSummary(normal.synopsis);
    const article = { ...summary, synopsis, category, otherCategory, tags: normal.tags, card };
    articles.push(article);
    known?.articles.push(article);
    for (const slug of new Set(normal.tags)) tags.get(slug)?.articles.push(article);
  }

  const galleries: Summary[] = [];
  for (const { value: normal, ...ref } of snapshot.normals("galleries")) {
    const path = catalogue.page("galleries", ref.id);
    if (path !== undefined) galleries.push(summaryOf("galleries", ref, path, normal));
  }

  for (const category of categories.values()) category.years = yearsIn(category, formats);
  const initials = byInitial(articles, formats);
  return { articles, galleries, categories, tags, initials, ...readPeriods(articles, formats) };
}

/** How many of its attachments are shown. The origin may count others. */
function shownCounts({ snapshot }: Catalogue, parent: Parent, normal: Article | Gallery) {
  const { id, attachments } = normal;
  const countOf = (kind: MediaKind): number =>
    attachments[kind] === 0 ? 0 : (snapshot.attachments(parent, id, kind)?.items.length ?? 0);
  return {
    ...{ images: countOf("images"), videos: countOf("videos") },
    ...{ documents: countOf("documents"), audio: countOf("audio") },
  };
}

/** The images that may stand for an item: the one its thumbnail shows, and the first attached ones. */
function* thumbIds(catalogue: Catalogue, parent: Parent, normal: Article | Gallery) {
  const request =
    normal.thumbnail === null ? undefined : catalogue.routes.resolve(normal.thumbnail);
  if (request?.route === "binary" || request?.route === "download") yield request.id;
  if (normal.attachments.images === 0) return;
  const attached = catalogue.snapshot.attachments(parent, normal.id, "images")?.items ?? [];
  for (const { id } of attached.slice(0, 5)) yield id;
}

/** By id, in the origin's display order. */
function readCategories({ snapshot, categoryName }: Catalogue, formats: Formats) {
  const found = [...snapshot.normals("categories")].flatMap(({ id, value }) => {
    const { title, order } = value;
    const name = categoryName(id);
    return name === undefined ? [] : [{ id, title, order, name }];
  });
  found.sort((a, b) => a.order - b.order || (a.title < b.title ? -1 : 1));
  const titles = counted(found.map(({ title }) => title));
  const categories = found.map(({ id, title, name }): [string, Category] => {
    const told = titles.get(title) === 1 ? title : `${title} (${name})`;
    const group = groupOf(formats, told, (page) => sitePaths.category(name, page));
    return [id, { ...group, about: `categories/${id}`, name, years: [] }];
  });
  return new Map(categories);
}

/** By slug, in alphabetical order. */
function readTags({ snapshot, tagName }: Catalogue, formats: Formats) {
  const found = [...snapshot.normals("tags")].flatMap(({ value }) => {
    // The origin does not say which galleries carry a tag.
    const { slug, title, galleriesCount: galleries } = value;
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
  const years = periodsOf(articles, formats, 1, (year) => {
    const inYear = formats.t("category.year", { category: title, year });
    const group = groupOf(formats, inYear, (page) => sitePaths.categoryYear(name, year, page));
    return { ...group, about: `years/${of}/${year}` };
  });
  return years.length < 2 ? [] : years;
}

/** The years and months with articles; and the articles without a date. */
function readPeriods(all: readonly ArticleSummary[], formats: Formats) {
  const undated = groupOf(formats, formats.t("undated"), (page) => sitePaths.year("undated", page));
  return {
    undated: { ...undated, articles: all.filter(({ publishedAt }) => publishedAt === null) },
    years: periodsOf(all, formats, 1, (year) =>
      groupOf(formats, year, (page) => sitePaths.year(year, page)),
    ),
    months: periodsOf(all, formats, 2, (year, month) =>
      groupOf(formats, formats.month(year, month), (page) => sitePaths.month(year, month, page)),
    ),
  };
}

/** Latest first. @param names that a period has: its year, or year and month */
function periodsOf(
  all: readonly ArticleSummary[],
  formats: Formats,
  names: 1 | 2,
  groupFor: (year: string, month: string) => Group,
): Period[] {
  const found = groupedBy(all, ({ publishedAt }) =>
    publishedAt === null ? "" : formats.yearMonth(publishedAt).slice(0, names).join("/"),
  );
  found.delete("");
  const periods = Array.from(found, ([name, articles]) => {
    const [year = "", month = ""] = name.split("/");
    return { ...groupFor(year, month), articles, year, month };
  });
  return periods.sort((a, b) => (a.path < b.path ? 1 : -1));
}

export function groupOf(formats: Formats, title: string, pathOf: Group["pathOf"]): Group {
  return { title: titleOf(title, formats), path: pathOf(1), pathOf, articles: [] };
}

export const titleOf = (title: string, { t }: Pick<Formats, "t">): string =>
  readable(title) || t("untitled");
