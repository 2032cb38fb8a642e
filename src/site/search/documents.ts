import { keyOf } from "../../lib/digest.ts";
import { anchors, urlPath } from "../../routes/site.ts";
import { readBody, textOfBody } from "../body.ts";
import { categoryOf, tagTitles, thumbPicture } from "../cards.ts";
import { entryKey, type Link } from "../pictures.ts";
import { excerpt, readable, withoutUrls } from "../plain-text.ts";
import type { Site } from "../site.ts";
import { titleOf } from "../summaries.ts";
import type { Findable } from "./segments.ts";

/** Characters of a hit's text. */
const snippetLength = 300;
/** Pixels: hits show small pictures. */
const thumbWidth = 160;

/** What an item is found by, field by field. */
export interface Fields {
  title: string;
  /** Tags and category. */
  subjects: string;
  /** Synopsis or caption. */
  text: string;
  body: string;
}

/** What a hit shows: path, title, ISO date, date as it is read, category, texts, and the picture with its size in pixels. */
export type Hit = [
  path: string,
  title: string,
  day: string,
  date: string,
  category: string,
  snippet: string,
  body: string,
  ...picture: [] | [src: string, width: number, height: number],
];

/** @param time ISO 8601 */
export function findableOf(
  { formats }: Pick<Site, "formats">,
  kind: Findable["kind"],
  { id, digest, path, thumb }: Pick<Findable, "id" | "digest" | "path" | "thumb">,
  time: string | null,
): Findable {
  return { id, digest, kind, path, thumb, time, day: time === null ? "" : formats.isoDay(time) };
}

export const searchesBodies = ({ config }: Pick<Site, "config">): boolean =>
  config.site.search === "bodies";

/** Digest of everything that its fields and its hit depend on. */
export function documentKey(site: Site, { kind, digest, path, day, thumb, article }: Findable) {
  const { catalogue } = site;
  const picture = thumb === undefined ? undefined : entryKey(catalogue.media("images", thumb));
  const own = [kind, digest, path, day, picture];
  if (article === undefined) return keyOf(own);
  const body = searchesBodies(site) && catalogue.snapshot.digestOf("articles.single", article.id);
  return keyOf(own, categoryOf(site, article)?.title, tagTitles(site, article), body);
}

export function fieldsOf(site: Site, item: Findable): Fields {
  const { title, text } = wordsOf(site, item);
  const { article } = item;
  const subjects = article && [...tagTitles(site, article), categoryOf(site, article)?.title ?? ""];
  // An id that must not be named would be cut into words, and nobody could find them as an id again.
  const clean = site.catalogue.withoutIds;
  return {
    title: clean(titleOf(title, site.formats)),
    subjects: clean(subjects?.join(" ") ?? ""),
    text: clean(withoutUrls(text)),
    body: clean(bodyWords(site, item)),
  };
}

export function hitOf(site: Site, item: Findable, link: Link): Hit {
  const { title, text } = wordsOf(site, item);
  const snippet = excerpt(text, snippetLength);
  const category = item.article && categoryOf(site, item.article);
  const picture = thumbPicture(site, item, link, { width: thumbWidth });
  const hash = item.file === undefined ? "" : `#${anchors.file(item.id)}`;
  return [
    urlPath(item.path) + hash,
    titleOf(title, site.formats),
    item.day,
    item.time === null ? "" : site.formats.date(item.time),
    category?.title ?? "",
    snippet === title.trim() ? "" : snippet,
    bodyWords(site, item),
    ...(picture === null ? ([] as const) : ([picture.src, picture.width, picture.height] as const)),
  ];
}

function wordsOf({ catalogue }: Site, { kind, article, file, ...ref }: Findable) {
  const { snapshot } = catalogue;
  if (kind === "gallery") return { title: snapshot.read("galleries", ref).normal.title, text: "" };
  if (kind === "image" || article === undefined) {
    const { title, caption } = snapshot.read(file ?? "images", ref).normal;
    return { title, text: readable(caption) };
  }
  return { title: snapshot.read("articles", ref).normal.title, text: article.synopsis };
}

/** The text of an article as one line; empty for others, and where texts are not searched. */
function bodyWords(site: Site, { id, kind }: Findable): string {
  if (kind !== "article" || !searchesBodies(site)) return "";
  return withoutUrls(textOfBody(readBody(site.catalogue, id).html))
    .trim()
    .replace(/\s+/g, " ");
}
