import { membersOf } from "../../lib/jsontext.ts";
import type { OutputFile } from "../../lib/output.ts";
import { sitePaths } from "../../routes/site.ts";
import type { MediaKind } from "../../routes/table.ts";
import type { StoredObject } from "../../store/objects.ts";
import type { Ref } from "../../store/snapshots.ts";
import { renderBody, urlsOf } from "../body.ts";
import {
  attachmentOf,
  attachmentsKey,
  categoryOf,
  momentOf,
  type Reference,
  tileOf,
} from "../cards.ts";
import { createLookup, type Lookup, lookupKey } from "../links.ts";
import { type Link, pictureOf } from "../pictures.ts";
import { type PageView, pageFile, type Site, titleOf } from "../site.ts";
import { type ArticleSummary, publishedAttachments } from "../summaries.ts";
import type { Uses } from "../uses.ts";

/** Attachments of one article or gallery, by kind. */
export type Attached = Record<MediaKind, Ref[]>;

/** The pages of all articles; notes in `uses` which images they show. */
export function* articlePages(site: Site, uses: Uses): Generator<OutputFile> {
  const { articles } = site.lists;
  for (const [at, article] of articles.entries()) {
    yield articlePage(site, article, articles[at - 1], articles[at + 1], uses);
  }
}

function articlePage(
  site: Site,
  article: ArticleSummary,
  newer: ArticleSummary | undefined,
  older: ArticleSummary | undefined,
  uses: Uses,
): OutputFile {
  const single = site.catalogue.snapshot.find("articles.single", "articles.single", article.id);
  const attached = attachedTo(site, "articles", article.id);
  const html = bodyOf(single);
  const lookup = lookupOf(site, article, single);
  const answers = lookupKey(urlsOf(html), lookup, site.entryKey);
  for (const { id } of attached.images) uses.add(id, article);
  for (const id of answers.images) uses.add(id, article);
  const { tags } = site.lists;
  const key = [
    article.card,
    single?.digest,
    answers.key,
    attachedKey(site, attached),
    site.catalogue.isRemoved("articles", article.id),
    newer?.title,
    newer?.path,
    older?.title,
    older?.path,
    ...article.tags.flatMap((slug) => [tags.get(slug)?.title, tags.get(slug)?.name]),
  ];
  return pageFile(site, article.path, key, (link) =>
    articleView(site, article, newer, older, link),
  );
}

function articleView(
  site: Site,
  article: ArticleSummary,
  newer: ArticleSummary | undefined,
  older: ArticleSummary | undefined,
  link: Link,
): PageView {
  const { catalogue } = site;
  const { normal } = catalogue.snapshot.read("articles", article);
  const single = catalogue.snapshot.find("articles.single", "articles.single", article.id);
  const body = renderBody(bodyOf(single), {
    lookup: lookupOf(site, article, single),
    link,
    picture: (target, wish) => pictureOf(catalogue, target.entry, link, wish),
  });
  const attached = attachedTo(site, "articles", article.id);
  const players = (kind: "videos" | "audio") =>
    attached[kind].flatMap((ref) => {
      const entry = catalogue.media(kind, ref.id);
      const path = entry && catalogue.originalPath(entry);
      // What plays in the body does not play again below it.
      const again = path !== undefined && body.played.has(path);
      return again ? [] : [attachmentOf(site, kind, ref, link)];
    });
  const category = categoryOf(site, article, normal.category?.title, link);
  const title = titleOf(article.title);
  const synopsis = (normal.synopsis || (single?.normal.synopsis ?? "")).trim();
  const rating = normal.rating ?? single?.normal.rating ?? null;
  const hero = body.pictures ? null : heroOf(site, article, link);
  return {
    template: "article",
    title,
    section: "articles",
    type: "article",
    description: synopsis,
    image: article.thumb && imagePath(site, article),
    crumbs: [
      { title: "Articles", href: link(sitePaths.articles(1)) },
      ...(category === null ? [] : [{ title: category.title, href: category.href }]),
    ],
    previous: newer === undefined ? null : link(newer.path),
    next: older === undefined ? null : link(older.path),
    data: {
      title,
      synopsis,
      date: momentOf(site, article.publishedAt),
      category,
      tags: article.tags.map((slug) => tagOf(site, slug, link)),
      rating: rating !== null && rating.count > 0 ? rating : null,
      body: body.html,
      hasBody: single !== undefined,
      hero,
      tiles: attached.images.map((ref) => tileOf(site, ref, link)),
      videos: players("videos"),
      audio: players("audio"),
      documents: attached.documents.map((ref) => attachmentOf(site, "documents", ref, link)),
      newer: referenceOf(newer, link),
      older: referenceOf(older, link),
      origin: httpUrl(normal.view ?? single?.normal.view ?? null),
      removed: catalogue.isRemoved("articles", article.id),
    },
  };
}

export function referenceOf(
  item: { title: string; path: string } | undefined,
  link: Link,
): Reference | null {
  return item === undefined ? null : { title: titleOf(item.title), href: link(item.path) };
}

/** An address of the origin that may be linked to; null where it is none. */
export function httpUrl(url: string | null): string | null {
  return url !== null && URL.canParse(url) && /^https?:$/.test(new URL(url).protocol) ? url : null;
}

export function attachedTo(site: Site, parent: "articles" | "galleries", id: string): Attached {
  const of = (kind: MediaKind): Ref[] => publishedAttachments(site.catalogue, parent, id, kind);
  return {
    images: of("images"),
    videos: of("videos"),
    documents: parent === "articles" ? of("documents") : [],
    audio: of("audio"),
  };
}

export function attachedKey(site: Site, attached: Attached): string {
  return (["images", "videos", "documents", "audio"] as const)
    .map((kind) => attachmentsKey(site, kind, attached[kind]))
    .join("\n\n");
}

function tagOf(site: Site, slug: string, link: Link): { title: string; href: string | null } {
  const tag = site.lists.tags.get(slug);
  if (tag === undefined) return { title: slug, href: null };
  return { title: titleOf(tag.title), href: link(sitePaths.tag(tag.name, 1)) };
}

function heroOf(site: Site, article: ArticleSummary, link: Link) {
  const entry = article.thumb && site.catalogue.media("images", article.thumb.id);
  const picture =
    entry && pictureOf(site.catalogue, entry, link, { sizes: "(min-width: 66rem) 62rem, 100vw" });
  if (picture === undefined || entry === undefined) return null;
  return { picture, href: link(sitePaths.image(entry.id)) };
}

function imagePath(site: Site, article: ArticleSummary): string | undefined {
  const entry = article.thumb && site.catalogue.media("images", article.thumb.id);
  return entry && site.catalogue.renditionPath(entry, { width: 1280 });
}

function lookupOf(
  site: Site,
  article: ArticleSummary,
  single: StoredObject<"articles.single"> | undefined,
): Lookup {
  const { catalogue, config } = site;
  return createLookup(catalogue, article.path, single?.normal.view ?? null, config.origin.baseUrl);
}

/** HTML of an article's body as the origin wrote it; empty where there is none. */
function bodyOf(single: StoredObject<"articles.single"> | undefined): string {
  const path = single?.normal.bodyPath;
  if (single === undefined || path === null || path === undefined) return "";
  let text = single.raw;
  for (const name of path) {
    const span = membersOf(text).get(name);
    if (span === undefined) return "";
    text = text.slice(span.start, span.end);
  }
  const body: unknown = JSON.parse(text);
  return typeof body === "string" ? body : "";
}
