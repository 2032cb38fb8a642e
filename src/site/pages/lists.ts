import { counted } from "../../lib/frequency.ts";
import type { OutputFile } from "../../lib/output.ts";
import { sitePaths } from "../../routes/site.ts";
import { articleCard, groupEntry } from "../cards.ts";
import { listPages, type PagedList } from "../pagination.ts";
import { type Site, sections, smallPageFile } from "../site.ts";
import { type Group, groupOf } from "../summaries.ts";

export function articleListPages(
  site: Site,
  { title, pathOf, articles }: Group,
  /** `extra`: kicker, hint, galleries, months, later, earlier. */
  list: Pick<PagedList<unknown>, "section" | "crumbs" | "extra">,
): Generator<OutputFile> {
  return listPages(site, articles, {
    ...list,
    title,
    path: pathOf,
    template: "list",
    itemKey: ({ card }) => card,
    data: (items, link) => ({ cards: items.map((one) => articleCard(site, one, link)) }),
  });
}

export function articleIndexPages(site: Site): Generator<OutputFile> {
  const all = groupOf(sections.articles.title, sitePaths.articles);
  const { articles } = site.lists;
  return articleListPages(site, { ...all, articles }, { section: "articles" });
}

export function* categoryPages(site: Site): Generator<OutputFile> {
  const all = [...site.lists.categories.values()];
  yield smallPageFile(site, sitePaths.categories, (link) => ({
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
  yield smallPageFile(site, sitePaths.tags, (link) => ({
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
