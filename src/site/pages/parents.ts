import { addTo } from "../../lib/frequency.ts";
import type { OutputFile } from "../../lib/output.ts";
import { sitePaths } from "../../routes/site.ts";
import {
  attachedKey,
  attachedTo,
  attachedViews,
  noteArticle,
  noteFiles,
  noteGallery,
  type Uses,
} from "../attachments.ts";
import { contentsOf, headingHref } from "../body-headings.ts";
import { authorsOf } from "../byline.ts";
import { captionOf, unsaid } from "../captions.ts";
import {
  articleCard,
  categoryOf,
  firstPicture,
  galleryCard,
  lineOf,
  momentOf,
  type Neighbours,
  neighbourLinks,
  neighboursKey,
  referenceOf,
  tagsOf,
  thumbPicture,
  withNeighbours,
} from "../cards.ts";
import { citationOf } from "../citation.ts";
import { listPages } from "../pagination.ts";
import type { Link } from "../pictures.ts";
import { beginsWith, readableSummary } from "../plain-text.ts";
import { relatedFinder } from "../related.ts";
import { type SeriesPlace, seriesFinder } from "../series.ts";
import { type Answers, answersTo, shownText, textKey } from "../shown-text.ts";
import {
  type KeyParts,
  type PageView,
  pageFile,
  type Site,
  section,
  type TemplateView,
} from "../site.ts";
import { cardSizes, heroSizes, smallTileSizes, tileSizes } from "../sizes.ts";
import type { ArticleSummary, Summary } from "../summaries.ts";
import type { Hero, Series } from "../views.ts";

/** Articles that link to one, which its page lists at most. */
const mostLinking = 30;

/** Notes in `uses` which images they show. */
export function* articlePages(site: Site, uses: Uses): Generator<OutputFile> {
  const [relatedTo, seriesOf] = [relatedFinder(site), seriesFinder(site)];
  const read = site.lists.articles.map((article) => answersTo(site, article));
  const linking = linkingByPath(site, read);
  let at = 0;
  for (const [article, near] of withNeighbours(site.lists.articles)) {
    const around: Around = {
      ...near,
      related: relatedTo(article),
      linking: linking.get(article.path) ?? [],
      series: seriesOf(article),
    };
    const attached = attachedTo(site, "articles", article.id);
    const answers = read[at++] as Answers;
    noteFiles(uses, article, attached);
    noteArticle(uses, article, [...attached.images.map(({ id }) => id), ...answers.images]);
    const key = () => [
      ...textKey(site, article, answers),
      attachedKey(site, attached),
      site.catalogue.isRemoved("articles", article.id),
      ...aroundKey(around),
      ...tagsOf(site, article).flatMap(({ title, path }) => [title, path]),
    ];
    const page = pageFile(
      site,
      article.path,
      key,
      (link) => articleView(site, article, around, link),
      () => ({ title: article.title, image: firstPicture(site, [article]) }),
    );
    yield { ...page, about: `articles/${article.id}` };
  }
}

/** The articles that link to each page, the latest first. */
function linkingByPath({ lists }: Site, read: readonly Answers[]): Map<string, ArticleSummary[]> {
  const linking = new Map<string, ArticleSummary[]>();
  for (const [at, article] of lists.articles.entries())
    for (const path of read[at]?.pages ?? [])
      if (path !== article.path) addTo(linking, path, article);
  return linking;
}

interface Around extends Neighbours {
  related: ArticleSummary[];
  linking: ArticleSummary[];
  series: SeriesPlace | undefined;
}

function aroundKey({ related, linking, series, ...near }: Around): KeyParts {
  const { part, parts, previous, next } = series ?? {};
  return [
    ...neighboursKey(near),
    ...related.map(({ card }) => card),
    ...linking
      .slice(0, mostLinking)
      .flatMap(({ title, path, publishedAt }) => [title, path, publishedAt]),
    ...[part, parts, previous?.title, previous?.path, next?.title, next?.path],
  ];
}

