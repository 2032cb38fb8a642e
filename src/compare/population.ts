import type { z } from "zod";
import type { ApiClient } from "../api/client.ts";
import {
  WireArticle,
  WireCategory,
  WireEnvelope,
  WireGallery,
  WireMedia,
  WireTag,
} from "../api/schema.ts";
import { ApiError } from "../errors.ts";
import { yearMonthIn } from "../lib/calendar.ts";
import type { Dice } from "../lib/random.ts";
import type { Reporter } from "../lib/reporter.ts";
import type { JsonRequest, MediaKind, Routes } from "../routes/table.ts";

export interface Item {
  id: string;
  /** In the origin's time zone; 0 without a time of publication. */
  year: number;
  /** 1 to 12. */
  month: number;
  category: string | null;
  tags: readonly string[];
}

type Index = "articles" | "galleries" | MediaKind;

/** What can be asked of an origin. */
export type Population = Awaited<ReturnType<typeof learnPopulation>>;

/** Pages of one index that are read: of a longer one a sample, with the first and the last page. */
const pagesRead = 25;

/** Reads categories and tags, and all pages of each index or a sample. @throws ApiError where an index cannot be read */
export async function learnPopulation(
  client: ApiClient,
  routes: Routes,
  options: { timezone: string; random: Dice; reporter: Reporter },
) {
  const { timezone, random, reporter } = options;
  const progress = reporter.stage("learning");
  const yearMonth = yearMonthIn(timezone);
  const pages = new Map<Index, number>();

  async function read(request: JsonRequest & { index: string }) {
    const url = routes.urlOf(request);
    if (url === undefined) return undefined;
    const { value } = await client.json(url);
    progress.advance();
    const parsed = WireEnvelope.safeParse(value);
    if (parsed.success) return parsed.data;
    const message = `GET /${request.index}: no list in the form that the API document describes`;
    throw new ApiError(message, { url, status: 200, attempts: 1 });
  }

  async function readFirst(index: Index) {
    const first = await read({ route: "index", index, page: 1 });
    if (first !== undefined) pages.set(index, Math.max(1, first.meta?.last_page ?? 1));
    return first;
  }

  /** The items of an index, each with its page. */
  async function readIndex<T>(index: Index, schema: z.ZodType<T>) {
    const first = await readFirst(index);
    const further = furtherPages(pages.get(index) ?? 1, random);
    const others = await Promise.all(further.map((page) => read({ route: "index", index, page })));
    return [first, ...others].flatMap((list, at) => {
      const page = further[at - 1] ?? 1;
      return understood(schema, list).map((item) => ({ ...item, page }));
    });
  }

  const timeOf = (published: string | null) => {
    const [year, month] = published === null ? [0, 0] : yearMonth(published);
    return { year, month };
  };
  const articles = (await readIndex("articles", WireArticle)).map((one): Item => {
    const { id, published_at, category, tags } = one;
    return { id, ...timeOf(published_at), category: category?.id ?? null, tags };
  });
  const galleries = (await readIndex("galleries", WireGallery)).map((one): Item => {
    return { id: one.id, ...timeOf(one.published_at), category: null, tags: [] };
  });
  // Pixels of the original; 0 where the origin does not say.
  const images = (await readIndex("images", WireMedia)).map(({ id, dimensions, page }) => {
    const { width, height } = dimensions ?? { width: 0, height: 0 };
    return { id, width, height, page };
  });
  for (const kind of ["videos", "documents", "audio"] as const) await readFirst(kind);
  const categories = understood(WireCategory, await read({ route: "all", index: "categories" }));
  const tags = understood(WireTag, await read({ route: "all", index: "tags" }));
  progress.end(
    `${articles.length} articles, ${galleries.length} galleries, ${images.length} images`,
  );
  return {
    /** The last page of each index. */
    pages,
    articles,
    galleries,
    images,
    categories: categories.map(({ id, slug }) => ({ id, slug })),
    tags: tags.map(({ slug }) => slug),
  };
}

function understood<T>(schema: z.ZodType<T>, list: { data: unknown[] } | undefined): T[] {
  return (list?.data ?? []).flatMap((raw) => schema.safeParse(raw).data ?? []);
}

/** The pages that are read besides the first one, ascending. */
function furtherPages(last: number, random: Dice): number[] {
  if (last <= pagesRead) return Array.from({ length: last - 1 }, (_, at) => at + 2);
  const chosen = new Set([last]);
  while (chosen.size < pagesRead - 1) chosen.add(2 + random.roll(last - 1));
  return [...chosen].sort((a, b) => a - b);
}
