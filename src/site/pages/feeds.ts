import { cached } from "../../lib/cached.ts";
import { keyOf } from "../../lib/digest.ts";
import { xmlText } from "../../lib/foreign.ts";
import { type OutputFile, textFile } from "../../lib/output.ts";
import { xmlElement } from "../../lib/xml.ts";
import { relativeHref, sitePaths } from "../../routes/site.ts";
import { authorsOf } from "../byline.ts";
import { categoryOf, firstPicture, tagTitles } from "../cards.ts";
import type { Link } from "../pictures.ts";
import { answersTo, shownText, textKey } from "../shown-text.ts";
import { publicUrl, type Site } from "../site.ts";
import type { ArticleSummary, Named } from "../summaries.ts";

/** Articles in a feed, and bodies that are remembered: most articles stand in several feeds, each in two formats. */
const feedItems = 20;
const remembered = 500;
/** Of a feed without articles. Atom demands a time, and that of the build would change the file every night. */
const noTime = "1970-01-01T00:00:00.000Z";

/** By the title and the first page of its list. */
interface Feed extends Named {
  /** Stays the same when the archive or the service moves. */
  urn: string;
  articles: ArticleSummary[];
  bodyOf: (article: ArticleSummary) => Body;
}

type Body = ReturnType<typeof bodyIn>;
type Entry = ReturnType<typeof entryOf>;

const declaration = '<?xml version="1.0" encoding="utf-8"?>';

/** Makes of a feed a page that can be read. Its name has an ending that every web server knows. */
function feedSheet({ formats }: Site): OutputFile {
  const says = xmlText(formats.t("feed.about"));
  return textFile(
    sitePaths.feedSheet,
    `${declaration}
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:a="http://www.w3.org/2005/Atom">
<xsl:output method="html" encoding="utf-8" doctype-system="about:legacy-compat"/>
<xsl:template match="/a:feed"><html lang="${formats.language}" dir="${formats.direction}"><head><meta name="viewport" content="width=device-width"/><title><xsl:value-of select="a:title"/></title><style>:root{color-scheme:light dark;font:1.0625rem/1.6 system-ui,sans-serif}body{max-width:40rem;margin:2rem auto;padding:0 1rem}h2{margin:2rem 0 0;font-size:1.25rem}p{margin:.25rem 0}</style></head><body><h1><a href="{a:link[@rel='alternate']/@href}"><xsl:value-of select="a:title"/></a></h1><p>${says}</p><xsl:for-each select="a:entry"><h2><a href="{a:link[@rel='alternate']/@href}"><xsl:value-of select="a:title"/></a></h2><p><small><xsl:value-of select="substring(a:published,1,10)"/></small></p><p><xsl:value-of select="a:summary"/></p></xsl:for-each></body></html></xsl:template>
</xsl:stylesheet>
`,
  );
}

/** The latest articles of the website, of each category and of each tag. Articles without a date are in no feed. */
export function* feedFiles(site: Site): Generator<OutputFile> {
  const { articles, categories, tags } = site.lists;
  const { title } = site.config.site;
  const byId = new Map(articles.map((article) => [article.id, article]));
  const bodyFor = cached(remembered, (key) => {
    const [id, path] = JSON.parse(key) as [string, string];
    return bodyIn(site, byId.get(id) as ArticleSummary, linkOf(site, path));
  });
  yield feedSheet(site);
  yield* filesOf(site, { title, path: sitePaths.home, articles }, ["articles"], bodyFor);
  for (const [kind, groups] of [
    ["categories", categories],
    ["tags", tags],
  ] as const) {
    for (const [id, group] of groups) {
      const named = { ...group, title: `${group.title} · ${title}` };
      yield* filesOf(site, named, [kind, id], bodyFor);
    }
  }
}

function* filesOf(
  site: Site,
  list: Named & { articles: readonly ArticleSummary[] },
  name: string[],
  bodyFor: (key: string) => Body,
): Generator<OutputFile> {
  const { title, path } = list;
  // Links of all feeds that lie as deep are the same.
  const place = "-/".repeat(path.split("/").length - 1);
  const bodyOf = ({ id }: ArticleSummary): Body => bodyFor(JSON.stringify([id, place]));
  const urn = urnOf(site, "feed", ...name);
  const feed = { urn, title, path, articles: latest(list.articles), bodyOf };
  const shown = () =>
    feed.articles.flatMap((article) => [
      ...textKey(site, article, answersTo(site, article)),
      ...tagTitles(site, article),
    ]);
  const texts = { atom: atomText, json: jsonText };
  for (const format of ["atom", "json"] as const) {
    const file = sitePaths.feeds(path)[format];
    yield {
      path: file,
      key: () => keyOf(site.key, file, feed.urn, title, shown()),
      content: () => texts[format](site, feed, file),
      about: ["feeds", ...name, format].join("/"),
    };
  }
}

function latest(articles: readonly ArticleSummary[]): ArticleSummary[] {
  const dated = articles.filter(({ publishedAt }) => publishedAt !== null);
  return dated.sort(laterFirst).slice(0, feedItems);
}

/** Times of one form: their texts have their order. */
function laterFirst(a: ArticleSummary, b: ArticleSummary): number {
  const [left, right] = [a.publishedAt ?? "", b.publishedAt ?? ""];
  return left === right ? 0 : left < right ? 1 : -1;
}