function articleView(site: Site, article: ArticleSummary, around: Around, link: Link): PageView {
  const { catalogue } = site;
  const { normal, raw } = catalogue.snapshot.read("articles", article);
  const { single, record, body } = shownText(site, article, link);
  const category = categoryOf(site, article);
  const synopsis = readableSummary(normal.synopsis || (single?.normal.synopsis ?? ""));
  const hero = body.pictures.size > 0 ? null : heroOf(site, article, synopsis, link);
  const view = httpUrl(normal.view ?? single?.normal.view ?? null);
  const authors = authorsOf(record, raw);
  const { ratingScale } = site.config.site;
  const rating = normal.rating ?? single?.normal.rating ?? null;
  const tags = tagsOf(site, article);
  const facts = {
    published: article.publishedAt,
    section: category?.title ?? null,
    tags: tags.map(({ title }) => title),
  };
  return {
    odd: body.odd,
    template: "article",
    title: article.title,
    section: "articles",
    article: facts,
    subject: {
      "@type": "NewsArticle",
      headline: article.title,
      datePublished: facts.published ?? undefined,
      author:
        authors.length === 0 ? undefined : authors.map((name) => ({ "@type": "Person", name })),
      articleSection: facts.section ?? undefined,
      keywords: facts.tags.length === 0 ? undefined : facts.tags,
    },
    description: synopsis,
    image: firstPicture(site, [article]),
    crumbs: [section(site, "articles"), ...(category === null ? [] : [category])],
    previous: around.newer?.path,
    next: around.older?.path,
    data: {
      synopsis: beginsWith(body.text, synopsis) ? "" : synopsis,
      date: momentOf(site, article.publishedAt),
      category: category && referenceOf(category, link),
      tags: tags.map((tag) => referenceOf(tag, link)),
      // A number says nothing without the best one.
      rating: ratingScale !== null && rating !== null && rating.count > 0 ? rating : null,
      ratingScale,
      body: body.html,
      lang: site.formats.lang(body.language),
      hasBody: single !== undefined,
      hero,
      ...attachedViews(site, attachedTo(site, "articles", article.id), link, {
        sizes: smallTileSizes,
        pictures: hero === null ? body.pictures : new Set([hero.id]),
        played: body.played,
      }),
      contents: contentsOf(body.headings).map((heading) => ({
        ...{ title: heading.title, href: headingHref(heading), level: heading.level },
      })),
      series: seriesView(around.series, link),
      linking: around.linking.slice(0, mostLinking).map((other) => lineOf(site, other, link)),
      related: around.related.map((other) => articleCard(site, other, link, cardSizes)),
      ...neighbourLinks(around, link),
      origin: view,
      byline: authors.length === 0 ? null : site.formats.names(authors),
      citation: citationOf(site, { ...article, authors, view }, link),
      removed: catalogue.isRemoved("articles", article.id),
    },
  };
}

function seriesView(series: SeriesPlace | undefined, link: Link): Series | null {
  if (series === undefined) return null;
  const { part, parts, previous, next } = series;
  const linked = (article: ArticleSummary | undefined) =>
    article === undefined ? null : referenceOf(article, link);
  return { part, parts, previous: linked(previous), next: linked(next) };
}

/** Null for anything that is no web address. */
function httpUrl(url: string | null): string | null {
  return url !== null && URL.canParse(url) && /^https?:$/.test(new URL(url).protocol) ? url : null;
}

function heroOf(site: Site, article: ArticleSummary, synopsis: string, link: Link): Hero | null {
  const { thumb: id, title } = article;
  const picture = thumbPicture(site, article, link, { sizes: heroSizes });
  if (picture === null || id === undefined) return null;
  const caption = unsaid(captionOf(site.catalogue, id), `${title} ${synopsis}`);
  return { id, picture, href: link(sitePaths.image(id)), ...caption };
}

/** Notes in `uses` which images they show. */
export function* galleryPages(site: Site, uses: Uses): Generator<OutputFile> {
  const { galleries } = site.lists;
  yield* listPages(site, galleries, {
    title: section(site, "galleries").title,
    section: "galleries",
    path: sitePaths.galleries,
    itemKey: ({ card }) => card,
    image: (items) => firstPicture(site, items),
    view: (items, link, shared): TemplateView => ({
      template: "galleries",
      data: { ...shared, cards: items.map((item) => galleryCard(site, item, link)) },
    }),
  });
  for (const [gallery, near] of withNeighbours(galleries)) {
    const attached = attachedTo(site, "galleries", gallery.id);
    const members = attached.images.map(({ id }) => id);
    noteFiles(uses, gallery, attached);
    noteGallery(uses, gallery, members);
    const key = () => [
      gallery.card,
      attachedKey(site, attached),
      site.catalogue.isRemoved("galleries", gallery.id),
      ...neighboursKey(near),
    ];
    const page = pageFile(
      site,
      gallery.path,
      key,
      (link) => galleryView(site, gallery, near, link),
      () => ({ title: gallery.title, image: firstPicture(site, [gallery]) }),
    );
    yield { ...page, about: `galleries/${gallery.id}` };
  }
}

function galleryView(site: Site, gallery: Summary, near: Neighbours, link: Link): PageView {
  const { normal } = site.catalogue.snapshot.read("galleries", gallery);
  const view = httpUrl(normal.view);
  const date = momentOf(site, gallery.publishedAt);
  const attached = attachedViews(site, attachedTo(site, "galleries", gallery.id), link, {
    sizes: tileSizes,
    gallery: gallery.id,
  });
  const count = site.formats.t("count.images", { n: attached.tiles.length });
  return {
    template: "gallery",
    title: gallery.title,
    section: "galleries",
    subject: {
      "@type": "ImageGallery",
      name: gallery.title,
      datePublished: gallery.publishedAt ?? undefined,
    },
    description: date === null ? count : `${count} · ${date.text}`,
    image: firstPicture(site, [gallery]),
    crumbs: [section(site, "galleries")],
    previous: near.newer?.path,
    next: near.older?.path,
    data: {
      date,
      ...attached,
      ...neighbourLinks(near, link),
      origin: view,
      citation: citationOf(site, { ...gallery, authors: [], view }, link),
      removed: site.catalogue.isRemoved("galleries", gallery.id),
    },
  };
}
