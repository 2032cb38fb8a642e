import { counted } from "../../lib/frequency.ts";
import type { OutputFile } from "../../lib/output.ts";
import { sitePaths } from "../../routes/site.ts";
import {
  articleCard,
  firstPicture,
  groupEntry,
  type Neighbours,
  neighbourLinks,
  thumbsOf,
  withNeighbours,
} from "../cards.ts";
import { listPages, type PagedList } from "../pagination.ts";
import type { Link } from "../pictures.ts";
import { type Site, section, smallPageFile } from "../site.ts";
import { type Group, groupOf, type Period } from "../summaries.ts";

function articleListPages(
  site: Site,
  { title, pathOf, articles, about }: Group,
  /** `extra`: kicker, hint, galleries, months, later, earlier. */
  list: Pick<PagedList<unknown>, "section" | "crumbs" | "feed" | "extra">,
): Generator<OutputFile> {
  return listPages(site, articles, {
    ...list,
    title,
    about,
    path: pathOf,
    template: "list",
    itemKey: ({ card }) => card,
    image: (items) => firstPicture(site, thumbsOf(items)),
    data: (items, link) => ({ cards: items.map((one) => articleCard(site, one, link)) }),
  });
}

export function articleIndexPages(site: Site): Generator<OutputFile> {
  const all = groupOf(site.formats, section(site, "articles").title, sitePaths.articles);
  const { articles } = site.lists;
  return articleListPages(site, { ...all, articles }, { section: "articles" });
}

export function* categoryPages(site: Site): Generator<OutputFile> {
  const all = [...site.lists.categories.values()];
  yield smallPageFile(site, sitePaths.categories, (link) => ({
    template: "categories",
    title: section(site, "categories").title,
    section: "categories",
    data: { categories: all.map((category) => groupEntry(category, link)) },
  }));
  for (const category of all) {
    yield* articleListPages(site, category, {
      section: "categories",
      crumbs: [section(site, "categories")],
      feed: category,
      extra: () => ({ kicker: site.formats.t("category") }),
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
    title: section(site, "tags").title,
    section: "tags",
    data: {
      total: all.length,
      groups: byInitial(all.map((tag) => ({ ...groupEntry(tag, link), hint: tag.hint }))),
    },
  }));
  for (const { hint, galleries, ...tag } of all) {
    yield* articleListPages(site, tag, {
      section: "tags",
      crumbs: [section(site, "tags")],
      feed: tag,
      extra: () => ({ kicker: site.formats.t("tag"), hint, galleries }),
    });
  }
}

function byInitial<T extends { title: string }>(items: T[]): { initial: string; items: T[] }[] {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const first = item.title.normalize("NFKD").match(/[\p{L}\p{N}]/u)?.[0] ?? "#";
    const initial = /\p{N}/u.test(first) ? "0–9" : first.toLocaleUpperCase();
    const group = groups.get(initial) ?? [];
    group.push(item);
    groups.set(initial, group);
  }
  return Array.from(groups, ([initial, items]) => ({ initial, items }));
}

/** The archive, its years and months in the origin's time zone. */
export function* archivePages(site: Site): Generator<OutputFile> {
  const { years, months, undated } = site.lists;
  yield smallPageFile(site, sitePaths.archive, (link) => ({
    template: "archive",
    title: section(site, "archive").title,
    section: "archive",
    data: {
      years: years.map((period) => ({
        ...groupEntry(period, link),
        year: period.year,
        months: calendarOf(site, period.year, link),
      })),
      undated: undated.articles.length === 0 ? null : groupEntry(undated, link),
    },
  }));
  for (const periods of [years, months]) {
    for (const [period, near] of withNeighbours(periods)) yield* periodPages(site, period, near);
  }
  if (undated.articles.length > 0) {
    yield* articleListPages(site, undated, {
      section: "archive",
      crumbs: [section(site, "archive")],
    });
  }
}

function periodPages(site: Site, period: Period, near: Neighbours): Generator<OutputFile> {
  const { year } = period;
  const isYear = period.month === "";
  const above = isYear ? [] : [{ title: year, path: sitePaths.year(year, 1) }];
  return articleListPages(site, period, {
    section: "archive",
    crumbs: [section(site, "archive"), ...above],
    extra(link) {
      const { newer: later, older: earlier } = neighbourLinks(near, link);
      const kicker = site.formats.t(isYear ? "year" : "month");
      if (!isYear) return { kicker, later, earlier };
      return { kicker, later, earlier, months: calendarOf(site, year, link) };
    },
  });
}

/** Months without articles have no link. `heat` is 0 to 4. */
function calendarOf(site: Site, year: string, link: Link) {
  const filled = site.lists.months.filter((month) => month.year === year);
  const most = Math.max(...filled.map(({ articles }) => articles.length));
  return Array.from({ length: 12 }, (_, at) => {
    const month = String(at + 1).padStart(2, "0");
    const period = filled.find((one) => one.month === month);
    const count = period?.articles.length ?? 0;
    return {
      name: site.formats.monthName(month),
      count,
      heat: Math.ceil((count / most) * 4),
      href: period === undefined ? null : link(period.path),
    };
  });
}
