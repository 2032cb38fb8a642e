import MiniSearch from "minisearch";
import { keyOf } from "../lib/digest.ts";
import { type OutputFile, textFile } from "../lib/output.ts";
import { sitePaths, urlPath } from "../routes/site.ts";
import type { Ref } from "../store/snapshots.ts";
import { readBody, textOfBody } from "./body.ts";
import { categoryOf, tagTitles } from "./cards.ts";
import { readable, withoutUrls } from "./plain-text.ts";
import { type Findable, type Shard, shardsOf } from "./search-plan.ts";
import { searchWords } from "./search-words.ts";
import { excerpt, type Site } from "./site.ts";
import { titleOf } from "./summaries.ts";

/** Characters of a hit's text. */
const snippetLength = 180;

/** @param time ISO 8601 */
export function findableOf(
  { formats }: Site,
  kind: Findable["kind"],
  { id, digest, path }: Pick<Findable, "id" | "digest" | "path">,
  time: string | null,
): Findable {
  return { id, digest, kind, path, day: time === null ? "" : formats.isoDay(time) };
}

/** Shards of everything that has a page. */
export function planSearch(site: Site, images: readonly Findable[]): Shard[] {
  const { articles, galleries } = site.lists;
  return shardsOf([
    ...articles.map((article) => ({
      ...findableOf(site, "article", article, article.publishedAt),
      article,
    })),
    ...galleries.map((gallery) => findableOf(site, "gallery", gallery, gallery.publishedAt)),
    ...images,
  ]);
}

/**
 * The index as classic scripts, which also load from file://: each shard, with the texts of its articles if these are
 * searched, then the list of all. One shard is held at a time, and only while it is made.
 */
export function* searchIndexFiles(site: Site, shards: readonly Shard[]): Generator<OutputFile> {
  const { assets } = site.templates;
  const scripts = ["minisearch.js", "search-words.js"].map((name) => assets.get(name)?.digest);
  for (const { name, items } of shards) {
    const path = sitePaths.searchShard(name);
    const key = (): string => {
      const keys = items.flatMap((item) => documentKey(site, item));
      return keyOf(scripts, site.config.site.search, site.formats.t("untitled"), path, keys);
    };
    const content = (): string => {
      const index = new MiniSearch(searchWords(site.templates).options);
      for (const item of items) index.add(documentOf(site, item));
      return `stillpressShard(${JSON.stringify(name)}, ${JSON.stringify(index)});\n`;
    };
    yield { path, key, content };
    if (site.config.site.search === "bodies") yield textsFile(site, name, items);
  }
  const list = shards.map(({ name, year, items }) => {
    const path = sitePaths.searchShard(name);
    const texts = site.config.site.search === "bodies" ? sitePaths.searchTexts(name) : undefined;
    return { name, path, texts, year, from: items.at(-1)?.day ?? "", items: items.length };
  });
  yield textFile(sitePaths.searchShards, `stillpressShards(${JSON.stringify(list)});\n`);
}

/** Apart from the shard: it would be more than twice as large, and only hits by their texts need it. */
function textsFile(site: Site, name: string, items: readonly Findable[]): OutputFile {
  const path = sitePaths.searchTexts(name);
  const articles = items.filter(({ kind }) => kind === "article");
  const digests = () => articles.flatMap(({ id, path: page }) => [page, bodyDigest(site, id)]);
  const content = (): string => {
    const texts = articles.map((item) => [urlPath(item.path), bodyWords(site, item)]);
    return `stillpressTexts(${JSON.stringify(Object.fromEntries(texts))});\n`;
  };
  return { path, key: () => keyOf(path, digests()), content };
}

const bodyDigest = ({ catalogue }: Site, id: string) =>
  catalogue.snapshot.digestOf("articles.single", id);

/** Everything that a document depends on. */
function documentKey(site: Site, { kind, digest, path, day, article }: Findable) {
  const own = [kind, digest, path, day];
  if (article === undefined) return own;
  const body = site.config.site.search === "bodies" && bodyDigest(site, article.id);
  return [...own, categoryOf(site, article)?.title, ...tagTitles(site, article), body];
}

function documentOf(site: Site, item: Findable) {
  const { title, text, ...others } = wordsOf(site, item);
  const snippet = excerpt(text, snippetLength);
  return {
    path: urlPath(item.path),
    kind: item.kind,
    date: item.day,
    title: titleOf(title, site.formats),
    text: withoutUrls(text),
    snippet: snippet === title.trim() ? "" : snippet,
    ...others,
  };
}

/** What the search may find an item by. */
function wordsOf(site: Site, { kind, article, ...ref }: Findable) {
  const { snapshot } = site.catalogue;
  if (kind === "gallery") return { title: snapshot.read("galleries", ref).normal.title, text: "" };
  if (kind === "image" || article === undefined) {
    const { title, caption } = snapshot.read("images", ref).normal;
    return { title, text: readable(caption) };
  }
  return {
    title: snapshot.read("articles", ref).normal.title,
    text: article.synopsis,
    tags: tagTitles(site, article).join(" "),
    category: categoryOf(site, article)?.title ?? "",
    body: site.config.site.search === "bodies" ? bodyWords(site, ref) : "",
  };
}

function bodyWords({ catalogue }: Site, { id }: Ref): string {
  return withoutUrls(textOfBody(readBody(catalogue, id).html))
    .trim()
    .replace(/\s+/g, " ");
}
