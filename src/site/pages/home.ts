import type { OutputFile } from "../../lib/output.ts";
import { sitePaths } from "../../routes/site.ts";
import { articleCard, galleryCard, groupEntry, momentOf, thumbPicture } from "../cards.ts";
import { type Site, smallPageFile } from "../site.ts";
import type { ImageCounts } from "./images.ts";

const articlesShown = 7;
const galleriesShown = 4;

export function homePage(site: Site, { images }: Pick<ImageCounts, "images">): OutputFile {
  const { articles, galleries, categories, years } = site.lists;
  const { manifest } = site.catalogue.snapshot;
  const topics = [...categories.values()].filter((category) => category.articles.length > 0);
  const latest = articles.slice(0, articlesShown);
  const shown = galleries.slice(0, galleriesShown);
  return smallPageFile(site, sitePaths.home, (link) => {
    const [first, ...others] = latest;
    const lead = first && {
      ...articleCard(site, first, link),
      picture: thumbPicture(site, first, link, { sizes: "(min-width: 60rem) 44rem, 100vw" }),
    };
    return {
      template: "home",
      title: site.config.site.title,
      section: "home",
      description: `An archive of ${hostOf(manifest.origin)} as it was on ${site.formats.date(manifest.time)}.`,
      data: {
        counts: { articles: articles.length, galleries: galleries.length, images },
        date: momentOf(site, manifest.time),
        host: hostOf(manifest.origin),
        lead: lead ?? null,
        cards: others.map((article) => articleCard(site, article, link)),
        galleries: shown.map((gallery) => ({
          ...galleryCard(site, gallery, link),
          picture: thumbPicture(site, gallery, link, { sizes: "(min-width: 60rem) 22rem, 50vw" }),
        })),
        categories: topics.map((topic) => groupEntry(topic, link)),
        years: years.map((period) => ({ ...groupEntry(period, link), year: period.year })),
      },
    };
  });
}

/** hostOf("https://media.example.org/api/v1") → "media.example.org" */
export const hostOf = (origin: string) => (URL.canParse(origin) ? new URL(origin).host : origin);
