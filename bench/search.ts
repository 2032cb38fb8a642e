/**
 * How well the search finds what people look for, and what that costs them: ordinary searches over real articles, in
 * Chromium, with the articles that they want (`queries.json`). Every second search is kept apart ("held"), so that nobody
 * fits the ranking to all of them. More articles than there are real ones are made of their sentences.
 *
 *     search --content FOLDER [--articles 20000] [--slow 4] [--show]
 *
 * `FOLDER/articles.ndjson` has one article a line: title, slug, summary, date, topics, html.
 */
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { gzipSync } from "node:zlib";
import { lookup } from "mrmime";
import type { Browser } from "playwright-core";
import { Collection } from "../src/demo/collection.ts";
import { uuidOf } from "../src/demo/ids.ts";
import type { Article, Content, Gallery, Image, MediaFile } from "../src/demo/model.ts";
import { dice } from "../src/lib/random.ts";
import { readable } from "../src/site/plain-text.ts";
import { startChromium } from "../test/support/browser.ts";
import { startArchive } from "./archive.ts";
import { printCells } from "./lib.ts";

interface RealArticle {
  title: string;
  slug: string;
  summary: string;
  date: string;
  topics: string[];
  html: string;
}

const { values } = parseArgs({
  options: {
    content: { type: "string", default: "../shared/real-content" },
    articles: { type: "string", default: "0" },
    slow: { type: "string", default: "4" },
    show: { type: "boolean", default: false },
  },
});

const file = (name: string): string => readFileSync(join(values.content, name), "utf8");
const real = file("articles.ndjson")
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line) as RealArticle);
const queries = JSON.parse(readFileSync(new URL("queries.json", import.meta.url), "utf8")) as [
  query: string,
  slug: string,
][];

/** Articles as long as the real ones, of their sentences; their titles are pieces of sentences. */
function* madeArticles(count: number): Generator<RealArticle> {
  const sentences = real.flatMap(({ html }) =>
    html
      .replace(/<[^>]+>/g, " ")
      .split(/(?<=[.!?])\s+/)
      .map((text) => text.trim())
      .filter((text) => text.length > 20 && text.length < 400),
  );
  for (let number = 0; number < count; number++) {
    const throws = dice(7, number);
    const some = (n: number): string[] => Array.from({ length: n }, () => throws.pick(sentences));
    const title = (some(1)[0] as string).split(/\s+/).slice(0, 8).join(" ");
    const paragraphs = Array.from({ length: 9 }, () => `<p>${some(4).join(" ")}</p>`);
    yield {
      ...{ title, slug: `made-${number}`, summary: some(1)[0] as string, topics: [] },
      date: new Date(Date.UTC(2024, 5, 1) - number * 19_000_000).toISOString(),
      html: paragraphs.join("\n"),
    };
  }
}

function contentOf(articles: readonly RealArticle[]): Content {
  const organisationId = uuidOf("bench");
  const topics = JSON.parse(file("topics.json")) as { slug: string; title: string }[];
  const all = articles.map((one): Article => {
    const time = Date.parse(one.date.replace(/ ([+-]\d{4})$/, "$1")) || Date.UTC(2015, 0);
    return {
      ...{ organisationId, title: one.title, slug: one.slug, synopsis: one.summary },
      ...{ publishedAt: time, createdAt: time, tags: one.topics, categoryId: uuidOf("all") },
      ...{ id: uuidOf(one.slug), images: [], videos: [], documents: [], audio: [] },
      ...{ rating: { average: 0, count: 0 }, body: () => one.html },
    };
  });
  return {
    articles: new Collection(all.sort((a, b) => b.publishedAt - a.publishedAt)),
    neighbours: new Collection<Article>(),
    galleries: new Collection<Gallery>(),
    images: new Collection<Image>(),
    videos: new Collection<MediaFile>(),
    documents: new Collection<MediaFile>(),
    audio: new Collection<MediaFile>(),
    categories: [{ id: uuidOf("all"), title: "All", slug: "all", order: 0 }],
    tags: topics.map(({ slug, title }) => ({ slug, title, createdAt: 0, productsCount: 0 })),
  };
}

/** As a host does: texts are compressed. */
async function serve(root: string) {
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? "/", "http://localhost");
    try {
      const bytes = readFileSync(join(root, decodeURIComponent(pathname)));
      response.setHeader("Content-Type", lookup(pathname) ?? "application/octet-stream");
      response.setHeader("Content-Encoding", "gzip");
      response.end(gzipSync(bytes));
    } catch {
      response.writeHead(404).end();
    }
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server };
}

const titleOf = (slug: string): string => real.find((one) => one.slug === slug)?.title ?? "";

