import { keyOf } from "../../lib/digest.ts";
import { largest } from "../../lib/many.ts";
import type { OutputFile } from "../../lib/output.ts";
import { sitePaths } from "../../routes/site.ts";
import {
  besidesOf,
  groupEntry,
  lineOf,
  type Neighbours,
  periodEntry,
  withNeighbours,
} from "../cards.ts";
import { titlesPerPage } from "../initials.ts";
import { listPages } from "../pagination.ts";
import type { Link } from "../pictures.ts";
import { type Site, section, sectionPage, type TemplateView } from "../site.ts";
import type { ArticleSummary, Period } from "../summaries.ts";
import type * as views from "../views.ts";
import { articleListPages } from "./lists.ts";

/** The archive, its years and months in the origin's time zone. */
export function* archivePages(site: Site): Generator<OutputFile> {
  const { years, months, undated, initials } = site.lists;
  yield sectionPage(site, "archive", (link) => ({
    years: years.map((period) => ({
      ...groupEntry(period, link),
      year: period.year,
      months: calendarOf(site, period.year, link),
    })),
    matrix: matrixOf(site, link),
    initials: initials.map(({ initial, items }) => ({
      title: initial,
      count: items.length,
      href: link(sitePaths.initial(initial, 1)),
    })),
    undated: undated.articles.length === 0 ? null : groupEntry(undated, link),
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
  for (const { initial, items } of initials) yield* titlePages(site, initial, items);
}

function periodPages(site: Site, period: Period, near: Neighbours): Generator<OutputFile> {
  const { year } = period;
  const isYear = period.month === "";
  const above = isYear ? [] : [{ title: year, path: sitePaths.year(year, 1) }];
  return articleListPages(site, period, {
    section: "archive",
    crumbs: [section(site, "archive"), ...above],
    extra: (link) => ({
      kicker: site.formats.t(isYear ? "year" : "month"),
      ...besidesOf(near, link),
      ...(isYear && { periods: calendarOf(site, year, link) }),
    }),
  });
}

/** Months without articles have no link. */
function calendarOf(site: Site, year: string, link: Link): views.Period[] {
  const filled = site.lists.months.filter((month) => month.year === year);
  // One scale for all years.
  const most = largest(site.lists.months.map(({ articles }) => articles.length));
  return Array.from({ length: 12 }, (_, at) => {
    const month = String(at + 1).padStart(2, "0");
    const period = filled.find((one) => one.month === month);
    const name = site.formats.monthName(month);
    if (period === undefined) return { name, count: 0, heat: 0, href: null };
    return periodEntry(period, name, most, link);
  });
}

function titlePages(site: Site, initial: string, articles: readonly ArticleSummary[]) {
  return listPages(site, articles, {
    title: site.formats.t("archive.initial", { initial }),
    section: "archive",
    crumbs: [section(site, "archive")],
    path: (page) => sitePaths.initial(initial, page),
    perPage: titlesPerPage,
    itemKey: ({ title, path, publishedAt }) => keyOf(title, path, publishedAt),
    image: () => undefined,
    view: (items, link, shared): TemplateView => ({
      template: "titles",
      data: { ...shared, lines: items.map((article) => lineOf(site, article, link)) },
    }),
  });
}

function matrixOf(site: Site, link: Link): views.Matrix {
  const categories = [...site.lists.categories.values()].filter(({ years }) => years.length > 0);
  const most = largest(
    categories.flatMap(({ years }) => years.map(({ articles }) => articles.length)),
  );
  return {
    categories: categories.map((category) => groupEntry(category, link)),
    rows: site.lists.years.map((period) => ({
      ...groupEntry(period, link),
      cells: categories.map(({ years }) => {
        const found = years.find(({ year }) => year === period.year);
        return found === undefined ? null : periodEntry(found, period.title, most, link);
      }),
    })),
  };
}
