import type { Config } from "../config.ts";
import { attachmentRoutes, mediaKinds, type Parent, parents } from "../routes/table.ts";
import { indexFiles } from "../site/search/files.ts";

/** A paginated index. */
export interface IndexSample {
  total: number;
  perPage: number;
  /** To read it for the first time. */
  requests: number;
}

/** What a few pages show of an origin. */
export interface Sample {
  /** By name, of those that this origin has. */
  indexes: ReadonlyMap<string, IndexSample>;
  /** Articles of each category, and of each tag. */
  categories: readonly number[];
  tags: readonly number[];
  /** Of an item, on average: attachment lists that have something, their pages, and requests for them. */
  attachments: Record<Parent, { lists: number; pages: number; requests: number }>;
  /** Attachment lists that are read twice at first. */
  again: number;
  /** Attached files of kinds that have no index, and of them images. */
  unlisted: number;
  unlistedImages: number;
  /** Of an original, on average; bytes are 0 where the origin does not say. Odd names have two files of the web version. */
  image: { bytes: number; pixels: number; oddNames: number };
  /** Images that differ from all others: equal ones are encoded once. */
  pictures: number;
  /** Calendar years from the first to the last article. */
  years: number;
}

/** What the store has already. */
export interface Held {
  /** Items of each list. */
  counts: Readonly<Record<string, number>>;
  /** Files that are there, or that the origin does not have, by their kinds; "attached" where no index has the item. */
  files: Readonly<Record<string, number>>;
  /** Share of them that a run reads again, 0 to 1. */
  share: number;
}

/** Requests, files and bytes of a snapshot. */
export type Forecast = ReturnType<typeof forecastOf>;

/** Requests before a first snapshot, which says in a line what it will cost. */
export const requestsOfLine = 9;

/** What a snapshot will cost, as far as a sample tells. */
export function forecastOf(sample: Sample, config: Config, held: Held) {
  const fresh = (name: string): number =>
    Math.max(0, totalOf(sample, name) - (held.counts[name] ?? 0));
  const asked = (name: string): number =>
    fresh(name) + held.share * Math.min(held.counts[name] ?? 0, totalOf(sample, name));
  const isFirst = held.counts.articles === undefined;
  const filesOfList = (list: string, total: number) => {
    const there = Math.min(held.files[list] ?? 0, total);
    return { missing: total - there, asked: total - there + held.share * there };
  };
  const listed = mediaKinds.map((kind) => filesOfList(kind, totalOf(sample, kind)));
  const unlisted = filesOfList("attached", sample.unlisted);
  const downloads = config.media.originals
    ? sum([...listed, unlisted].map(({ asked }) => asked))
    : 0;
  const images = config.media.originals
    ? filesOfList("images", totalOf(sample, "images")).missing
    : 0;
  const distinct = sample.pictures / Math.max(totalOf(sample, "images"), 1);
  const lists = sum(parents.map((parent) => asked(parent) * sample.attachments[parent].requests));
  return {
    /** By what they are for. */
    requests: {
      indexes: sum([...sample.indexes.values()].map((one) => requestsFor(one, isFirst))) + 4,
      "articles and galleries": sum(parents.map(asked)),
      "attachment lists": lists + (isFirst ? sample.again : 0),
      // Those of the line that a first snapshot begins with are among them.
      "how the origin answers": isFirst ? 5 + requestsOfLine : 0,
      files: downloads,
    },
    /** By kind, as they lie in the archive. */
    files: filesOf(sample, config),
    /** Of the originals that are downloaded. */
    bytes: images * sample.image.bytes,
    /** Those of which renditions are made, and the renditions of each. */
    images: images * distinct,
    renditions: renditionsOf(config.media),
  };
}

/** Requests for an index: at first also for what comes behind its last page, later for one pass. */
function requestsFor({ total, perPage, requests }: IndexSample, isFirst: boolean): number {
  const pages = pagesOf(total, perPage);
  if (isFirst) return requests + 1;
  return pages === 1 ? 1 : pages + 1;
}

