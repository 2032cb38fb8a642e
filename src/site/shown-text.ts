import { bodyFacts, readBody, renderBody } from "./body.ts";
import { captionOf } from "./captions.ts";
import { createLookup, lookupKey } from "./links.ts";
import type { Link } from "./pictures.ts";
import type { KeyParts, Site } from "./site.ts";
import type { ArticleSummary } from "./summaries.ts";

export type Answers = ReturnType<typeof answersTo>;

/** What the archive answers to the URLs in the body of an article. */
export function answersTo(site: Site, article: ArticleSummary) {
  const body = site.catalogue.snapshot.preparedOf("articles.single", article.id, bodyFacts);
  return lookupKey(body?.urls ?? [], lookupOf(site, article, body?.view ?? null));
}

function lookupOf({ catalogue, config }: Site, { path }: ArticleSummary, view: string | null) {
  return createLookup(catalogue, path, view, config.origin.baseUrl);
}

/** Key of an article's text with its pictures and captions, and of its card. */
export function textKey(
  { catalogue }: Site,
  { id, card, thumb = "" }: ArticleSummary,
  { key, images }: Answers,
): KeyParts {
  const captions = [thumb, ...images].flatMap((image) =>
    Object.values(captionOf(catalogue, image)),
  );
  return [card, catalogue.snapshot.digestOf("articles.single", id), key, ...captions];
}

/** The body of an article as it is shown, with the record that it is from. */
export function shownText(site: Site, article: ArticleSummary, link: Link) {
  const { catalogue, formats } = site;
  const { single, record, html } = readBody(catalogue, article.id);
  const lookup = lookupOf(site, article, single?.normal.view ?? null);
  return { single, record, body: renderBody(html, { catalogue, formats, lookup, link }) };
}
