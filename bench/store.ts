/**
 * What the store costs, beside what JSON and bare appends alone cost.
 *
 *     store [--articles 20000] [--bytes 5000]
 *
 * Each row is a process of its own on the same articles, which come in pages of 20, as an origin lists them:
 *
 * - `serialise` is the floor of writing: JSON.parse of the pages, JSON.stringify of their items.
 * - `append` does the same, and writes the items to one file in chunks of 1 MiB, synced at the end.
 * - `put` does the same, but puts the items into a new store: digest, checksum, index.
 * - `store` takes answers apart, cuts signatures, normalises and puts the items, as the crawl does.
 * - `again` does so on the store that is there, as a quiet night does.
 * - `parse` is the floor of reading: it reads the file of `append` and parses each line.
 * - `read` opens the store and reads every object, normalised and raw.
 * - `reopen` opens the store.
 */
import {
  closeSync,
  fsyncSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createUnsigner } from "../src/api/signatures.ts";
import { ConfigSchema } from "../src/config.ts";
import type { CrawlContext } from "../src/crawl/context.ts";
import { ingestList, keepable, openAnswer } from "../src/crawl/ingest.ts";
import { openStore } from "../src/store/store.ts";
import { benchOptions, type Figures, inChild, printTable, report } from "./lib.ts";

const writing = ["serialise", "append", "put", "store", "again"] as const;
const reading = ["parse", "read", "reopen"] as const;
type Part = (typeof writing)[number] | (typeof reading)[number];

const perPage = 20;
const folderVariable = "STILLPRESS_BENCH_FOLDER";
const { sizes, part, args } = benchOptions({ articles: 20_000, bytes: 5_000 });

/** Answers of an article index with bodies, a page each. */
function* pages(): Generator<string> {
  const model = JSON.stringify({
    data: Array.from({ length: perPage }, (_, at) => article(at)),
    links: { first: "https://a.test/articles?page=1", prev: null, next: null },
    meta: { current_page: 1, last_page: 1, per_page: perPage, total: sizes.articles },
  });
  for (let page = 0; page * perPage < sizes.articles; page++) {
    yield model.replaceAll("@@@@", String(page).padStart(4, "0"));
  }
}

function article(at: number): object {
  const id = `0a1b2c3d-@@@@-4000-8000-${String(at).padStart(12, "0")}`;
  const paragraph =
    '<p>The “old” bridge <a href="https://a.test/view/articles/bridge">opened</a> on\nMonday.</p>';
  const signed = `https://a.test/images/${id}.jpg?expires=1700000000&signature=0123456789abcdef`;
  const fields = {
    id,
    organisation_id: "0a1b2c3d-0000-4000-8000-000000000000",
    title: `Article ${at}`,
    slug: `article-${at}`,
    synopsis: "What happened, and why it took so long.",
    published_at: "2024-05-02T10:00:00.000000Z",
    created_at: "2024-05-01T10:00:00.000000Z",
    category: { id: "0a1b2c3d-1111-4000-8000-000000000000", title: "News" },
    tags: ["river", "traffic"],
    links: { view: `https://a.test/view/articles/article-${at}`, thumbnail: signed },
    attachments: { images: 3, videos: 0, documents: 0, audio: 0 },
    rating: { average: 4.5, count: 12 },
  };
  const room = Math.max(0, sizes.bytes - JSON.stringify(fields).length - signed.length);
  const body = paragraph.repeat(Math.ceil(room / JSON.stringify(paragraph).length));
  return { ...fields, body: `${body}<img src="${signed}">` };
}

function serialise(each: (text: string) => void): void {
  for (const text of pages()) {
    for (const item of (JSON.parse(text) as { data: unknown[] }).data) each(JSON.stringify(item));
  }
}

function append(path: string): void {
  const handle = openSync(path, "w");
  let chunk: string[] = [];
  let length = 0;
  const write = (): void => {
    writeSync(handle, `${chunk.join("\n")}\n`);
    chunk = [];
    length = 0;
  };
  serialise((text) => {
    chunk.push(text);
    length += text.length;
    if (length >= 1 << 20) write();
  });
  write();
  fsyncSync(handle);
  closeSync(handle);
}

/** Where a store's bench keeps the digests of its objects, for `read`. */
const listPath = (folder: string): string => `${folder}.json`;

function ingest(folder: string): void {
  const digests: string[] = [];
  const store = openStore(folder);
  const config = ConfigSchema.parse({ origin: { baseUrl: "https://a.test" } });
  const links = { remember() {}, take: () => undefined, forget() {} };
  const unsigner = createUnsigner(config.origin);
  const context = { store, config, links, unsigner } as unknown as CrawlContext;
  for (const text of pages()) {
    // The client parses each answer, to know that it is JSON.
    const value = JSON.parse(text) as unknown;
    unsigner.learn(value);
    const opened = openAnswer(keepable(text, unsigner));
    if (opened === undefined) throw new Error("the answer has no data");
    const { refs, malformed } = ingestList(
      context,
      "articles",
      "page",
      opened.data,
      (value as { data: unknown[] }).data,
    );
    if (malformed.length > 0) throw new Error(malformed[0]?.reason);
    for (const { digest } of refs) digests.push(digest);
  }
  store.close();
  writeFileSync(listPath(folder), JSON.stringify(digests));
}

function put(folder: string): void {
  const store = openStore(folder);
  let number = 0;
  serialise((text) => {
    const normal = { slug: "", title: "", createdAt: null, articlesCount: 0, galleriesCount: 0 };
    store.objects.put("tags", String(number++), normal, text);
  });
  store.close();
}

function run(name: Part, folder: string): Promise<void> {
  const plain = join(folder, "plain.ndjson");
  const storeFolder = join(folder, "store");
  const work: Record<Part, () => void> = {
    serialise: () => serialise(() => {}),
    append: () => append(plain),
    put: () => put(join(folder, "put")),
    store: () => ingest(storeFolder),
    again: () => ingest(storeFolder),
    parse() {
      for (const line of readFileSync(plain, "utf8").split("\n")) if (line !== "") JSON.parse(line);
    },
    read() {
      const store = openStore(storeFolder);
      for (const digest of digests) JSON.parse(store.objects.read("articles", digest).raw);
      store.close();
    },
    reopen: () => openStore(storeFolder).close(),
  };
  const digests =
    name === "read" ? (JSON.parse(readFileSync(listPath(storeFolder), "utf8")) as string[]) : [];
  return report(work[name]);
}

async function main(): Promise<void> {
  const given = process.env[folderVariable];
  if (part !== undefined && given !== undefined) return await run(part as Part, given);
  const folder = mkdtempSync(join(tmpdir(), "stillpress-bench-"));
  process.env[folderVariable] = folder;
  try {
    const file = fileURLToPath(import.meta.url);
    const measure = (name: Part) => ({ name, figures: inChild(file, name, args) });
    const written = writing.map(measure);
    const read = reading.map(measure);
    printTable(`writing ${sizes.articles} articles of ${sizes.bytes} bytes`, written, "append");
    printTable("reading them", read, "parse");
    const perItem = ({ cpuMs }: Figures): string => ((cpuMs * 1000) / sizes.articles).toFixed(1);
    const costs = [...written, ...read].map(({ name, figures }) => `${name} ${perItem(figures)}`);
    process.stdout.write(`\nµs CPU per article: ${costs.join(", ")}\n`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

await main();
