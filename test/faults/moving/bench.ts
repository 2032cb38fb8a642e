import { createClient } from "../../../src/api/client.ts";
import { createLinkBook } from "../../../src/api/links.ts";
import { type Config, ConfigSchema } from "../../../src/config.ts";
import { type CrawlResult, runCrawl } from "../../../src/crawl/crawl.ts";
import type { Content } from "../../../src/demo/model.ts";
import { startOrigin } from "../../../src/demo/origin.ts";
import { createRoutes } from "../../../src/routes/table.ts";
import type { ListName } from "../../../src/store/list-names.ts";
import { openStore } from "../../../src/store/store.ts";

/** An origin whose content changes between requests, and crawls of it into one store. */
export interface MovingBench {
  /** Crawls once more; `ids` gives what a list of the snapshot holds. */
  crawl(): Promise<CrawlResult & { ids: Record<string, Set<string>>; requests: number }>;
  close(): Promise<void>;
}

export interface MovingOptions {
  content: Content;
  folder: string;
  pageSize: number;
  crawl: Partial<Config["crawl"]>;
  /** Called before each request is answered, with its path and query. */
  before(path: string): void;
}

const looked: readonly ListName[] = [
  "articles",
  "articles.single",
  "galleries",
  "galleries.single",
  "images",
];

export async function startMovingBench(options: MovingOptions): Promise<MovingBench> {
  const { content, folder, pageSize, before } = options;
  let requests = 0;
  const origin = await startOrigin({
    content,
    pageSize,
    intercept(request) {
      requests++;
      before(request.url ?? "");
      return false;
    },
  });
  const config = ConfigSchema.parse({
    origin: { baseUrl: origin.baseUrl, rate: { requests: 1_000_000, perSeconds: 1 } },
    // However much vanishes at once, this is about what is there.
    crawl: { ...options.crawl, maxRemoved: { share: 1, items: 1_000_000 } },
  });
  return {
    async crawl() {
      const store = openStore(folder);
      const client = createClient({ config, token: origin.tokens.organisation });
      requests = 0;
      try {
        const routes = createRoutes(config);
        const result = await runCrawl({ config, store, client, routes, links: createLinkBook() });
        const reader = store.reader(result.manifest);
        const ids = Object.fromEntries(
          looked.map((list) => [list, new Set([...reader.refs(list)].map(({ id }) => id))]),
        );
        return { ...result, ids, requests };
      } finally {
        store.close();
        await client.close();
      }
    },
    close: () => origin.close(),
  };
}
