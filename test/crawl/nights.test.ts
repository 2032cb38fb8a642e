import { describe, expect, it } from "vitest";
import { altering, isFilterCheck, send, startBench } from "./support.ts";

const singles = (requests: readonly string[]): string[] =>
  requests.filter((url) => /^\/(?:articles|galleries)\/[\w-]{36}$/.test(url));

describe("a crawl after the first", () => {
  it("does not ask for an article again because its rating changed", async () => {
    const bench = await startBench({ singleRepeatsAll: false }, { refreshShare: 0 });
    await bench.crawl();
    const article = bench.content.articles.at(2);
    if (article === undefined) throw new Error("no article");
    bench.content.articles.edit(article.id, { rating: { average: 1.5, count: 999 } });
    const rated = await bench.crawl();
    expect(rated.changed).toBe(true);
    expect(singles(rated.requests)).toEqual([]);
    bench.content.articles.edit(article.id, { synopsis: "Another one." });
    expect(singles((await bench.crawl()).requests)).toEqual([`/articles/${article.id}`]);
  });

  it("asks whether pages changed, where the origin gives validators, and sees each change", async () => {
    const bench = await startBench({ etags: true });
    const first = await bench.crawl();
    const statuses = (): number[] =>
      bench.origin.requests.filter(({ url }) => !isFilterCheck(url)).map(({ status }) => status);
    // The second reading of each index finds it as it was.
    expect(statuses()).toContain(304);
    const quiet = await bench.crawl();
    expect(quiet.changed).toBe(false);
    // The indexes bring signed links; all else is asked for only if it changed.
    const full = bench.origin.requests.filter(({ status }) => status === 200);
    expect(full.length).toBeGreaterThan(0);
    expect(full.filter(({ url }) => /[\w-]{36}/.test(url) || /categories|tags/.test(url))).toEqual(
      [],
    );
    expect(statuses()).toContain(304);
    const article = bench.content.articles.at(2);
    if (article === undefined) throw new Error("no article");
    bench.content.articles.edit(article.id, { title: "Another title" });
    const changed = await bench.crawl();
    expect(changed.ids("articles")).toEqual(first.ids("articles"));
    const titles = changed.look((reader) => [
      reader.find("articles", "articles", article.id)?.normal.title,
      reader.find("articles.single", "articles.single", article.id)?.normal.title,
    ]);
    expect(titles).toEqual(["Another title", "Another title"]);
    expect(statuses()).toContain(200);
    expect(statuses()).toContain(304);
  });

  it("stops asking whether pages changed, where the answer is always that they did", async () => {
    let count = 0;
    const bench = await startBench();
    const conditional: string[] = [];
    bench.intercept = (request, response) => {
      response.setHeader("ETag", `"${++count}"`);
      if (request.headers["if-none-match"] !== undefined) conditional.push(request.url ?? "");
      return false;
    };
    await bench.crawl({ config: { refresh: "all" } });
    await bench.crawl({ config: { refresh: "all" } });
    expect(conditional.length).toBeGreaterThan(20);
    conditional.length = 0;
    await bench.crawl({ config: { refresh: "all" } });
    expect(conditional).toEqual([]);
  });
});

describe("a list of attachments", () => {
  it("is read again where it is shorter than its parent counts, and believed when it says so twice", async () => {
    const bench = await startBench();
    const owner = [...bench.content.galleries].find(({ images }) => images.length > 2);
    if (owner === undefined) throw new Error("no gallery with images");
    const path = `/galleries/${owner.id}/images`;
    const whole = (await bench.crawl()).look((reader) =>
      reader.attachments("galleries", owner.id, "images"),
    );
    bench.content.galleries.edit(owner.id, { title: "Another title" });
    let lies = 1;
    bench.intercept = altering(
      bench,
      (asked) => asked === path && lies-- > 0,
      ({ data, links, meta }) => {
        const items = data.slice(1);
        return { data: items, links, meta: { ...meta, total: items.length, to: items.length } };
      },
    );
    const crawled = await bench.crawl({ config: { refresh: "all" } });
    const read = crawled.look((reader) => reader.attachments("galleries", owner.id, "images"));
    expect(read?.items).toEqual(whole?.items);
    expect(crawled.requests.filter((url) => url === path).length).toBeGreaterThan(1);
  });

  it("is asked for where the index counts some and the single form none", async () => {
    const bench = await startBench();
    const owner = [...bench.content.galleries].find(({ images }) => images.length > 2);
    if (owner === undefined) throw new Error("no gallery with images");
    bench.intercept = altering(
      bench,
      (path) => path === `/galleries/${owner.id}`,
      (answer) => {
        const data = answer.data as unknown as Record<string, unknown>;
        return { data: { ...data, attachments: { images: 0, videos: 0, audio: 0 } } };
      },
    );
    const crawled = await bench.crawl();
    const list = crawled.look((reader) => reader.attachments("galleries", owner.id, "images"));
    expect(list?.items.length).toBeGreaterThan(0);
  });
});

describe("categories and tags", () => {
  it("are read until two answers agree", async () => {
    const bench = await startBench();
    let lies = 1;
    bench.intercept = (request, response) =>
      (request.url?.endsWith("/tags") ?? false) && lies-- > 0 && send(response, { data: [] });
    const crawled = await bench.crawl();
    expect(crawled.ids("tags").length).toBeGreaterThan(0);
    expect(crawled.requests.filter((url) => url === "/tags").length).toBe(3);
    expect(crawled.manifest.complete).toBe(true);
  });
});
