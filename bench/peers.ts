/** Other generators of websites, and the corpus as they read it: Markdown with its front matter. */
import { cpSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type CorpusArticle, corpusOf, markdownOf } from "./corpus.ts";
import { isHere } from "./lib.ts";

interface Peer {
  name: string;
  /** How to have it, where it is not installed. */
  missing: string | undefined;
  /** Folder of the articles below its own. */
  articles: string;
  frontMatter(article: CorpusArticle): object;
  /** Renders what lies in a folder into another one. */
  command(folder: string, target: string): [program: string, ...args: string[]];
}

const own = (path: string): string => fileURLToPath(new URL(`./peers/${path}`, import.meta.url));
const eleventy = own("node_modules/@11ty/eleventy/cmd.cjs");

export const peers: Peer[] = [
  {
    name: "hugo",
    missing: isHere("hugo", "version") ? undefined : "apt-get install hugo",
    articles: "content/articles",
    frontMatter: ({ category, tags }) => ({ categories: [category], tags }),
    command: (folder, target) => ["hugo", "--quiet", "--source", folder, "--destination", target],
  },
  {
    name: "eleventy",
    missing: existsSync(eleventy) ? undefined : "npm ci --prefix bench/peers",
    articles: "articles",
    frontMatter: ({ slug, category, tags }) => ({
      ...{ layout: "article.njk", section: category, subjects: tags },
      permalink: `/articles/${slug}/index.html`,
    }),
    command(folder, target) {
      const config = join(folder, "eleventy.config.js");
      const places = [`--input=${folder}`, `--output=${target}`, `--config=${config}`];
      return [process.execPath, eleventy, "--quiet", ...places];
    },
  },
];

/** Writes the corpus for a peer into a new folder. */
export function prepare(peer: Peer, folder: string, count: number): void {
  cpSync(own(peer.name), folder, { recursive: true });
  const articles = join(folder, peer.articles);
  mkdirSync(articles, { recursive: true });
  const names = {
    article: (slug: string) => `/articles/${slug}/`,
    picture: (number: number) => `/pictures/${number}.jpg`,
  };
  for (const article of corpusOf(count)) {
    const { slug, title, summary, time } = article;
    const date = new Date(time).toISOString();
    const about = JSON.stringify({ title, summary, date, ...peer.frontMatter(article) });
    const fence = peer.name === "hugo" ? [about] : ["---json", about, "---"];
    const text = [...fence, "", markdownOf(article, names)].join("\n");
    writeFileSync(join(articles, `${slug}.md`), text);
  }
}
