import type { OutputFile } from "../../lib/output.ts";
import { sitePaths } from "../../routes/site.ts";
import {
  articleCard,
  firstPicture,
  galleryCard,
  groupEntry,
  lineOf,
  thumbPicture,
} from "../cards.ts";
import type { Link } from "../pictures.ts";
import { hostOf, type PageView, type Site, smallPageFile } from "../site.ts";
import { besideSizes, cardSizes, leadSizes, topicSizes } from "../sizes.ts";
import type { ArticleSummary, Group } from "../summaries.ts";
import type { Card, Topic } from "../views.ts";
import type { ImageCounts } from "./images.ts";

/** The latest articles: the lead, those beside it, and those below. */
const shown = { beside: 2, below: 3, galleries: 4 };
/** Sections by category, and articles in one; a category with fewer articles has no section. */
const topics = { most: 6, least: 2, articles: 4 };

export function homePage(site: Site, { images }: Pick<ImageCounts, "images">): OutputFile {
  const { articles, galleries, categories, years } = site.lists;
  const { title, description } = site.config.site;
  const { origin, time } = site.catalogue.snapshot.manifest;
  const host = hostOf(origin);
  const date = { iso: time, text: site.formats.date(time) };
  const filled = [...categories.values()].filter((category) => category.articles.length > 0);
  const latest = articles.slice(0, 1 + shown.beside + shown.below);
  const [first, ...others] = latest;
  const beside = others.slice(0, shown.beside);
  const pictures = galleries.slice(0, shown.galleries);
  return smallPageFile(
    site,
    sitePaths.home,
    (link): PageView => ({
      template: "home",
      title,
      section: "home",
      description: description || site.formats.t("home.about", { host, date: date.text }),
      image: firstPicture(site, latest),
      data: {
        description,
        counts: { articles: articles.length, galleries: galleries.length, images },
        date,
        host,
        lead: first === undefined ? null : leadOf(site, first, link),
        beside: beside.map((article) => articleCard(site, article, link, besideSizes)),
        cards: others
          .slice(beside.length)
          .map((article) => articleCard(site, article, link, cardSizes)),
        topics: topicsOf(site, filled, new Set(latest), link),
        galleries: pictures.map((gallery) => galleryCard(site, gallery, link)),
        categories: filled.map((category) => groupEntry(category, link)),
        years: years.map((period) => ({ ...groupEntry(period, link), year: period.year })),
      },
    }),
  );
}

function leadOf(site: Site, article: ArticleSummary, link: Link): Card {
  const picture = thumbPicture(site, article, link, { sizes: leadSizes });
  return { ...articleCard(site, article, link), picture };
}

/**
 * The categories that have enough articles beside those above, in their order: the latest article of each as a card, some
 * more as lines.
 */
function topicsOf(
  site: Site,
  groups: readonly Group[],
  above: ReadonlySet<ArticleSummary>,
  link: Link,
): Topic[] {
  const found = groups.flatMap((group) => {
    const rest = group.articles.filter((article) => !above.has(article));
    const [first, ...others] = rest.slice(0, topics.articles);
    if (first === undefined || rest.length < topics.least) return [];
    return { group, first, others };
  });
  return found.slice(0, topics.most).map(({ group, first, others }) => ({
    ...groupEntry(group, link),
    card: { ...articleCard(site, first, link, topicSizes), category: null },
    lines: others.map((article) => lineOf(site, article, link)),
  }));
}