/** A name for something of the origin that depends on no address of the archive. UUID of version 8, RFC 9562. */
function urnOf({ catalogue }: Site, ...name: string[]): string {
  const { origin, origins: [first = origin] = [] } = catalogue.snapshot.manifest;
  const uuid = keyOf(first, name).replace(/^(.{8})(.{4}).(.{3}).(.{3})/, "$1-$2-8$3-8$4-");
  return `urn:uuid:${uuid}`;
}

const linkOf =
  (site: Site, path: string): Link =>
  (to) =>
    publicUrl(site, to) ?? relativeHref(path, to);

/** The authors, and as HTML the whole text, with the article's picture where it has none. */
function bodyIn(site: Site, article: ArticleSummary, link: Link) {
  const { record, body } = shownText(site, article, link);
  const { raw } = site.catalogue.snapshot.read("articles", article);
  const picture = firstPicture(site, [article]);
  const isBare = picture !== undefined && body.pictures.size === 0;
  const lead = isBare ? xmlElement("img", { src: link(picture.path), alt: picture.alt }) : "";
  return { authors: authorsOf(record, raw), html: lead + body.html };
}

function entryOf(site: Site, article: ArticleSummary, { bodyOf }: Feed) {
  const category = categoryOf(site, article);
  return {
    ...bodyOf(article),
    urn: urnOf(site, "articles", article.id),
    title: article.title,
    path: article.path,
    time: article.publishedAt ?? noTime,
    synopsis: article.synopsis,
    /** Titles of the category and the tags. */
    topics: [...(category === null ? [] : [category.title]), ...tagTitles(site, article)],
    picture: firstPicture(site, [article]),
  };
}

/** Atom takes relative links where the website has no address: they start at the feed's own. RFC 4287, section 2. */
function atomText(site: Site, feed: Feed, path: string): string {
  const { title, description } = site.config.site;
  const link = linkOf(site, path);
  const children = [
    xmlElement("id", {}, feed.urn),
    xmlElement("title", {}, xmlText(feed.title)),
    ...(description === "" ? [] : [xmlElement("subtitle", {}, xmlText(description))]),
    xmlElement("updated", {}, feed.articles[0]?.publishedAt ?? noTime),
    xmlElement("author", {}, xmlElement("name", {}, xmlText(title))),
    xmlElement("link", { rel: "self", type: "application/atom+xml", href: link(path) }),
    xmlElement("link", { rel: "alternate", type: "text/html", href: link(feed.path) }),
    ...feed.articles.map((article) => atomEntry(entryOf(site, article, feed), link)),
  ];
  const attributes = { xmlns: "http://www.w3.org/2005/Atom", "xml:lang": site.formats.language };
  const root = xmlElement("feed", attributes, `\n${children.join("\n")}\n`);
  const sheet = relativeHref(path, sitePaths.feedSheet);
  return `${declaration}\n<?xml-stylesheet type="text/xsl" href="${sheet}"?>\n${root}\n`;
}

function atomEntry(entry: Entry, link: Link) {
  const { urn, title, path, time, synopsis, topics, picture, authors, html } = entry;
  const enclosure = picture && { rel: "enclosure", type: picture.type, length: picture.bytes };
  const children = [
    xmlElement("id", {}, urn),
    xmlElement("title", {}, xmlText(title)),
    ...authors.map((name) => xmlElement("author", {}, xmlElement("name", {}, xmlText(name)))),
    xmlElement("published", {}, time),
    xmlElement("updated", {}, time),
    xmlElement("link", { rel: "alternate", type: "text/html", href: link(path) }),
    ...(picture ? [xmlElement("link", { ...enclosure, href: link(picture.path) })] : []),
    ...topics.map((term) => xmlElement("category", { term })),
    xmlElement("summary", {}, xmlText(synopsis === "" ? title : synopsis)),
    ...(html === "" ? [] : [xmlElement("content", { type: "html" }, xmlText(html))]),
  ];
  return xmlElement("entry", {}, `\n${children.join("\n")}\n`);
}

function jsonText(site: Site, feed: Feed, path: string): string {
  const { title, description } = site.config.site;
  const data = {
    version: "https://jsonfeed.org/version/1.1",
    title: feed.title,
    ...(description === "" ? {} : { description }),
    home_page_url: publicUrl(site, feed.path) ?? undefined,
    feed_url: publicUrl(site, path) ?? undefined,
    language: site.formats.language,
    authors: [{ name: title }],
    items: feed.articles.map((article) => jsonItem(site, entryOf(site, article, feed), path)),
  };
  return `${JSON.stringify(data, null, 2)}\n`;
}

function jsonItem(site: Site, entry: Entry, feed: string) {
  const { urn: id, title, path, time, synopsis, topics: tags, picture, html } = entry;
  const authors = entry.authors.map((name) => ({ name }));
  const named = authors.length === 0 ? {} : { authors };
  const item = { id, title, date_published: time, tags, ...named };
  const summary = synopsis === "" ? {} : { summary: synopsis };
  const url = publicUrl(site, path);
  if (url === null) {
    // JSON Feed does not say what a relative URL starts at. In the HTML of an item, readers know.
    const link = xmlElement("a", { href: relativeHref(feed, path) }, xmlText(title));
    const text = html || (synopsis && `<p>${xmlText(synopsis)}</p>`);
    return { ...item, ...summary, content_html: `${text}<p>${link}</p>` };
  }
  const image = picture && publicUrl(site, picture.path);
  const shown = picture && {
    image,
    attachments: [{ url: image, mime_type: picture.type, size_in_bytes: picture.bytes }],
  };
  const content = html === "" ? { content_text: synopsis || title } : { content_html: html };
  return { ...item, url, ...summary, ...content, ...shown };
}
