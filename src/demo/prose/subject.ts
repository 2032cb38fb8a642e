/**
 * Material for articles about one subject. Texts may contain {place}, {person}, {season}, {years}
 * and {number}, which are the same throughout an article.
 */
export interface Subject {
  /** Slug of the category. */
  category: string;
  /** Slugs of tags that fit. */
  tags: readonly string[];
  /** Each names the place, so that no two articles are called the same. */
  titles: readonly string[];
  synopses: readonly string[];
  openings: readonly string[];
  paragraphs: readonly string[];
  headings: readonly string[];
  quotes: readonly string[];
  list: { lead: string; items: readonly string[] };
  table: { caption: string; head: readonly string[]; rows: readonly (readonly string[])[] };
  /** A sample of data or a small program, for the articles that have one. */
  code?: { lead: string; text: string };
}
