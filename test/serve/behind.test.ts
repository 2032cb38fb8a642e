import { describe, expect, it } from "vitest";
import { openCatalogue } from "../../src/catalogue/catalogue.ts";
import { ConfigSchema } from "../../src/config.ts";
import { createHandler, type Handler } from "../../src/index.ts";
import { mirrorFiles } from "../../src/mirror/files.ts";
import { createRoutes } from "../../src/routes/table.ts";
import {
  type Answer,
  altering,
  type Bench,
  type Crawled,
  pageOf,
  send,
  startBench,
} from "../crawl/support.ts";
import { inMemory } from "./support.ts";

const archive = "https://archive.test";

/** The handler over the mirror of a crawl. */
function handlerOf(bench: Bench, crawled: Crawled, links: "api" | "file"): Handler {
  return crawled.look((reader, store) => {
    const config = ConfigSchema.parse({ ...bench.config, mirror: { links } });
    const catalogue = openCatalogue(reader, store.media, createRoutes(config), config);
    const files = new Map<string, string>();
    for (const file of mirrorFiles(catalogue, config)) {
      if ("content" in file) files.set(file.path, String(file.content()));
    }
    return createHandler({ files: inMemory(files), root: "api/v1" });
  });
}

/** Status and JSON of an answer, its host as that of the archive. */
async function answerOf(response: Response): Promise<unknown[]> {
  const text = await response.text();
  const own = text.replaceAll(/http:\/\/127\.0\.0\.1:\d+/g, archive);
  return [response.status, response.ok ? JSON.parse(own) : undefined];
}

async function compare(bench: Bench, handler: Handler, paths: readonly string[]): Promise<void> {
  const { baseUrl, tokens } = bench.origin;
  const headers = { authorization: `Bearer ${tokens.organisation}` };
  for (const path of paths) {
    const there = await answerOf(await fetch(baseUrl + path, { headers }));
    const here = await answerOf(await handler(new Request(`${archive}/api/v1${path}`)));
    expect([path, ...here]).toEqual([path, ...there]);
  }
}

const behind = [
  "/articles?page=3",
  "/articles?page=17",
  "/galleries?page=2",
  "/images?page=900",
  "/articles?year=1999&page=2",
];

