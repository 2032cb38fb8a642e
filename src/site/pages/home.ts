import { keyOf } from "../../lib/digest.ts";
import type { OutputFile } from "../../lib/output.ts";
import { sitePaths } from "../../routes/site.ts";
import { articleCard, galleryCard, largePicture, momentOf } from "../cards.ts";
import { pageFile, type Site, titleOf } from "../site.ts";
import type { ImageCounts } from "./images.ts";

const articlesShown = 7;
const galleriesShown = 4;

/** The first page: the latest articles and galleries, and the ways into the rest. */
export function homePage(site: Site, { images }: Pick<ImageCounts, "images">): OutputFile {
  const { articles, galleries, categories, byCategory, byYear } = site.lists;
  const { manifest } = site.catalogue.snapshot;
  const topics = [...categories.values()]
    .map((category) => ({ ...category, count: byCategory.get(category.id)?.length ?? 0 }))
    .filter(({ count }) => count > 0);
  const years = [...byYear].map(([year, { articles: members }]) => ({
    year,
    count: members.length,
  }));
  const latest = articles.slice(0, articlesShown);
  const shown = galleries.slice(0, galleriesShown);
  const key = [
    manifest.time,
    articles.length,
    galleries.length,
    images,
    keyOf(...topics.flatMap(({ title, name, count }) => [title, name, count])),
    keyOf(...years.flatMap(({ year, count }) => [year, count])),
    ...latest.map(({ card }) => card),
    ...shown.map(({ card }) => card),
  ];
  return pageFile(site, sitePaths.home, key, (link) => {
    const [first, ...others] = latest;
    const lead = first && {
      ...articleCard(site, first, link),
      picture: largePicture(site, first, link, "(min-width: 60rem) 44rem, 100vw"),
    };
    return {
      template: "home",
      title: site.config.site.title,
      section: "home",
      crumbs: [],
      description: `An archive of ${hostOf(manifest.origin)} as it was on ${site.formats.date(manifest.time)}.`,
      data: {
        counts: { articles: articles.length, galleries: galleries.length, images },
        date: momentOf(site, manifest.time),
        host: hostOf(manifest.origin),
        lead: lead ?? null,
        cards: others.map((article) => articleCard(site, article, link)),
        galleries: shown.map((gallery) => ({
          ...galleryCard(site, gallery, link),
          picture: largePicture(site, gallery, link, "(min-width: 60rem) 22rem, 50vw"),
        })),
        categories: topics.map(({ title, name, count }) => ({
          title: titleOf(title),
          href: link(sitePaths.category(name, 1)),
          count,
        })),
        years: years.map(({ year, count }) => ({
          year,
          count,
          href: link(sitePaths.year(year, 1)),
        })),
      },
    };
  });
}

/** hostOf("https://media.example.org/api/v1") → "media.example.org" */
export function hostOf(origin: string): string {
  return URL.canParse(origin) ? new URL(origin).host : origin;
}
