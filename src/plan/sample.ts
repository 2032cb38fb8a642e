import { performance } from "node:perf_hooks";
import { isDeepStrictEqual } from "node:util";
import type { z } from "zod";
import { allowanceOf, policyOf } from "../api/headers.ts";
import { createHostCheck } from "../api/hosts.ts";
import {
  readItem,
  WireArticle,
  WireCategory,
  WireGallery,
  WireMedia,
  WireTag,
} from "../api/schema.ts";
import type { Config } from "../config.ts";
import { lastPageOf, totalOf } from "../crawl/plan.ts";
import { ApiError } from "../errors.ts";
import { append, largest, smallest } from "../lib/many.ts";
import { isObject } from "../lib/objects.ts";
import type { Page, Prober } from "../probe/prober.ts";
import { encodeSegment } from "../routes/segments.ts";
import { type MediaKind, mediaKinds, parents } from "../routes/table.ts";
import { locateMediaLink } from "../store/media-link.ts";
import { attachmentLists, attachmentsOf } from "./attachments.ts";
import { differentOf, type IndexSample, mean, type Sample, sum } from "./forecast.ts";
import { idsOf, pageAt, pageIn, spread } from "./pages.ts";
import { requestsFor } from "./passes.ts";

/** Pages of an index that are read: the more, the better the average of its items. */
const mostPages = { articles: 10, galleries: 4, images: 8, videos: 1, documents: 1, audio: 1 };
type IndexName = keyof typeof mostPages;

/** Pictures whose renditions are made to measure the machine. */
const mostPictures = 3;

/** What was read, and how fast the origin answers. */
export type Survey = Awaited<ReturnType<typeof sampleOrigin>>;

interface Index extends Omit<IndexSample, "requests"> {
  path: string;
  first: Page;
  items: unknown[];
  /** The origin's own limit: "counted" where it says how many requests remain. */
  stated: { requests: number; perMs: number } | "counted" | undefined;
}

/** Reads pages of each index as far as the prober's budget goes. @throws ApiError where there is no article index */
export async function sampleOrigin(prober: Prober, config: Config) {
  const { origin, crawl } = config;
  const begun = performance.now();
  const found = await firstPages(prober, origin.paths);
  const whole = async (name: "categories" | "tags") =>
    (origin.paths[name] && (await prober.ask(`/${name}`))?.page?.data) || [];
  const categories = parsed(WireCategory, await whole("categories"));
  const tags = parsed(WireTag, await whole("tags"));
  const isUnstable = await anyUnstable(prober, found);
  for (const [name, index] of found) await readFurther(prober, mostPages[name], index);
  const itemsOf = <S extends z.ZodType>(schema: S, name: IndexName) =>
    parsed(schema, found.get(name)?.items);
  const articles = itemsOf(WireArticle, "articles");
  const galleries = itemsOf(WireGallery, "galleries");
  const images = itemsOf(WireMedia, "images");
  const countOf = (name: IndexName) => found.get(name)?.total ?? 0;
  const parentsInAll = sum(parents.map(countOf));
  const lists = await attachmentLists(prober, config, { articles, galleries }, parentsInAll);
  const answerMs = (performance.now() - begun) / Math.max(prober.client.stats.requests, 1);
  const attachments = {
    articles: attachmentsOf("articles", articles, lists, origin.paths),
    galleries: attachmentsOf("galleries", galleries, lists, origin.paths),
  };
  const indexes = new Map<string, IndexSample>();
  for (const [name, { total, perPage, items }] of found) {
    const unasked = name !== "articles" && name !== "galleries";
    const hasSingles = name === "images" && origin.paths.image !== null;
    const terms = { ...crawl, unasked, hasSingles };
    const ties = isUnstable ? tiesOf(items, perPage) : 1;
    indexes.set(name, { total, perPage, requests: requestsFor({ total, perPage }, ties, terms) });
  }
  const withoutIndex = mediaKinds.filter((kind) => !found.has(kind));
  const attachedOf = (kinds: readonly MediaKind[]): number =>
    sum(parents.map((parent) => countOf(parent) * sum(kinds.map(attachments[parent].filesOf))));
  return {
    indexes,
    categories: categories.map((one) => one.articles_count),
    tags: tags.map((one) => one.articles_count),
    attachments,
    again: lists.again,
    unlisted: attachedOf(withoutIndex),
    unlistedImages: attachedOf(withoutIndex.filter((kind) => kind === "images")),
    image: imageOf(images),
    elsewhere: otherHosts(found, lists.images, origin),
    years: yearsOf(articles),
    pictures: differentIn(images, countOf("images")),
    /** Of a few originals. */
    links: spread(images, mostPictures).flatMap((image) => {
      const { url } = locateMediaLink("images", image, origin);
      return url === null ? [] : [[image.id, url] as const];
    }),
    /** Milliseconds of a request, on average. */
    answerMs,
    stated: found.get("articles")?.stated,
  };
}

