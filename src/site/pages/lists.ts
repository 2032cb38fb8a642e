import { counted } from "../../lib/frequency.ts";
import { largest } from "../../lib/many.ts";
import type { OutputFile } from "../../lib/output.ts";
import { sitePaths } from "../../routes/site.ts";
import {
  articleCard,
  besidesOf,
  firstPicture,
  groupEntry,
  periodEntry,
  withNeighbours,
} from "../cards.ts";
import { byInitial } from "../initials.ts";
import { listPages, type PagedList } from "../pagination.ts";
import type { Link } from "../pictures.ts";
import { type Site, section, sectionPage, type TemplateView } from "../site.ts";
import { type Category, type Group, groupOf } from "../summaries.ts";
import type { Period } from "../views.ts";

export function articleListPages(
  site: Site,
  { title, pathOf, articles, about }: Group,
  list: Pick<PagedList<unknown>, "section" | "crumbs" | "feed" | "extra">,
): Generator<OutputFile> {
  // A list of one category says it above.
  const said = list.section === "categories" ? { category: null } : {};
  return listPages(site, articles, {
    ...list,
    title,
    about,
    path: pathOf,
    itemKey: ({ card }) => card,
    image: (items) => firstPicture(site, items),
    view: (items, link, shared): TemplateView => ({
      template: "list",
      data: {
        ...shared,
        cards: items.map((one) => ({ ...articleCard(site, one, link), ...said })),
      },
    }),
  });
}

export function articleIndexPages(site: Site): Generator<OutputFile> {
  const all = groupOf(site.formats, section(site, "articles").title, sitePaths.articles);
  const { articles } = site.lists;
  return articleListPages(site, { ...all, articles }, { section: "articles" });
}

export function* categoryPages(site: Site): Generator<OutputFile> {
  const all = [...site.lists.categories.values()];
  yield sectionPage(site, "categories", (link) => ({
    categories: all.map((category) => groupEntry(category, link)),
  }));
  const kicker = site.formats.t("category");
  for (const category of all) {
    yield* articleListPages(site, category, {
      section: "categories",
      crumbs: [section(site, "categories")],
      feed: category,
      extra: (link) => ({ kicker, periods: yearsOf(category, link) }),
    });
    for (const [year, near] of withNeighbours(category.years)) {
      yield* articleListPages(site, year, {
        section: "categories",
        crumbs: [section(site, "categories"), category],
        feed: category,
        extra: (link) => ({ kicker, ...besidesOf(near, link) }),
      });
    }
  }
}

export function* tagPages(site: Site): Generator<OutputFile> {
  const tags = [...site.lists.tags.values()];
  const titles = counted(tags.map(({ title }) => title));
  // Only the slug tells tags of one title apart.
  const all = tags.map((tag) => ({ ...tag, hint: titles.get(tag.title) === 1 ? "" : tag.slug }));
  yield sectionPage(site, "tags", (link) => ({
    total: all.length,
    groups: byInitial(
      all.map((tag) => ({ ...groupEntry(tag, link), hint: tag.hint })),
      site.formats,
    ),
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

function yearsOf({ years }: Category, link: Link): Period[] {
  const most = largest(years.map(({ articles }) => articles.length));
  return years.map((year) => periodEntry(year, year.year, most, link));
}
