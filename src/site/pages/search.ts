import type { OutputFile } from "../../lib/output.ts";
import { sitePaths } from "../../routes/site.ts";
import { groupEntry } from "../cards.ts";
import { planSearch, searchIndexFiles } from "../search-index.ts";
import type { Findable, Shard } from "../search-plan.ts";
import { type Site, sectionPage } from "../site.ts";

/** The search page and its index; nothing if the search is off. */
export function* searchFiles(site: Site, images: readonly Findable[]): Generator<OutputFile> {
  if (site.config.site.search === "off") return;
  const shards = planSearch(site, images);
  yield* searchIndexFiles(site, shards);
  yield searchPage(site, shards);
}

function searchPage(site: Site, shards: readonly Shard[]): OutputFile {
  const { categories, tags, years } = site.lists;
  const filled = [...categories.values()].filter(({ articles }) => articles.length > 0);
  const yearsOfItems = new Set(shards.flatMap(({ year }) => (year === "" ? [] : [year])));
  return sectionPage(site, "search", (link) => ({
    shards: link(sitePaths.searchShards),
    yearChoices: [...yearsOfItems],
    hasBodies: site.config.site.search === "bodies",
    categories: filled.map((category) => groupEntry(category, link)),
    years: years.map((period) => groupEntry(period, link)),
    tags: tags.size,
    articles: site.lists.articles.length,
  }));
}
