import { counted } from "../../lib/frequency.ts";
import type { OutputFile } from "../../lib/output.ts";
import { sitePaths } from "../../routes/site.ts";
import {
  articleCard,
  besidesOf,
  firstPicture,
  groupEntry,
  periodEntry,
  thumbsOf,
  withNeighbours,
} from "../cards.ts";
import { byInitial } from "../initials.ts";
import { listPages, type PagedList } from "../pagination.ts";
import type { Link } from "../pictures.ts";
import { type PageView, type Site, section, smallPageFile, type TemplateView } from "../site.ts";
import { type Category, type Group, groupOf } from "../summaries.ts";
import type { Card, Period } from "../views.ts";

export function articleListPages(
  site: Site,
  { title, pathOf, articles, about }: Group,
  list: Pick<PagedList<unknown>, "section" | "crumbs" | "feed" | "extra">,
  cardOf: (...card: Parameters<typeof articleCard>) => Card = articleCard,
): Generator<OutputFile> {
  return listPages(site, articles, {
    ...list,
    title,
    about,
    path: pathOf,
    itemKey: ({ card }) => card,
    image: (items) => firstPicture(site, thumbsOf(items)),
    view: (items, link, shared): TemplateView => ({
      template: "list",
      data: { ...shared, cards: items.map((one) => cardOf(site, one, link)) },
    }),
  });
}

export function articleIndexPages(site: Site): Generator<OutputFile> {
  const all = groupOf(site.formats, section(site, "articles").title, sitePaths.articles);
  const { articles } = site.lists;
  return articleListPages(site, { ...all, articles }, { section: "articles" });
}

/** Where a list is of one category. */
function withoutCategory(...card: Parameters<typeof articleCard>): Card {
  return { ...articleCard(...card), category: null };
}

export function* categoryPages(site: Site): Generator<OutputFile> {
  const all = [...site.lists.categories.values()];
  yield smallPageFile(
    site,
    sitePaths.categories,
    (link): PageView => ({
      template: "categories",
      title: section(site, "categories").title,
      section: "categories",
      data: { categories: all.map((category) => groupEntry(category, link)) },
    }),
  );
  const kicker = site.formats.t("category");
  for (const category of all) {
    yield* articleListPages(
      site,
      category,
      {
        section: "categories",
        crumbs: [section(site, "categories")],
        feed: category,
        extra: (link) => ({ kicker, periods: yearsOf(category, link) }),
      },
      withoutCategory,
    );
    for (const [year, near] of withNeighbours(category.years)) {
      yield* articleListPages(
        site,
        year,
        {
          section: "categories",
          crumbs: [section(site, "categories"), category],
          feed: category,
          extra: (link) => ({ kicker, ...besidesOf(near, link) }),
        },
        withoutCategory,
      );
    }
  }
}

export function* tagPages(site: Site): Generator<OutputFile> {
  const tags = [...site.lists.tags.values()];
  const titles = counted(tags.map(({ title }) => title));
  // Only the slug tells tags of one title apart.
  const all = tags.map((tag) => ({ ...tag, hint: titles.get(tag.title) === 1 ? "" : tag.slug }));
  yield smallPageFile(
    site,
    sitePaths.tags,
    (link): PageView => ({
      template: "tags",
      title: section(site, "tags").title,
      section: "tags",
      data: {
        total: all.length,
        groups: byInitial(
          all.map((tag) => ({ ...groupEntry(tag, link), hint: tag.hint })),
          site.formats,
        ),
      },
    }),
  );
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
  const most = Math.max(...years.map(({ articles }) => articles.length));
  return years.map((year) => periodEntry(year, year.year, most, link));
}
