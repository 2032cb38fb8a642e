import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { createClient } from "../../src/api/client.ts";
import { createLinkBook } from "../../src/api/links.ts";
import { type Config, ConfigSchema } from "../../src/config.ts";
import { type CrawlResult, runCrawl } from "../../src/crawl/crawl.ts";
import type { Content } from "../../src/demo/model.ts";
import { defaultOptions } from "../../src/demo/options.ts";
import type { StartOptions } from "../../src/demo/origin.ts";
import { walkSorted } from "../../src/lib/files.ts";
import { type Reporter, silent } from "../../src/lib/reporter.ts";
import { createRoutes } from "../../src/routes/table.ts";
import type { ListName } from "../../src/store/list-names.ts";
import type { SnapshotReader } from "../../src/store/reader.ts";
import { openStore, type Store } from "../../src/store/store.ts";
import { generateContent } from "../support/content.ts";
import { type Origin, startOrigin } from "../support/origin.ts";

/** Answers a request in the origin's place where it returns true. */
export type Intercept = (request: IncomingMessage, response: ServerResponse) => boolean;

/** An origin on a free port, a store in a new folder, and the crawl of the one into the other. */
export interface Bench {
  origin: Origin;
  content: Content;
  config: Config;
  folder: string;
  /** What answers in the origin's place; to be set before or during a crawl. */
  intercept: Intercept | undefined;
  crawl(options?: { signal?: AbortSignal; config?: Partial<Config["crawl"]> }): Promise<Crawled>;
}

export interface Crawled extends CrawlResult {
  /** Paths and queries below the base path, in the order of arrival. */
  requests: string[];
  /** What the reader was warned of, hints behind. */
  warnings: string[];
  /** Lines for the log. */
  infos: string[];
  /** Runs something on the store that the crawl left behind. */
  look<T>(look: (reader: SnapshotReader, store: Store) => T): T;
  ids(list: ListName): string[];
}

/** Everything small, so that a crawl takes a fraction of a second. */
export async function smallContent(seed = 7): Promise<Content> {
  return await generateContent({ articles: 30, galleries: 5, images: 45, seed });
}

/** Starts an origin with small content, or what the options say; everything ends with the test. */
export async function startBench(
  options: Partial<StartOptions> = {},
  crawlConfig: Partial<Config["crawl"]> = {},
): Promise<Bench> {
  const content = options.content ?? (await smallContent());
  const folder = mkdtempSync(join(tmpdir(), "stillpress-crawl-"));
  const origin = await startOrigin({
    ...options,
    rate: null,
    content,
    intercept: (request, response) => bench.intercept?.(request, response) ?? false,
  });
  onTestFinished(async () => {
    await origin.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const basePath = options.basePath ?? defaultOptions.basePath;
  const bench: Bench = {
    origin,
    content,
    folder,
    intercept: options.intercept ?? undefined,
    config: ConfigSchema.parse({
      origin: {
        baseUrl: origin.baseUrl,
        rate: { requests: 1_000_000, perSeconds: 1 },
        ...(options.paths === undefined ? {} : { paths: options.paths }),
        ...(options.bodyField === undefined ? {} : { bodyField: options.bodyField }),
      },
      crawl: { patience: 0, ...crawlConfig },
    }),
    async crawl({ signal, config: changes } = {}) {
      const config = { ...bench.config, crawl: { ...bench.config.crawl, ...changes } };
      const store = openStore(folder);
      const client = createClient({
        config,
        token: origin.tokens.organisation,
        // The number of attempts is the default one; only the waits between them are shorter.
        limits: { firstDelayMs: 25 },
        ...(signal === undefined ? {} : { signal }),
      });
      origin.requests.length = 0;
      const warnings: string[] = [];
      const infos: string[] = [];
      const reporter: Reporter = {
        ...silent,
        info: (text) => void infos.push(text),
        warn: (text, hint) => void warnings.push(hint === undefined ? text : `${text}; ${hint}`),
      };
      try {
        const routes = createRoutes(config);
        const links = createLinkBook();
        const result = await runCrawl({ config, store, client, routes, links, reporter });
        const requests = origin.requests.map(({ url }) => url.slice(basePath.length));
        return { ...result, requests, warnings, infos, look, ids };
      } finally {
        store.close();
        await client.close();
      }
    },
  };

  function look<T>(see: (reader: SnapshotReader, store: Store) => T): T {
    const store = openStore(folder, { readOnly: true });
    try {
      return see(store.reader(store.snapshots.latest() as SnapshotReader["manifest"]), store);
    } finally {
      store.close();
    }
  }

  function ids(list: ListName): string[] {
    return look((reader) => [...reader.refs(list)].map(({ id }) => id));
  }

  return bench;
}

/** Sends a JSON text, or any text, in the origin's place. */
export function send(response: ServerResponse, body: unknown, status = 200): true {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  response.writeHead(status, { "content-type": "application/json" }).end(text);
  return true;
}

/** An answer of a paginated index. */
export interface Answer {
  data: Record<string, unknown>[];
  links: Record<string, unknown>;
  meta: Record<string, unknown>;
}

/** Changes the origin's own answers to some requests: what `change` returns is sent, as JSON. */
export function altering(
  bench: Bench,
  matches: (path: string) => boolean,
  change: (answer: Answer, path: string) => unknown,
): Intercept {
  return (request, response) => {
    const path = (request.url ?? "").replace(/^\/api\/v1/, "");
    if (request.headers["x-unaltered"] !== undefined || !matches(path)) return false;
    const headers = { authorization: request.headers.authorization ?? "", "x-unaltered": "1" };
    void fetch(bench.origin.baseUrl + path, { headers })
      .then((answer) => answer.json())
      .then((answer) => send(response, change(answer as Answer, path)));
    return true;
  };
}

/** Whether a request only asks how the origin answers: to filters, and for single images. */
export function isProbe(url: string): boolean {
  return /[?&](?:tags|year)=|^\/image(?:s|-records)\/[\w-]{36}$/.test(url);
}

/** Page number of a request to an index, such as `/articles`; undefined where it is another request. */
export function pageOf(request: IncomingMessage, index: string): number | undefined {
  const url = new URL(request.url ?? "", "http://localhost");
  if (!url.pathname.endsWith(index)) return undefined;
  return Number(url.searchParams.get("page") ?? "1");
}

/** Bytes of each file of a folder, by path. */
export function filesOf(folder: string): Map<string, Buffer> {
  const files = new Map<string, Buffer>();
  for (const path of walkSorted(folder)) files.set(path, readFileSync(join(folder, path)));
  return files;
}
