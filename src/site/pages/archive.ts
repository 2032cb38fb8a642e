import { keyOf } from "../../lib/digest.ts";
import type { OutputFile } from "../../lib/output.ts";
import { sitePaths } from "../../routes/site.ts";
import type { Link } from "../pictures.ts";
import { pageFile, type Site } from "../site.ts";
import { listPages } from "./lists.ts";

/** The overview of the archive, and the articles of each year and month in the origin's time zone. */
export function* archivePages(site: Site): Generator<OutputFile> {
  const { byYear, undated } = site.lists;
  const { formats } = site;
  const years = [...byYear].map(([year, { articles, months }]) => ({
    year,
    articles,
    months: [...months].map(([month, members]) => ({ month, articles: members })),
  }));
  const overview = years.flatMap(({ year, articles, months }) => [
    year,
    articles.length,
    ...months.flatMap(({ month, articles: members }) => [month, members.length]),
  ]);
  yield pageFile(site, sitePaths.archive, [keyOf(...overview), undated.length], (link) => ({
    template: "archive",
    title: "Archive",
    section: "archive",
    crumbs: [],
    data: {
      years: years.map((year) => ({
        year: year.year,
        href: link(sitePaths.year(year.year, 1)),
        count: year.articles.length,
        months: monthsOf(site, year, link),
      })),
      undated:
        undated.length === 0
          ? null
          : { href: link(sitePaths.year("undated", 1)), count: undated.length },
    },
  }));
  for (const [at, year] of years.entries()) {
    const later = years[at - 1]?.year;
    const earlier = years[at + 1]?.year;
    const counts = year.months.flatMap(({ month, articles }) => [month, articles.length]);
    yield* listPages(site, {
      articles: year.articles,
      path: (page) => sitePaths.year(year.year, page),
      title: year.year,
      section: "archive",
      crumbs: (link) => [{ title: "Archive", href: link(sitePaths.archive) }],
      key: [later ?? "", earlier ?? "", ...counts],
      extra: (link) => ({
        kicker: "Year",
        months: monthsOf(site, year, link),
        later: later && { title: later, href: link(sitePaths.year(later, 1)) },
        earlier: earlier && { title: earlier, href: link(sitePaths.year(earlier, 1)) },
      }),
    });
  }
  if (undated.length > 0) {
    yield* listPages(site, {
      articles: undated,
      path: (page) => sitePaths.year("undated", page),
      title: "Without a date",
      section: "archive",
      crumbs: (link) => [{ title: "Archive", href: link(sitePaths.archive) }],
      key: [],
    });
  }
  const months = years.flatMap(({ year, months }) => months.map((month) => ({ year, ...month })));
  for (const [at, { year, month, articles }] of months.entries()) {
    const reference = (other: (typeof months)[number] | undefined, link: Link) =>
      other && {
        title: formats.month(other.year, other.month),
        href: link(sitePaths.month(other.year, other.month, 1)),
      };
    const [later, earlier] = [months[at - 1], months[at + 1]];
    yield* listPages(site, {
      articles,
      path: (page) => sitePaths.month(year, month, page),
      title: formats.month(year, month),
      section: "archive",
      crumbs: (link) => [
        { title: "Archive", href: link(sitePaths.archive) },
        { title: year, href: link(sitePaths.year(year, 1)) },
      ],
      key: [later?.year, later?.month, earlier?.year, earlier?.month].map((part) => part ?? ""),
      extra: (link) => ({
        kicker: "Month",
        later: reference(later, link),
        earlier: reference(earlier, link),
      }),
    });
  }
}

/** All twelve months of a year; those without articles have no link. `heat` is 0 to 4, by the year's fullest. */
function monthsOf(
  { formats }: Site,
  { year, months }: { year: string; months: { month: string; articles: readonly unknown[] }[] },
  link: Link,
) {
  const counts = new Map(months.map(({ month, articles }) => [month, articles.length]));
  const most = Math.max(...counts.values());
  return Array.from({ length: 12 }, (_, at) => {
    const month = String(at + 1).padStart(2, "0");
    const count = counts.get(month) ?? 0;
    return {
      name: formats.monthName(month),
      count,
      heat: count === 0 ? 0 : Math.ceil((count / most) * 4),
      href: count === 0 ? null : link(sitePaths.month(year, month, 1)),
    };
  });
}
