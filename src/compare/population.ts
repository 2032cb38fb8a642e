import type { ApiClient } from "../api/client.ts";
import {
  WireArticle,
  WireCategory,
  WireEnvelope,
  WireGallery,
  WireMedia,
  WireTag,
} from "../api/schema.ts";
import type { Config } from "../config.ts";
import { ApiError } from "../errors.ts";
import { yearMonthIn } from "../lib/calendar.ts";
import type { Reporter } from "../lib/reporter.ts";
import type { IndexName, MediaKind, Routes } from "../routes/table.ts";
import type { Random } from "./random.ts";

/** An article or gallery of the origin. */
export interface Item {
  id: string;
  /** In the origin's time zone; 0 without a time of publication. */
  year: number;
  /** 1 to 12. */
  month: number;
  category: string | null;
  tags: readonly string[];
}

export interface ImageItem {
  id: string;
  /** Pixels of the original; 0 where the origin does not say. */
  width: number;
  height: number;
  /** Page of the image index that lists it. */
  page: number;
  /** As listed: signed, so that they expire. */
  links: Record<string, unknown>;
}

/** What an origin has, as far as a draw of requests needs it. */
export interface Population {
  /** Last page of each index that the origin has. */
  pages: ReadonlyMap<"articles" | "galleries" | MediaKind, number>;
  articles: readonly Item[];
  galleries: readonly Item[];
  images: readonly ImageItem[];
  categories: readonly { id: string; slug: string }[];
  tags: readonly string[];
}

/** Pages of one index that are read: of a longer one a sample, with the first and the last page. */
const pagesRead = 25;

/**
 * Learns from the origin what can be asked for: categories and tags, and of each index all pages or a sample.
 *
 * @throws ApiError where an index cannot be read
 */
export async function learnPopulation(options: {
  client: ApiClient;
  routes: Routes;
  timezone: Config["origin"]["timezone"];
  random: Random;
  reporter: Reporter;
}): Promise<Population> {
  const { client, routes, timezone, random, reporter } = options;
  const progress = reporter.stage("learning");
  const yearMonth = yearMonthIn(timezone);
  const pages = new Map<"articles" | "galleries" | MediaKind, number>();
  const [articles, galleries, images]: [Item[], Item[], ImageItem[]] = [[], [], []];

  async function read(index: IndexName, page: number) {
    const request =
      index === "categories" || index === "tags"
        ? ({ route: "all", index } as const)
        : ({ route: "index", index, page } as const);
    const url = routes.urlOf(request);
    if (url === undefined) return undefined;
    const { value } = await client.json(url);
    progress.advance();
    const parsed = WireEnvelope.safeParse(value);
    if (parsed.success) return parsed.data;
    throw new ApiError(`GET /${index}: no list in the form that the API document describes`, {
      url,
      status: 200,
      attempts: 1,
    });
  }

  async function readIndex(
    index: "articles" | "galleries" | MediaKind,
    add: ((item: unknown, page: number) => void) | undefined,
  ): Promise<void> {
    const first = await read(index, 1);
    if (first === undefined) return;
    const last = Math.max(1, first.meta?.last_page ?? 1);
    pages.set(index, last);
    if (add === undefined) return;
    for (const item of first.data) add(item, 1);
    const wanted = pagesOf(last, random);
    const found = await Promise.all(
      wanted.map(async (page) => ({ page, data: (await read(index, page))?.data ?? [] })),
    );
    for (const { page, data } of found) for (const item of data) add(item, page);
  }

  const timeOf = (published: string | null): Pick<Item, "year" | "month"> => {
    const [year, month] = published === null ? [0, 0] : yearMonth(published);
    return { year, month };
  };
  await readIndex("articles", (raw) => {
    const { data } = WireArticle.safeParse(raw);
    if (data === undefined) return;
    const { id, published_at, category, tags } = data;
    articles.push({ id, ...timeOf(published_at), category: category?.id ?? null, tags });
  });
  await readIndex("galleries", (raw) => {
    const { data } = WireGallery.safeParse(raw);
    if (data === undefined) return;
    galleries.push({ id: data.id, ...timeOf(data.published_at), category: null, tags: [] });
  });
  await readIndex("images", (raw, page) => {
    const { data } = WireMedia.safeParse(raw);
    if (data === undefined) return;
    const { width = 0, height = 0 } = data.dimensions ?? {};
    const { links } = raw as { links?: Record<string, unknown> };
    images.push({ id: data.id, width, height, page, links: links ?? {} });
  });
  for (const kind of ["videos", "documents", "audio"] as const) await readIndex(kind, undefined);
  const categories = (await read("categories", 1))?.data ?? [];
  const tags = (await read("tags", 1))?.data ?? [];
  progress.end(
    `${articles.length} articles, ${galleries.length} galleries, ${images.length} images`,
  );
  return {
    pages,
    articles,
    galleries,
    images,
    categories: categories.flatMap((raw) => {
      const { data } = WireCategory.safeParse(raw);
      return data === undefined ? [] : [{ id: data.id, slug: data.slug }];
    }),
    tags: tags.flatMap((raw) => WireTag.safeParse(raw).data?.slug ?? []),
  };
}

/** The pages that are read besides the first one, ascending. */
function pagesOf(last: number, random: Random): number[] {
  if (last <= pagesRead) return Array.from({ length: last - 1 }, (_, at) => at + 2);
  const chosen = new Set([last]);
  while (chosen.size < pagesRead - 1) chosen.add(2 + random.below(last - 1));
  return [...chosen].sort((a, b) => a - b);
}