interface Answer {
  query: string;
  /** Place of the wanted article, from 1; 0 where it is not among those shown. */
  place: number;
  /** Bytes on the wire, without the page itself and its style sheet. */
  bytes: number;
  /** Milliseconds from the navigation to the first hit. */
  wait: number;
  /** Milliseconds over 50 in which the page was blocked at a time. */
  blocked: number;
  shift: number;
}

const watch = `globalThis.seen = { blocked: 0, shift: 0 };
new PerformanceObserver((list) => { for (const { duration } of list.getEntries()) seen.blocked += duration - 50; }).observe({ type: "longtask", buffered: true });
new PerformanceObserver((list) => { for (const { value } of list.getEntries()) seen.shift += value; }).observe({ type: "layout-shift", buffered: true });
document.addEventListener("DOMContentLoaded", () => new MutationObserver(() => { if (document.querySelector("#results a")) seen.first ??= performance.now(); }).observe(document.documentElement, { childList: true, subtree: true }));`;

async function ask(browser: Browser, url: string, [query, slug]: [string, string]) {
  const page = await browser.newPage({ viewport: { width: 390, height: 844 } });
  const session = await page.context().newCDPSession(page);
  await session.send("Emulation.setCPUThrottlingRate", { rate: Number(values.slow) });
  await page.addInitScript(watch);
  let bytes = 0;
  page.on("requestfinished", async (request) => {
    if (request.resourceType() !== "script") return;
    const { responseBodySize, responseHeadersSize } = await request.sizes();
    bytes += responseBodySize + responseHeadersSize;
  });
  await page.goto(`${url}/search.html?q=${encodeURIComponent(query)}`, {
    waitUntil: "networkidle",
  });
  await page.getByRole("status").filter({ hasText: /\.$/ }).waitFor();
  const titles = await page.evaluate<string[]>(
    `Array.from(document.querySelectorAll("#results h2 a"), (a) => a.textContent.trim())`,
  );
  const { first, blocked, shift } = await page.evaluate<Record<string, number>>("seen");
  await page.close();
  const place = titles.indexOf(readable(titleOf(slug))) + 1;
  return { query, place, bytes, wait: first ?? Number.NaN, blocked, shift } as Answer;
}

function printAnswers(title: string, answers: readonly Answer[]): void {
  const sorted = (of: (answer: Answer) => number): number[] =>
    answers.map(of).sort((a, b) => a - b);
  const middle = (of: (answer: Answer) => number): number =>
    sorted(of)[Math.floor(answers.length / 2)] as number;
  const most = (of: (answer: Answer) => number): number => sorted(of).at(-1) as number;
  const reciprocal = answers.reduce((sum, { place }) => sum + (place === 0 ? 0 : 1 / place), 0);
  const near = answers.filter(({ place }) => place > 0 && place <= 5).length;
  printCells(title, [
    ["mean reciprocal rank", (reciprocal / answers.length).toFixed(3)],
    ["within the first five", `${((100 * near) / answers.length).toFixed(0)} %`],
    ["kB for a search, median", (middle(({ bytes }) => bytes) / 1000).toFixed(0)],
    ["kB for a search, most", (most(({ bytes }) => bytes) / 1000).toFixed(0)],
    ["ms to the first hit, median", middle(({ wait }) => wait).toFixed(0)],
    ["ms blocked, median", middle(({ blocked }) => blocked).toFixed(0)],
    ["ms blocked, most", most(({ blocked }) => blocked).toFixed(0)],
    ["layout shift, most", most(({ shift }) => shift).toFixed(3)],
  ]);
  if (!values.show) return;
  for (const { query, place } of answers)
    if (place !== 1) process.stdout.write(`  ${place === 0 ? "–" : place}  ${query}\n`);
}

const folder = mkdtempSync(join(tmpdir(), "stillpress-bench-"));
try {
  const made = [...madeArticles(Math.max(0, Number(values.articles) - real.length))];
  const archive = await startArchive(folder, contentOf([...real, ...made]));
  await archive.run("crawl");
  await archive.run("media");
  const built = await archive.run("build");
  await archive.close();
  process.stdout.write(
    `build: ${(built.cpuMs / 1000).toFixed(1)} s CPU, ${built.largestMiB.toFixed(0)} MiB\n`,
  );
  const { url, server } = await serve(archive.out("public"));
  const browser = await startChromium();
  const answers: Answer[] = [];
  for (const query of queries) answers.push(await ask(browser, url, query));
  await browser.close();
  server.close();
  const total = real.length + made.length;
  printAnswers(
    `search: ${total} articles, tuned`,
    answers.filter((_, at) => at % 2 === 0),
  );
  printAnswers(
    `search: ${total} articles, held`,
    answers.filter((_, at) => at % 2 === 1),
  );
} finally {
  rmSync(folder, { recursive: true, force: true });
}
