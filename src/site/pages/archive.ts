import type { OutputFile } from "../../lib/output.ts";
import { sitePaths } from "../../routes/site.ts";
import { groupEntry, type Neighbours, neighbourLinks, withNeighbours } from "../cards.ts";
import type { Link } from "../pictures.ts";
import { type Site, sections, smallPageFile } from "../site.ts";
import type { Period } from "../summaries.ts";
import { articleListPages } from "./lists.ts";

/** The archive, its years and months in the origin's time zone. */
export function* archivePages(site: Site): Generator<OutputFile> {
  const { years, months, undated } = site.lists;
  yield smallPageFile(site, sitePaths.archive, (link) => ({
    template: "archive",
    title: sections.archive.title,
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
    yield* articleListPages(site, undated, { section: "archive", crumbs: [sections.archive] });
  }
}

function periodPages(site: Site, period: Period, near: Neighbours): Generator<OutputFile> {
  const { year } = period;
  const isYear = period.month === "";
  const above = isYear ? [] : [{ title: year, path: sitePaths.year(year, 1) }];
  return articleListPages(site, period, {
    section: "archive",
    crumbs: [sections.archive, ...above],
    extra(link) {
      const { newer: later, older: earlier } = neighbourLinks(near, link);
      if (!isYear) return { kicker: "Month", later, earlier };
      return { kicker: "Year", later, earlier, months: calendarOf(site, year, link) };
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