/** @throws ApiError where there is no article index */
async function firstPages(prober: Prober, paths: Config["origin"]["paths"]) {
  const found = new Map<IndexName, Index>();
  for (const name of Object.keys(mostPages) as IndexName[]) {
    const path = name === "articles" ? "/articles" : paths[name];
    const answer = path === null ? undefined : await prober.ask(path);
    const first = answer?.page;
    if (path === null || answer === undefined || first === undefined) {
      if (name !== "articles") continue;
      const error = new ApiError(`GET ${path}: no list`, { url: "", status: 200, attempts: 1 });
      throw answer?.error ?? error;
    }
    const perPage = first.meta?.per_page || first.data.length || 1;
    const total = totalOf(first) ?? (lastPageOf(first) ?? 1) * perPage;
    const allowance = () => allowanceOf(answer.headers, Date.now()) && ("counted" as const);
    const stated = policyOf(answer.headers) ?? allowance();
    found.set(name, { path, first, items: [...first.data], perPage, total, stated });
  }
  return found;
}

async function readFurther(prober: Prober, mostPages: number, { path, first, items }: Index) {
  const last = lastPageOf(first) ?? 1;
  const most = Math.min(mostPages, last);
  for (let n = 1; n < most; n++) {
    const page = pageAt(n, most, last);
    append(items, (await prober.ask(pageIn(path, page)))?.page?.data ?? []);
  }
}

function parsed<S extends z.ZodType>(schema: S, items: readonly unknown[] = []): z.infer<S>[] {
  return items.flatMap((item) => readItem(schema, item).data ?? []);
}

/** What is said of each host of files that may not be asked. */
function otherHosts(
  found: ReadonlyMap<IndexName, Index>,
  attached: readonly unknown[],
  origin: Config["origin"],
) {
  const told: { text: string; hint: string }[] = [];
  const check = createHostCheck(origin, (text, hint) => told.push({ text, hint }));
  for (const kind of mediaKinds) {
    for (const item of found.get(kind)?.items ?? (kind === "images" ? attached : [])) {
      const { url } = locateMediaLink(kind, item, origin);
      if (url !== null) check(url);
    }
  }
  return told;
}

/** Calendar years from the first to the last article. */
function yearsOf(articles: readonly z.infer<typeof WireArticle>[]): number {
  const years = articles.flatMap(({ published_at: time }) => time?.slice(0, 4) ?? []).map(Number);
  return years.length === 0 ? 1 : largest(years) - smallest(years) + 1;
}

/** How many items have the same time, on average. Pages are read in pairs, between which others may lie. */
function tiesOf(items: readonly unknown[], perPage: number): number {
  const times = items.map((item) => isObject(item) && (item.published_at ?? item.created_at));
  const isNext = (at: number): boolean => at === 0 || at % (2 * perPage) !== 0;
  const next = [...times.keys()].filter(isNext);
  const changes = next.filter((at) => at === 0 || times[at] !== times[at - 1]);
  return next.length / Math.max(changes.length, 1);
}

/** How many of all images are different: equal ones have as many bytes and pixels. */
function differentIn(images: readonly z.infer<typeof WireMedia>[], all: number): number {
  const keys = images.map(({ filesize, dimensions }, at) =>
    filesize > 0 && dimensions ? `${filesize} ${dimensions.width} ${dimensions.height}` : at,
  );
  return differentOf(all, { drawn: keys.length, different: new Set(keys).size });
}

function imageOf(images: readonly z.infer<typeof WireMedia>[]): Sample["image"] {
  return {
    bytes: mean(images.map(({ filesize }) => filesize)),
    pixels: mean(images.map(({ dimensions: size }) => (size ? size.width * size.height : 0))),
    oddNames: mean(images.map(({ id }) => Number(encodeSegment(`${id}`) !== `${id}`))),
  };
}

/** Whether the first page of an index comes in another order when it is asked for again. */
async function anyUnstable(prober: Prober, found: ReadonlyMap<IndexName, Index>) {
  for (const name of ["images", "articles"] as const) {
    const index = found.get(name);
    const again = index && (await prober.ask(index.path))?.page;
    if (again && !isDeepStrictEqual(idsOf(index.first), idsOf(again))) return true;
  }
  return false;
}
