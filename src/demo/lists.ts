import { counted } from "../lib/frequency.ts";
import { append } from "../lib/many.ts";
import { mix } from "../lib/random.ts";
import { type Timed, timeOf } from "./collection.ts";
import type { Article, Content, Gallery, Image } from "./model.ts";
import type { OriginOptions } from "./options.ts";
import { singleTime } from "./times.ts";

/** A request with a right token. `id` is "" where the path has none; `path` is below the base path. */
export interface Ask {
  id: string;
  path: string;
  query: URLSearchParams;
  /** Both kinds of token belong to the same organisation. */
  token: "organisation" | "user";
}

/** What a token sees of a content, under the filters of the API document. */
export function createLists(content: Content, options: OriginOptions) {
  let requests = 0;
  const ordered = <T extends Timed>(items: readonly T[]): readonly T[] => {
    requests += 1;
    return options.unstableOrder ? reordered(items, mix(requests)) : items;
  };
  const everybodys = (): Article[] =>
    [...content.articles.items, ...content.neighbours.items].sort((a, b) => timeOf(b) - timeOf(a));
  const seesAll = (token: Ask["token"]) => token === "user" && options.userSees === "everything";

  return {
    article: ({ id, token }: Ask): Article | undefined =>
      content.articles.get(id) ?? (seesAll(token) ? content.neighbours.get(id) : undefined),
    articles({ token, query }: Ask): readonly Article[] {
      const all = seesAll(token) ? everybodys() : content.articles.items;
      const wanted = query.get("category");
      const category = content.categories.find(({ id, slug }) => id === wanted || slug === wanted);
      const tags = (query.get("tags") ?? "").split(",").filter((slug) => slug.trim() !== "");
      const some = options.tagMatch === "any" ? "some" : "every";
      const found = within(all, query, options.timezone)
        .filter((one) => !wanted || one.categoryId === category?.id)
        .filter((one) => tags.length === 0 || tags[some]((tag) => one.tags.includes(tag)));
      return ordered(found);
    },
    gallery: ({ id }: Ask): Gallery | undefined => content.galleries.get(id),
    galleries: ({ query }: Ask) =>
      ordered(within(content.galleries.items, query, options.timezone)),
    image({ id, token }: Ask): Image | undefined {
      const found = content.images.get(id);
      return found?.private && token === "user" ? undefined : found;
    },
    images({ query, token }: Ask): readonly Image[] {
      const asked = ["1", "true"].includes(query.get("private") ?? "");
      const withPrivate = asked && token === "organisation";
      const list = content.images.items.filter((image) => withPrivate || !image.private);
      if (options.imageOrder === "oldest") list.reverse();
      return ordered(list);
    },
    categoryCounts({ token }: Ask): Map<string, number> {
      const articles = token === "organisation" ? content.articles.items : everybodys();
      return counted(articles.map(({ categoryId }) => categoryId));
    },
    tagCounts: () => ({
      articles: counted(everybodys().flatMap(({ tags }) => tags)),
      galleries: counted(content.galleries.items.flatMap(({ tags }) => tags)),
    }),
  };
}

/** Turns runs of equal times: ORDER BY without a tie-break. */
function reordered<T extends Timed>(items: readonly T[], turn: number): T[] {
  const turned: T[] = [];
  for (let from = 0; from < items.length; from = turned.length) {
    let end = from + 1;
    while (end < items.length && timeOf(items[end] as T) === timeOf(items[from] as T)) end += 1;
    const first = from + (turn % (end - from));
    append(turned, [...items.slice(first, end), ...items.slice(from, first)]);
  }
  return turned;
}

/** The items of the year and month of a query; a month alone is ignored. */
function within<T extends Gallery>(
  items: readonly T[],
  query: URLSearchParams,
  timezone: string,
): readonly T[] {
  const part = (name: string, digits: number): string => {
    const text = query.get(name) ?? "";
    return /^\d{1,4}$/.test(text) ? `${Number(text)}-`.padStart(digits + 1, "0") : "";
  };
  const [year, month] = [part("year", 4), part("month", 2)];
  if (year === "") return items;
  return items.filter(({ publishedAt }) =>
    singleTime(publishedAt, timezone, "colon").startsWith(year + month),
  );
}
