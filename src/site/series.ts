import { groupedBy } from "../lib/frequency.ts";
import { lettersOf } from "./body-headings.ts";
import type { Site } from "./site.ts";
import type { ArticleSummary } from "./summaries.ts";

/** Where an article stands among those whose titles count them. */
export interface SeriesPlace {
  /** From 1. */
  part: number;
  /** The highest number of the series. */
  parts: number;
  previous: ArticleSummary | undefined;
  next: ArticleSummary | undefined;
}

/** The word for a part, in the languages that most archives are in, and its number. */
const numbered =
  /^(.*?)[\s([,:;–—-]*(?<!\p{L})(?:parts?|pt\.?|teil|folge|partie|parte|deel|del|część|часть|الجزء)\s*#?([\d٠-٩]{1,3}|[ivx]{1,5})(?![\p{L}\p{N}])/iu;
const longestTitle = 300;

const romans = "i ii iii iv v vi vii viii ix x xi xii xiii xiv xv".split(" ");

/** partOf("Modern IT, Part 5: Software") → { name: "modernit", part: 5 } */
export function partOf(title: string): { name: string; part: number } | undefined {
  const [, before = "", number = ""] = numbered.exec(title.slice(0, longestTitle)) ?? [];
  const name = lettersOf(before);
  const part = romans.indexOf(number.toLowerCase()) + 1 || numberOf(number);
  return name === "" || !(part > 0) ? undefined : { name, part };
}

const numberOf = (figures: string): number =>
  Number(figures.replace(/[٠-٩]/g, (figure) => String(figure.charCodeAt(0) - 0x660)));

/** Tells the place of an article in its series; undefined for one that is in none. */
export function seriesFinder({ lists }: Pick<Site, "lists">) {
  const parts = lists.articles.flatMap((article) => {
    const found = partOf(article.title);
    return found === undefined ? [] : [{ ...found, article }];
  });
  const series = groupedBy(parts, ({ name }) => name);
  // The first part of many has no number, because nobody knew of a second one.
  for (const article of lists.articles) {
    const others = series.get(lettersOf(article.title));
    if (others?.every(({ part }) => part > 1)) others.push({ name: "", part: 1, article });
  }
  const places = new Map<string, SeriesPlace>();
  for (const all of series.values()) {
    all.sort((a, b) => a.part - b.part);
    // Two parts with one number are two series.
    if (all.length < 2 || new Set(all.map(({ part }) => part)).size < all.length) continue;
    const highest = all.at(-1)?.part ?? 0;
    all.forEach(({ part, article }, at) => {
      const [previous, next] = [all[at - 1]?.article, all[at + 1]?.article];
      places.set(article.id, { part, parts: highest, previous, next });
    });
  }
  return ({ id }: ArticleSummary): SeriesPlace | undefined => places.get(id);
}