function filesOf(sample: Sample, config: Config) {
  const { site, mirror, media: settings } = config;
  const count = (name: string): number => totalOf(sample, name);
  const perPage = sample.indexes.get("articles")?.perPage ?? site.perPage;
  const pages = (totals: readonly number[]) => sum(totals.map((total) => pagesOf(total, perPage)));
  const sitePages = (totals: readonly number[]) =>
    sum(totals.map((total) => pagesOf(total, site.perPage)));
  const shown = ["articles", "galleries", "images"].map(count);
  const { years } = sample;
  const [inYear, inMonth] = [count("articles") / years, count("articles") / (12 * years)];
  // Galleries are so few that a month has one page of them.
  const lists: Record<string, number> = {
    year: years * (pagesOf(inYear, perPage) + 1),
    "year+month": 12 * years * (pagesOf(inMonth, perPage) + 1),
    // A category answers to its id and to its slug.
    category: 2 * pages(sample.categories),
    tag: pages(sample.tags),
  };
  const attachments = sum(
    parents.map((parent) => {
      const kinds = attachmentRoutes.filter(
        (route) => route.parent === parent && config.origin.paths[route.path] !== null,
      ).length;
      const { lists: filled, pages } = sample.attachments[parent];
      return count(parent) * (mirror.emptyLists ? kinds - filled + pages : pages);
    }),
  );
  const renditions = settings.originals ? renditionsOf(settings) : 0;
  const months = 12 * years * (1 - Math.exp(-inMonth));
  const inYears = sample.categories.flatMap((total) => filledYears(total, years));
  const others = count("videos") + count("documents") + count("audio") + sample.unlisted;
  const websitePages =
    sum(shown) +
    sitePages([...shown, ...sample.categories, ...sample.tags, ...inYears]) +
    years * pagesOf(inYear, site.perPage) +
    months * pagesOf(inMonth, site.perPage) +
    initialsOf(count("articles")) +
    9;
  return {
    "pages of the website": websitePages,
    // Of each page, if none has a picture of its own: at most.
    "pictures to share": site.url !== null && site.sharePictures ? websitePages : 0,
    "feeds and search": feedsAndSearch(sample, site),
    "answers of the API":
      sum(shown) +
      attachments +
      sum([...sample.indexes.values()].map((one) => pagesOf(one.total, one.perPage))) +
      9 +
      sum(mirror.filters.map((filter) => lists[filter] ?? 0)),
    renditions: count("images") * (renditions && renditions + sample.image.oddNames),
    originals: settings.publishOriginals ? count("images") + 2 * others : 2 * others,
  };
}

/** Articles of a category in each year that has some, if they are spread evenly. */
function filledYears(total: number, years: number): number[] {
  const filled = Math.min(total, Math.round(years * (1 - Math.exp(-total / years))));
  return filled < 2 ? [] : Array(filled).fill(total / filled);
}

/** Pages of titles: of 200 each, for about as many initials as titles in a language have. */
function initialsOf(articles: number): number {
  return 24 * (1 - Math.exp(-articles / 24)) + articles / 200;
}

/** Two feeds of the site and of each category and tag; the search page, its scripts, and the files of its index. */
function feedsAndSearch(sample: Sample, { search }: Config["site"]): number {
  const feeds = 2 * (1 + sample.categories.length + sample.tags.length);
  const articles = totalOf(sample, "articles");
  const items = articles + totalOf(sample, "galleries") + totalOf(sample, "images");
  const files = indexFiles(items, search === "bodies" ? articles : 0);
  return feeds + (search === "off" ? 0 : 6 + files);
}

/** Files of an image: each size in each format, and the full size as JPEG. */
function renditionsOf({ variants, formats }: Config["media"]): number {
  const thumbsAndWeb = 4;
  return (thumbsAndWeb + variants.length) * new Set(["jpeg", ...formats]).size + 1;
}

function totalOf({ indexes }: Sample, name: string): number {
  return indexes.get(name)?.total ?? 0;
}

/** Pages of a list, at least one. */
export function pagesOf(total: number, perPage: number): number {
  return Math.max(1, Math.ceil(total / Math.max(perPage, 1)));
}

/**
 * How many of some things are different, if so many of a sample are: drawn at random, n of D different ones are
 * expected to show D (1 - (1 - 1/D)^n). All are, if the sample shows nothing twice.
 *
 * differentOf(8_000, { drawn: 80, different: 55 }) → about 100
 */
export function differentOf(all: number, sample: { drawn: number; different: number }): number {
  const { drawn, different } = sample;
  if (different === drawn) return all;
  let estimate = different;
  const shown = (): number => estimate * (1 - (1 - 1 / estimate) ** drawn);
  while (estimate < all && shown() < different) estimate *= 1.02;
  return Math.min(estimate, all);
}

export function sum(numbers: readonly number[]): number {
  return numbers.reduce((all, number) => all + number, 0);
}

/** The mean of some numbers. @param otherwise where there are none */
export function mean(numbers: readonly number[], otherwise = 0): number {
  return numbers.length === 0 ? otherwise : sum(numbers) / numbers.length;
}

/**
 * Seconds that some requests take within a window that slides: it is full at once, and then again after each span.
 *
 * secondsWithin(121, { requests: 60, perMs: 60_000 }) → 120
 */
export function secondsWithin(requests: number, window: { requests: number; perMs: number }) {
  return (Math.floor(Math.max(requests - 1, 0) / window.requests) * window.perMs) / 1000;
}
