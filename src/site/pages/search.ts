import type { OutputFile } from "../../lib/output.ts";
import { sitePaths } from "../../routes/site.ts";
import { groupEntry } from "../cards.ts";
import { type FindableImages, planSearch, searchIndexFiles } from "../search-index.ts";
import type { Shard } from "../search-plan.ts";
import { type Site, section, smallPageFile } from "../site.ts";

/** The search page and its index; nothing if the search is off. */
export function* searchFiles(site: Site, images: FindableImages): Generator<OutputFile> {
  if (site.config.site.search === "off") return;
  const shards = planSearch(site, images);
  yield* searchIndexFiles(site, shards);
  yield searchPage(site, shards);
}

function searchPage(site: Site, shards: readonly Shard[]): OutputFile {
  const { categories, tags, years } = site.lists;
  const filled = [...categories.values()].filter(({ articles }) => articles.length > 0);
  const yearsOfItems = new Set(shards.flatMap(({ year }) => (year === "" ? [] : [year])));
  return smallPageFile(site, sitePaths.search, (link) => ({
    template: "search",
    title: section(site, "search").title,
    section: "search",
    data: {
      shards: link(sitePaths.searchShards),
      yearChoices: [...yearsOfItems],
      hasBodies: site.config.site.search === "bodies",
      categories: filled.map((category) => groupEntry(category, link)),
      years: years.map((period) => groupEntry(period, link)),
      tags: tags.size,
      articles: site.lists.articles.length,
    },
  }));
}
