import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { altering, type Bench, isProbe, send, startBench } from "./support.ts";

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

  /** Statuses of what asked for single articles, galleries and their lists. */
  const ofItems = (bench: Bench): number[] =>
    bench.origin.requests
      .filter(({ url }) => /[\w-]{36}/.test(url) && !isProbe(url))
      .map(({ status }) => status);

  it("asks whether items changed, where the origin gives validators, and sees each change", async () => {
    const bench = await startBench({ etags: true }, { refreshShare: 1 });
    const first = await bench.crawl();
    expect(new Set(ofItems(bench))).toEqual(new Set([200]));
    // In every second round everything is asked for without condition.
    expect((await bench.crawl()).changed).toBe(false);
    const statuses = new Set(ofItems(bench));
    expect((await bench.crawl()).changed).toBe(false);
    expect(new Set([...statuses, ...ofItems(bench)])).toEqual(new Set([200, 304]));
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
  });

  /** Validators that stay as they are, whatever happens to what they stand for. */
  function withDeafValidators(bench: Bench): void {
    bench.intercept = (request, response) => {
      response.setHeader("Last-Modified", "Fri, 01 May 2026 12:00:00 GMT");
      if (request.headers["if-modified-since"] === undefined) return false;
      response.writeHead(304).end();
      return true;
    };
  }

  it("is not held back by validators that do not move with the lists", async () => {
    const bench = await startBench();
    withDeafValidators(bench);
    await bench.crawl();
    const [removed] = bench.content.articles;
    if (removed === undefined) throw new Error("no article");
    bench.content.articles.remove(removed.id);
    const id = removed.id.replace(/....$/, "0a0a");
    bench.content.articles.add({ ...removed, id, slug: id, publishedAt: 0 });
    const { manifest, ids } = await bench.crawl();
    expect(manifest.complete).toBe(true);
    expect(ids("articles")).toEqual([...bench.content.articles].map((article) => article.id));
  });

  it("takes a changed index for a reason to ask without condition", async () => {
    const bench = await startBench({}, { refreshShare: 0 });
    withDeafValidators(bench);
    await bench.crawl();
    const [article] = bench.content.articles;
    if (article === undefined) throw new Error("no article");
    bench.content.articles.edit(article.id, { title: "Another title" });
    const { look } = await bench.crawl();
    const single = look((reader) => reader.find("articles.single", "articles.single", article.id));
    expect(single?.normal.title).toBe("Another title");
  });

  it("finds what changed without a trace, and without a change of validators, in twice as many nights", async () => {
    const bench = await startBench({}, { refreshShare: 0.5 });
    withDeafValidators(bench);
    await bench.crawl();
    for (const { id } of [...bench.content.articles]) {
      bench.content.articles.edit(id, { body: "<p>Edited in silence.</p>" });
    }
    for (let night = 0; night < 4; night++) await bench.crawl();
    const { look } = await bench.crawl();
    const bodies = look((reader, store) =>
      [...reader.refs("articles.single")].map(({ digest }) => store.objects.readRaw(digest)),
    );
    expect(bodies.filter((body) => !body.includes("Edited in silence."))).toEqual([]);
  });

  it("begins anew with what it remembers where that is damaged", async () => {
    const bench = await startBench({ etags: true }, { refreshShare: 1 });
    await bench.crawl();
    const folder = join(bench.folder, "answers", "answers");
    for (const name of readdirSync(folder)) {
      const path = join(folder, name);
      const content = readFileSync(path);
      for (let at = 40; at < content.length; at += 97) content[at] = 255 - (content[at] as number);
      writeFileSync(path, content);
    }
    for (let night = 0; night < 2; night++) {
      expect((await bench.crawl()).manifest.complete).toBe(true);
    }
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
    const night = { config: { refreshShare: 1 } };
    for (let n = 0; n < 3; n++) await bench.crawl(night);
    expect(conditional.length).toBeGreaterThan(20);
    conditional.length = 0;
    for (let n = 0; n < 4; n++) await bench.crawl(night);
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
