import { xmlText } from "../../lib/foreign.ts";
import { addTo } from "../../lib/frequency.ts";
import { type OutputFile, textFile } from "../../lib/output.ts";
import { xmlElement } from "../../lib/xml.ts";
import { type SitemapPart, sitePaths } from "../../routes/site.ts";
import type { Uses } from "../attachments.ts";
import { sharedPicture } from "../cards.ts";
import { titlesPerPage } from "../initials.ts";
import { pageCount } from "../pagination.ts";
import { publicUrl, type Site } from "../site.ts";
import type { Summary } from "../summaries.ts";
import type { ImageCounts } from "./images.ts";

/** Limits of a sitemap, from sitemaps.org. */
const limits = { urls: 50_000, bytes: 50_000_000 };
/** Of one page; Google reads no more. */
const maxImages = 1_000;

const declaration = '<?xml version="1.0" encoding="utf-8"?>';
const namespaces = {
  xmlns: "http://www.sitemaps.org/schemas/sitemap/0.9",
  "xmlns:image": "http://www.google.com/schemas/sitemap-image/1.1",
};

interface Entry {
  /** XML. */
  text: string;
  /** When the page changed last, where the content tells. */
  time: string | null;
}

/**
 * An index of sitemaps with every page that search engines may list, and its pictures. Nothing without `site.url`,
 * because sitemaps hold only absolute addresses. No more than one sitemap is held.
 */
export function* sitemapFiles(
  site: Site,
  uses: Uses,
  { images }: Pick<ImageCounts, "images">,
): Generator<OutputFile> {
  const { url, robots } = site.config.site;
  if (url === null || robots === "noindex") return;
  const { articles, galleries } = site.lists;
  const parts: [SitemapPart, Iterable<Entry>][] = [
    ["pages", listEntries(site, images)],
    ["articles", itemEntries(site, articles, imagesByArticle(uses))],
    ["galleries", itemEntries(site, galleries, imagesByGallery(uses))],
    ["images", imageEntries(site)],
  ];
  const index: string[] = [];
  for (const [part, entries] of parts) {
    let number = 1;
    for (const { content, time } of sitemapsOf(entries)) {
      const path = sitePaths.sitemapPart(part, number++);
      index.push(xmlElement("sitemap", {}, placeOf(site, path, time)));
      yield textFile(path, content);
    }
  }
  const { xmlns } = namespaces;
  const root = xmlElement("sitemapindex", { xmlns }, `\n${index.join("\n")}\n`);
  yield textFile(sitePaths.sitemap, `${declaration}\n${root}\n`);
}

/** Sitemaps within the limits, each with the time of its latest page. */
export function* sitemapsOf(entries: Iterable<Entry>, { urls, bytes } = limits) {
  // More than the elements around the entries need.
  const frame = 1_000;
  let held: Entry[] = [];
  let size = frame;
  for (const entry of entries) {
    const added = Buffer.byteLength(entry.text) + 1;
    if (held.length === urls || (held.length > 0 && size + added > bytes)) {
      yield sitemapOf(held);
      held = [];
      size = frame;
    }
    held.push(entry);
    size += added;
  }
  if (held.length > 0) yield sitemapOf(held);
}

function sitemapOf(entries: readonly Entry[]) {
  const lines = entries.map(({ text }) => text).join("\n");
  const content = `${declaration}\n${xmlElement("urlset", namespaces, `\n${lines}\n`)}\n`;
  let latest: string | null = null;
  for (const { time } of entries) if (time !== null && time > (latest ?? "")) latest = time;
  return { content, time: latest };
}

function urlOf(site: Site, path: string, time: string | null, imageIds: readonly string[] = []) {
  const images = imageIds.slice(0, maxImages).flatMap((id) => {
    const picture = sharedPicture(site, id)?.path;
    if (picture === undefined) return [];
    return [xmlElement("image:image", {}, locOf(site, "image:loc", picture))];
  });
  return { text: xmlElement("url", {}, placeOf(site, path, time) + images.join("")), time };
}

/** The members that pages and sitemaps have in common. */
function placeOf(site: Site, path: string, time: string | null): string {
  const lastmod = time === null ? "" : xmlElement("lastmod", {}, time);
  return locOf(site, "loc", path) + lastmod;
}

function locOf(site: Site, element: string, path: string): string {
  return xmlElement(element, {}, xmlText(publicUrl(site, path) ?? path));
}

/** The pages that lists have, and those that stand alone. */
function* listEntries(site: Site, images: number): Generator<Entry> {
  const { articles, galleries, categories, tags, years, months, undated, initials } = site.lists;
  const { perPage } = site.config.site;
  const { home, snapshot, archive, search } = sitePaths;
  const alone: string[] = [home, snapshot, sitePaths.categories, sitePaths.tags, archive];
  if (site.config.site.search !== "off") alone.push(search);
  for (const path of alone) yield urlOf(site, path, null);
  const lists: [(page: number) => string, total: number, perPage?: number][] = [
    [sitePaths.articles, articles.length],
    [sitePaths.galleries, galleries.length],
    [sitePaths.images, images],
  ];
  const inYears = [...categories.values()].flatMap((category) => category.years);
  for (const groups of [categories.values(), inYears, tags.values(), years, months]) {
    for (const group of groups) lists.push([group.pathOf, group.articles.length]);
  }
  if (undated.articles.length > 0) lists.push([undated.pathOf, undated.articles.length]);
  for (const { initial, items } of initials) {
    lists.push([(page) => sitePaths.initial(initial, page), items.length, titlesPerPage]);
  }
  for (const [pathOf, total, onPage = perPage] of lists) {
    const pages = pageCount(total, onPage);
    for (let page = 1; page <= pages; page++) yield urlOf(site, pathOf(page), null);
  }
}

/** Oldest first, so that a new item changes the last sitemap only. */
function* itemEntries(
  site: Site,
  items: readonly Summary[],
  shown: Map<Summary, readonly string[]>,
) {
  for (let at = items.length - 1; at >= 0; at--) {
    const item = items[at] as Summary;
    yield urlOf(site, item.path, item.publishedAt, shown.get(item));
  }
}

function* imageEntries(site: Site): Generator<Entry> {
  const { snapshot } = site.catalogue;
  const refs = [...snapshot.refs("images"), ...snapshot.refs("images.unlisted")];
  for (const { id } of refs.reverse()) yield urlOf(site, sitePaths.image(id), null, [id]);
}

/** The ids of the images that each article shows. */
function imagesByArticle({ articles: uses }: Uses): Map<Summary, readonly string[]> {
  const found = new Map<Summary, string[]>();
  for (const [id, articles] of uses) {
    for (const article of articles) addTo(found, article, id);
  }
  return found;
}

/** The ids of the images that each gallery shows, in its order. */
function imagesByGallery({ galleries: uses }: Uses): Map<Summary, readonly string[]> {
  const found = new Map<Summary, readonly string[]>();
  for (const positions of uses.values()) {
    for (const { gallery, members } of positions) found.set(gallery, members);
  }
  return found;
}
