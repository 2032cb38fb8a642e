import { keyOf } from "../../lib/digest.ts";
import { groupedBy } from "../../lib/frequency.ts";
import type { OutputFile } from "../../lib/output.ts";
import { sitePaths } from "../../routes/site.ts";
import { categoryOf } from "../cards.ts";
import { type KeyParts, linkFrom, type Site } from "../site.ts";
import { documentKey, fieldsOf, hitOf, searchesBodies } from "./documents.ts";
import type { Findable, Segment } from "./segments.ts";
import { capital, TermIndex } from "./term-index.ts";
import { searchWords } from "./words.ts";

/** Items of which a file holds what their hits show. Of those that are seen the file is loaded, with whole texts or not. */
const hitsInFile = 32;
const textsInFile = 8;
/** Items, and articles with bodies, that have about 30 kB of terms. */
const itemsOfTerms = 400;
const bodiesOfTerms = 24;

/** How many files the index of an archive has, about. */
export const indexFiles = (items: number, bodies: number): number =>
  6 + (items - bodies) / hitsInFile + bodies / textsInFile + termFiles(items, bodies);

const termFiles = (items: number, bodies: number): number =>
  1 + Math.floor(items / itemsOfTerms + bodies / bodiesOfTerms);

/** Name of the script's function that takes what a file holds. */
const receiver = "stillpressPart";

/**
 * The files of a segment, as classic scripts, which also load from file://. `index` says where which term stands; `terms`
 * hold the postings; `words` all terms, for what is misspelt; `categories` those of articles. Beside them, by
 * kind, files of what hits show.
 */
export function* segmentFiles(site: Site, segment: Segment): Generator<OutputFile> {
  const { items, name } = segment;
  const articles = items.filter(({ kind }) => kind === "article");
  const bodies = searchesBodies(site) ? articles : [];
  const path = (part: string, number?: number): string => sitePaths.searchPart(name, part, number);
  const file = (of: string, keys: () => KeyParts, data: () => unknown): OutputFile => ({
    path: of,
    key: () => keyOf(receiver, of, site.formats.dateLanguage, site.formats.t("untitled"), keys()),
    content: () => `${receiver}(${JSON.stringify(of)}, ${JSON.stringify(data())});\n`,
  });
  const parts = termFiles(items.length, bodies.length);
  const index = once(() => indexOf(site, segment, parts));
  const ownKey = once(() => segmentKey(site, items));
  // One thread makes all of these, because each of them needs the whole index.
  const ofIndex = (of: string, data: () => unknown): OutputFile => ({
    ...file(of, () => [ownKey()], data),
    alone: true,
  });
  yield ofIndex(path("index"), () => ({
    kinds: outlineOf(site, items),
    from: index().parts.map(({ from }) => from),
  }));
  yield ofIndex(path("words"), () => index().words);
  for (let part = 0; part < parts; part++) {
    yield ofIndex(path("terms", part), () => index().parts[part]?.lines ?? "");
  }
  const keysOf = (some: readonly Findable[]) => () => some.map((item) => documentKey(site, item));
  yield file(path("categories"), keysOf(articles), () => categoriesOf(site, articles));
  for (const [kind, ofKind] of groupedBy(items, (item) => item.kind)) {
    for (const [at, some] of chunks(ofKind, inFileOf(site, kind))) {
      const data = () => some.map((item) => hitOf(site, item, linkFrom(site, sitePaths.search)));
      yield file(path(kind, at), keysOf(some), data);
    }
  }
}

const inFileOf = (site: Site, kind: Findable["kind"]): number =>
  kind === "article" && searchesBodies(site) ? textsInFile : hitsInFile;

function segmentKey(site: Site, items: readonly Findable[]): string {
  const script = site.templates.assets.get("search-words.js")?.digest;
  return keyOf(
    script,
    items.map((item) => documentKey(site, item)),
  );
}

/** How the items of a segment are numbered: of each kind how many are in a file, and the years with their numbers of items. */
function outlineOf(site: Site, items: readonly Findable[]) {
  return Array.from(
    groupedBy(items, ({ kind }) => kind),
    ([kind, ofKind]) => {
      const years = groupedBy(ofKind, ({ day }) => day.slice(0, 4));
      return [kind, inFileOf(site, kind), Array.from(years, ([year, of]) => [year, of.length])];
    },
  );
}

/** Titles of categories, and the place there of each article's own; -1 without one. Only for readers who choose one. */
function categoriesOf(site: Site, articles: readonly Findable[]) {
  const titles = articles.map(({ article }) => article && categoryOf(site, article)?.title);
  const all = [...new Set(titles)].filter((title) => title !== undefined);
  const places = new Map(all.map((title, at) => [title, at]));
  return { titles: all, places: titles.map((title) => places.get(title ?? "") ?? -1) };
}

/**
 * The terms in files of about equal length; and all terms, each with a blank, behind which the guard still knows a word
 * that must not be published, and a letter for the number of its items: "A" for one, "B" for two and three, "C" up to seven.
 */
function indexOf(site: Site, { items }: Segment, parts: number) {
  const terms = new TermIndex(searchWords(site.templates));
  for (const item of items) terms.add(fieldsOf(site, item));
  const lines = terms.lines();
  const all = lines.reduce((sum, { line }) => sum + line.length, 0);
  let done = 0;
  const files = groupedBy(lines, ({ line }) => {
    done += line.length;
    return Math.ceil((parts * done) / all);
  });
  return {
    parts: Array.from(files.values(), (some) => ({
      from: some[0]?.term ?? "",
      lines: some.map(({ line }) => `${line}\n`).join(""),
    })),
    words: lines
      .map(({ term, items: of }) => `${term} ${capital(Math.floor(Math.log2(of)))}`)
      .join("\n"),
  };
}

function* chunks<T>(all: readonly T[], size: number): Generator<[number, T[]]> {
  for (let at = 0; at < all.length; at += size) yield [at / size, all.slice(at, at + size)];
}

function once<T extends object | string>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}