describe("a page behind the last one", () => {
  it.each(["api", "file"] as const)(
    "is empty where it is so at the origin, links %s",
    async (links) => {
      const bench = await startBench();
      const crawled = await bench.crawl();
      const handler = handlerOf(bench, crawled, links);
      const { id } = bench.content.articles.at(0) ?? { id: "" };
      await compare(bench, handler, [...behind, `/articles/${id}/images?page=4`]);
      const absent = await handler(new Request(`${archive}/api/v1/articles/none/images?page=2`));
      expect(absent.status).toBe(404);
    },
  );

  it.each([
    ["fewer pages", -1],
    ["more pages", 2],
  ])("is empty where it is so at an origin that names %s than it has", async (_, more) => {
    const bench = await startBench({ pageSize: 5 });
    bench.intercept = altering(
      bench,
      (path) => /^\/articles(?:\?page=\d+)?$/.test(path),
      ({ meta, ...answer }) => ({
        ...answer,
        meta: { ...meta, last_page: Number(meta.last_page) + more },
      }),
    );
    const handler = handlerOf(bench, await bench.crawl(), "api");
    const response = await handler(new Request(`${archive}/api/v1/articles?page=999`));
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({ data: [], meta: { current_page: 999 } });
  });

  /** Makes the origin name two pages more than a list has. */
  function nameMorePages(bench: Bench, lists: RegExp): void {
    bench.intercept = altering(
      bench,
      (path) => lists.test(path),
      ({ meta, links, ...answer }, path) => {
        const [list = ""] = path.split("?");
        const url = `${bench.origin.baseUrl}${list}?page=`;
        const next = Number(/\?page=(\d+)/.exec(path)?.[1] ?? 1) + 1;
        const last = Number(meta.last_page) + 2;
        const onward = next > last ? null : url + next;
        return {
          ...answer,
          links: { ...links, next: onward, last: url + last },
          meta: { ...meta, last_page: last },
        };
      },
    );
  }

  it("is not led to by an origin that names more pages than it has", async () => {
    const bench = await startBench({ pageSize: 5 });
    nameMorePages(bench, /^\/articles(?:\?page=\d+)?$/);
    const handler = handlerOf(bench, await bench.crawl(), "api");
    const ids: string[] = [];
    for (let url: string | null = `${archive}/api/v1/articles`; url !== null; ) {
      expect(url.startsWith(archive)).toBe(true);
      const response = await handler(new Request(url));
      const { data, links, meta } = (await response.json()) as Answer;
      ids.push(...data.map(({ id }) => String(id)));
      expect([links.last, meta.last_page]).toEqual([`${archive}/api/v1/articles?page=6`, 6]);
      url = links.next as string | null;
    }
    expect(ids).toEqual([...bench.content.articles].map(({ id }) => id));
  });

  it("is not led to by an attachment list that names more pages than it has", async () => {
    const bench = await startBench({ pageSize: 5 });
    const { articles, galleries } = bench.content;
    // The crawl asks how an empty list looks where it has seen none with items.
    for (const { id } of galleries) galleries.edit(id, { audio: [] });
    nameMorePages(bench, /^\/(?:articles|galleries)\/[^/]+\/\w/);
    const handler = handlerOf(bench, await bench.crawl(), "api");
    const counts = new Set<boolean>();
    const lists = [
      ...[...articles].map(({ id }) => `/articles/${id}/images`),
      ...[...galleries].map(({ id }) => `/galleries/${id}/audio`),
    ];
    for (const list of lists) {
      const url = `${archive}/api/v1${list}`;
      const { data, links, meta } = (await (await handler(new Request(url))).json()) as Answer;
      counts.add(data.length > 0);
      const last = Math.max(1, Math.ceil(Number(meta.total) / 5));
      const next = last > 1 ? `${url}?page=2` : null;
      expect([links.next, links.last, meta.last_page]).toEqual([next, `${url}?page=${last}`, last]);
    }
    expect([...counts].sort()).toEqual([false, true]);
  });

  it.each([404, 410, 422])("is answered with %i where it is so at the origin", async (status) => {
    const bench = await startBench();
    bench.intercept = (request, response) => {
      const page = ["/articles", "/galleries", "/images", "/videos", "/documents", "/audio"].some(
        (index) => (pageOf(request, index) ?? 0) > (index === "/images" ? 3 : 2),
      );
      return page && send(response, { message: "no such page" }, status);
    };
    const crawled = await bench.crawl();
    const handler = handlerOf(bench, crawled, "api");
    await compare(bench, handler, ["/articles?page=3", "/articles?page=17", "/images?page=900"]);
  });

  it("has the origin's own envelope where that follows from no rule", async () => {
    const bench = await startBench();
    bench.intercept = altering(
      bench,
      (path) => /^\/articles\?page=(?:[3-9]|17)$/.test(path),
      (answer) => ({
        ...answer,
        links: { ...answer.links, prev: null },
        meta: { ...answer.meta, from: 0, to: 0, last_page: 2 },
      }),
    );
    const handler = handlerOf(bench, await bench.crawl(), "api");
    const response = await handler(new Request(`${archive}/api/v1/articles?page=5`));
    const { data, links, meta } = (await response.json()) as Record<
      string,
      Record<string, unknown>
    >;
    expect(data).toEqual([]);
    expect(links).toMatchObject({ prev: null, first: `${archive}/api/v1/articles?page=1` });
    expect(meta).toMatchObject({ from: 0, to: 0, current_page: 5, last_page: 2 });
  });

  it("is learnt from requests that are made anyway, and makes no second snapshot", async () => {
    const bench = await startBench();
    const first = await bench.crawl();
    expect(first.manifest.learned?.behind).toMatchObject({ articles: { status: 200 } });
    const second = await bench.crawl();
    expect(second.changed).toBe(false);
    expect(second.requests.filter((path) => path === "/articles?page=3")).toHaveLength(1);
  });
});
