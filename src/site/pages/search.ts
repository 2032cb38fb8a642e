import { type OutputFile, textFile } from "../../lib/output.ts";
import { sitePaths, urlPath } from "../../routes/site.ts";
import { groupEntry } from "../cards.ts";
import { findableOf, searchesBodies } from "../search/documents.ts";
import { segmentFiles } from "../search/files.ts";
import { type Findable, segmentsOf } from "../search/segments.ts";
import { type Site, sectionPage } from "../site.ts";

/** The search page and its index; nothing if the search is off. */
export function* searchFiles(site: Site, images: readonly Findable[]): Generator<OutputFile> {
  if (site.config.site.search === "off") return;
  const segments = segmentsOf([...parentsOf(site), ...images]);
  for (const segment of segments) yield* segmentFiles(site, segment);
  yield subjectsFile(site);
  yield searchPage(
    site,
    segments.map(({ name }) => sitePaths.searchPart(name, "index")),
    [...new Set(segments.flatMap(({ items }) => items.map(({ day }) => day.slice(0, 4))))],
  );
}

function parentsOf(site: Site): Findable[] {
  const { articles, galleries } = site.lists;
  return [
    ...articles.map((article) => {
      const { thumb: _, ...named } = article;
      return { ...findableOf(site, "article", named, article.publishedAt), article };
    }),
    ...galleries.map((gallery) => findableOf(site, "gallery", gallery, gallery.publishedAt)),
  ];
}

/** Categories and tags with articles: title, path and number of articles. */
function subjectsFile({ lists }: Site): OutputFile {
  const all = [...lists.categories.values(), ...lists.tags.values()];
  const filled = all.filter(({ articles }) => articles.length > 0);
  const subjects = filled.map(({ title, path, articles: of }) => [title, urlPath(path), of.length]);
  return textFile(
    sitePaths.searchSubjects,
    `stillpressPart(${JSON.stringify(sitePaths.searchSubjects)}, ${JSON.stringify(subjects)});\n`,
  );
}

function searchPage(site: Site, indexes: readonly string[], years: readonly string[]): OutputFile {
  const { categories, tags } = site.lists;
  const filled = [...categories.values()].filter(({ articles }) => articles.length > 0);
  return sectionPage(site, "search", (link) => ({
    indexes: indexes.map(link),
    yearChoices: years
      .filter((year) => year !== "")
      .sort()
      .reverse(),
    hasBodies: searchesBodies(site),
    categories: filled.map((category) => groupEntry(category, link)),
    years: site.lists.years.map((period) => groupEntry(period, link)),
    tags: tags.size,
    articles: site.lists.articles.length,
  }));
}
