import type { OutputFile } from "../../lib/output.ts";
import { sitePaths } from "../../routes/site.ts";
import { attachedTo } from "../attachments.ts";
import {
  articleCard,
  firstPicture,
  galleryCard,
  groupEntry,
  lineOf,
  referenceOf,
  thumbPicture,
  tileOf,
} from "../cards.ts";
import type { Link } from "../pictures.ts";
import { hostOf, type PageView, type Site, smallPageFile } from "../site.ts";
import { besideSizes, cardSizes, heroSizes, leadSizes, tileSizes, topicSizes } from "../sizes.ts";
import type { ArticleSummary, Group, Summary } from "../summaries.ts";
import type { Card, Line, Strip, Topic } from "../views.ts";
import type { ImageCounts } from "./images.ts";

/** The latest articles: the lead, those beside it, and those below. */
const shown = { beside: 2, below: 3, galleries: 4, strip: 5, onThisDay: 5 };
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
        strip: first?.thumb === undefined ? stripOf(site, galleries, link) : null,
        onThisDay: onThisDay(site, time, link),
        topics: topicsOf(site, filled, new Set(latest), link),
        galleries: pictures.map((gallery) => ({
          ...galleryCard(site, gallery, link),
          ...(pictures.length === 1 && {
            picture: thumbPicture(site, gallery, link, { sizes: heroSizes }),
          }),
        })),
        categories: filled.map((category) => groupEntry(category, link)),
        years: years.map((period) => ({ ...groupEntry(period, link), year: period.year })),
      },
    }),
  );
}

/** The latest gallery with its first pictures, for a front page that leads with words. */
function stripOf(site: Site, [gallery]: readonly Summary[], link: Link): Strip | null {
  if (gallery === undefined) return null;
  const tiles = attachedTo(site, "galleries", gallery.id).images.slice(0, shown.strip);
  const options = { sizes: tileSizes, gallery: gallery.id };
  return {
    ...referenceOf(gallery, link),
    tiles: tiles
      .map((ref) => tileOf(site, ref, link, options))
      .filter(({ picture }) => picture !== null),
  };
}

/** Articles of the snapshot's day in other years. */
function onThisDay(site: Site, time: string, link: Link): Line[] {
  const { formats, lists } = site;
  const day = formats.isoDay(time);
  const isAnniversary = ({ publishedAt }: ArticleSummary): boolean => {
    const then = publishedAt === null ? "" : formats.isoDay(publishedAt);
    return then.slice(4) === day.slice(4) && then < day;
  };
  const found = lists.articles.filter(isAnniversary).slice(0, shown.onThisDay);
  return found.map((article) => lineOf(site, article, link));
}

function leadOf(site: Site, article: ArticleSummary, link: Link): Card {
  const picture = thumbPicture(site, article, link, { sizes: leadSizes });
  return { ...articleCard(site, article, link), picture };
}

/**
 * The categories that have enough articles beside those above, that with the latest article first: one of each as a card,
 * some more as lines.
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
  const { formats } = site;
  const newestOf = ({ articles: [newest] }: Group) => newest?.publishedAt ?? "";
  found.sort((a, b) => formats.compare(newestOf(b.group), newestOf(a.group)));
  return found.slice(0, topics.most).map(({ group, first, others }) => ({
    ...groupEntry(group, link),
    card: { ...articleCard(site, first, link, topicSizes), category: null },
    lines: others.map((article) => lineOf(site, article, link)),
  }));
}
