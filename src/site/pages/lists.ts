import { keyOf } from "../../lib/digest.ts";
import { counted } from "../../lib/frequency.ts";
import type { OutputFile } from "../../lib/output.ts";
import { sitePaths } from "../../routes/site.ts";
import { articleCard, groupEntry, groupsKey } from "../cards.ts";
import { listPages, type PagedList } from "../pagination.ts";
import type { Link } from "../pictures.ts";
import { pageFile, type Site, sections } from "../site.ts";
import { type Group, groupOf } from "../summaries.ts";

type ArticleList = Pick<PagedList<unknown>, "section" | "crumbs" | "key"> & {
  /** For the template: `kicker`, `hint`, `galleries`, `months`, `later`, `earlier`. */
  extra?: (link: Link) => object;
};

export function articleListPages(
  site: Site,
  { title, pathOf, articles }: Group,
  { extra, ...list }: ArticleList,
): Generator<OutputFile> {
  return listPages(site, articles, {
    ...list,
    title,
    path: pathOf,
    template: "list",
    itemKey: ({ card }) => card,
    data: (items, link) => ({
      cards: items.map((article) => articleCard(site, article, link)),
      ...extra?.(link),
    }),
  });
}

export function articleIndexPages(site: Site): Generator<OutputFile> {
  const all = groupOf(sections.articles.title, sitePaths.articles);
  const { articles } = site.lists;
  return articleListPages(site, { ...all, articles }, { section: "articles" });
}

export function* categoryPages(site: Site): Generator<OutputFile> {
  const all = [...site.lists.categories.values()];
  yield pageFile(site, sitePaths.categories, groupsKey(all), (link) => ({
    template: "categories",
    title: sections.categories.title,
    section: "categories",
    data: { categories: all.map((category) => groupEntry(category, link)) },
  }));
  for (const category of all) {
    yield* articleListPages(site, category, {
      section: "categories",
      crumbs: [sections.categories],
      extra: () => ({ kicker: "Category" }),
    });
  }
}

export function* tagPages(site: Site): Generator<OutputFile> {
  const tags = [...site.lists.tags.values()];
  const titles = counted(tags.map(({ title }) => title));
  // Only the slug tells tags of one title apart.
  const all = tags.map((tag) => ({ ...tag, hint: titles.get(tag.title) === 1 ? "" : tag.slug }));
  const key = keyOf(...groupsKey(all), ...all.map(({ hint }) => hint));
  yield pageFile(site, sitePaths.tags, [key], (link) => ({
    template: "tags",
    title: sections.tags.title,
    section: "tags",
    data: {
      total: all.length,
      groups: byInitial(all.map((tag) => ({ ...groupEntry(tag, link), hint: tag.hint }))),
    },
  }));
  for (const { hint, galleries, ...tag } of all) {
    yield* articleListPages(site, tag, {
      section: "tags",
      crumbs: [sections.tags],
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
