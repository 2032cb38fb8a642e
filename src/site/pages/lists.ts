import { keyOf } from "../../lib/digest.ts";
import type { OutputFile } from "../../lib/output.ts";
import { sitePaths } from "../../routes/site.ts";
import { articleCard } from "../cards.ts";
import { pageCount, pageItems, paginationOf } from "../pagination.ts";
import type { Link } from "../pictures.ts";
import { type Crumb, pageFile, type Section, type Site, titleOf } from "../site.ts";
import type { ArticleSummary } from "../summaries.ts";

/** A paginated list of articles, whatever they have in common. */
export interface ArticleList {
  articles: readonly ArticleSummary[];
  path: (page: number) => string;
  title: string;
  section: Section;
  crumbs: (link: Link) => Crumb[];
  /** Everything else that its pages show. */
  key: (string | number)[];
  /** More for the template: `kicker`, `note`, `periods`, `previous`, `next`. */
  extra?: (link: Link) => object;
}

/** The pages of one list. */
export function* listPages(site: Site, list: ArticleList): Generator<OutputFile> {
  const { perPage } = site.config.site;
  const last = pageCount(list.articles.length, perPage);
  for (let page = 1; page <= last; page++) {
    const items = pageItems(list.articles, page, perPage);
    const cards = items.map(({ card }) => card);
    const key = [page, last, list.articles.length, list.title, ...list.key, ...cards];
    yield pageFile(site, list.path(page), key, (link) => {
      const pagination = paginationOf(page, last, (to) => link(list.path(to)));
      return {
        template: "list",
        title: page === 1 ? list.title : `${list.title}, page ${page}`,
        section: list.section,
        crumbs: list.crumbs(link),
        previous: pagination?.previous ?? null,
        next: pagination?.next ?? null,
        data: {
          title: list.title,
          total: list.articles.length,
          page,
          cards: items.map((article) => articleCard(site, article, link)),
          pagination,
          ...list.extra?.(link),
        },
      };
    });
  }
}

/** The index of articles. */
export function* articleIndexPages(site: Site): Generator<OutputFile> {
  yield* listPages(site, {
    articles: site.lists.articles,
    path: sitePaths.articles,
    title: "Articles",
    section: "articles",
    crumbs: () => [],
    key: [],
  });
}

/** The overview of categories and each category's articles. */
export function* categoryPages(site: Site): Generator<OutputFile> {
  const { categories, byCategory } = site.lists;
  const all = [...categories.values()].map((category) => ({
    ...category,
    title: titleOf(category.title),
    articles: byCategory.get(category.id) ?? [],
  }));
  const key = all.flatMap(({ title, name, articles }) => [title, name, articles.length]);
  yield pageFile(site, sitePaths.categories, key, (link) => ({
    template: "categories",
    title: "Categories",
    section: "categories",
    crumbs: [],
    data: {
      categories: all.map(({ title, name, articles }) => ({
        title,
        href: link(sitePaths.category(name, 1)),
        count: articles.length,
      })),
    },
  }));
  for (const { title, name, articles } of all) {
    yield* listPages(site, {
      articles,
      path: (page) => sitePaths.category(name, page),
      title,
      section: "categories",
      crumbs: (link) => [{ title: "Categories", href: link(sitePaths.categories) }],
      key: [],
      extra: () => ({ kicker: "Category" }),
    });
  }
}

/** The overview of tags and each tag's articles. */
export function* tagPages(site: Site): Generator<OutputFile> {
  const { tags, byTag } = site.lists;
  const titles = new Map<string, number>();
  for (const { title } of tags.values()) titles.set(title, (titles.get(title) ?? 0) + 1);
  const all = [...tags.values()].map((tag) => ({
    ...tag,
    title: titleOf(tag.title),
    // Equal titles exist; only the slug tells such tags apart.
    hint: (titles.get(tag.title) ?? 0) > 1 ? tag.slug : "",
    articles: byTag.get(tag.slug) ?? [],
  }));
  const parts = all.flatMap(({ title, name, hint, articles }) => [
    title,
    name,
    hint,
    articles.length,
  ]);
  yield pageFile(site, sitePaths.tags, [keyOf(...parts)], (link) => ({
    template: "tags",
    title: "Tags",
    section: "tags",
    crumbs: [],
    data: {
      total: all.length,
      groups: byInitial(
        all.map(({ title, name, hint, articles }) => ({
          title,
          hint,
          href: link(sitePaths.tag(name, 1)),
          count: articles.length,
        })),
      ),
    },
  }));
  for (const { title, name, hint, galleries, articles } of all) {
    yield* listPages(site, {
      articles,
      path: (page) => sitePaths.tag(name, page),
      title,
      section: "tags",
      crumbs: (link) => [{ title: "Tags", href: link(sitePaths.tags) }],
      key: [hint, galleries],
      extra: () => ({ kicker: "Tag", hint, galleries }),
    });
  }
}

function byInitial<T extends { title: string }>(items: T[]): { initial: string; items: T[] }[] {
  const groups: { initial: string; items: T[] }[] = [];
  for (const item of items) {
    const first = item.title.normalize("NFKD").match(/[\p{L}\p{N}]/u)?.[0] ?? "#";
    const initial = /\p{N}/u.test(first) ? "0–9" : first.toLocaleUpperCase();
    const group = groups.at(-1);
    if (group?.initial === initial) group.items.push(item);
    else groups.push({ initial, items: [item] });
  }
  return groups;
}
