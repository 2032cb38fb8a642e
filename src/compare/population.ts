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

type Index = "articles" | "galleries" | MediaKind;

/** What can be asked of an origin. */
export interface Population {
  pages: ReadonlyMap<Index, number>;
  articles: readonly Item[];
  galleries: readonly Item[];
  images: readonly ImageItem[];
  categories: readonly { id: string; slug: string }[];
  tags: readonly string[];
}

/** Pages of one index that are read: of a longer one a sample, with the first and the last page. */
const pagesRead = 25;

/** Reads categories and tags, and all pages of each index or a sample. @throws ApiError where an index cannot be read */
export async function learnPopulation(options: {
  client: ApiClient;
  routes: Routes;
  timezone: string;
  random: Dice;
  reporter: Reporter;
}): Promise<Population> {
  const { client, routes, timezone, random, reporter } = options;
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

  async function readIndex(index: Index, onlyFirst = false) {
    const first = await read({ route: "index", index, page: 1 });
    if (first === undefined) return [];
    const last = Math.max(1, first.meta?.last_page ?? 1);
    pages.set(index, last);
    const further = onlyFirst ? [] : pagesOf(last, random);
    const found = await Promise.all(
      further.map(async (page) => {
        const data = (await read({ route: "index", index, page }))?.data ?? [];
        return data.map((raw) => ({ page, raw }));
      }),
    );
    return [...first.data.map((raw) => ({ page: 1, raw })), ...found.flat()];
  }

  const timeOf = (published: string | null): Pick<Item, "year" | "month"> => {
    const [year, month] = published === null ? [0, 0] : yearMonth(published);
    return { year, month };
  };
  const articles = (await readIndex("articles")).flatMap(({ raw }): Item[] =>
    understood(WireArticle, raw).map(({ id, published_at, category, tags }) => {
      return { id, ...timeOf(published_at), category: category?.id ?? null, tags };
    }),
  );
  const galleries = (await readIndex("galleries")).flatMap(({ raw }): Item[] =>
    understood(WireGallery, raw).map(({ id, published_at }) => {
      return { id, ...timeOf(published_at), category: null, tags: [] };
    }),
  );
  const images = (await readIndex("images")).flatMap(({ page, raw }): ImageItem[] =>
    understood(WireMedia, raw).map(({ id, dimensions }) => {
      const { width = 0, height = 0 } = dimensions ?? {};
      const { links } = raw as { links?: Record<string, unknown> | null };
      return { id, width, height, page, links: links ?? {} };
    }),
  );
  for (const kind of ["videos", "documents", "audio"] as const) await readIndex(kind, true);
  const categories = (await read({ route: "all", index: "categories" }))?.data ?? [];
  const tags = (await read({ route: "all", index: "tags" }))?.data ?? [];
  progress.end(
    `${articles.length} articles, ${galleries.length} galleries, ${images.length} images`,
  );
  return {
    pages,
    articles,
    galleries,
    images,
    categories: categories.flatMap((raw) => understood(WireCategory, raw)),
    tags: tags.flatMap((raw) => understood(WireTag, raw)).map(({ slug }) => slug),
  };
}

/** The item in a list; nothing where it does not fit the schema. */
function understood<T>(schema: z.ZodType<T>, raw: unknown): T[] {
  const { data } = schema.safeParse(raw);
  return data === undefined ? [] : [data];
}

/** The pages that are read besides the first one, ascending. */
function pagesOf(last: number, random: Dice): number[] {
  if (last <= pagesRead) return Array.from({ length: last - 1 }, (_, at) => at + 2);
  const chosen = new Set([last]);
  while (chosen.size < pagesRead - 1) chosen.add(2 + random.roll(last - 1));
  return [...chosen].sort((a, b) => a - b);
}
