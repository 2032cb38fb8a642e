import { describe, expect, it } from "vitest";
import { readShown } from "../../src/catalogue/shown.ts";
import { altering, send, startBench } from "./support.ts";

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

  it("does not take an article that was read again for an older one because its rating changed", async () => {
    const bench = await startBench({ singleRepeatsAll: false }, { refreshShare: 0 });
    await bench.crawl();
    for (const { id } of [...bench.content.articles]) {
      bench.content.articles.edit(id, { rating: { average: 1.5, count: 999 } });
    }
    const rated = await bench.crawl({ config: { refresh: "all" } });
    expect(singles(rated.requests)).not.toEqual([]);
    expect(rated.ids("unsettled")).toEqual([]);
    const quiet = await bench.crawl();
    expect([quiet.changed, singles(quiet.requests)]).toEqual([false, []]);
  });

  it("finds edits without a trace in the index in as many nights as the share makes groups", async () => {
    const bench = await startBench({}, { refreshShare: 0.5 });
    await bench.crawl();
    for (const { id } of [...bench.content.articles]) {
      bench.content.articles.edit(id, { body: "<p>Edited in silence.</p>" });
    }
    await bench.crawl();
    const { look } = await bench.crawl();
    const bodies = look((reader, store) =>
      [...reader.refs("articles.single")].map(({ digest }) => store.objects.readRaw(digest)),
    );
    expect(bodies.filter((body) => !body.includes("Edited in silence."))).toEqual([]);
  });

  it("reads again what fits into the budget, the oldest first, until everything had its turn", async () => {
    const recheck = { share: 1, maxRequests: 20, maxSeconds: 1_000 };
    const bench = await startBench({}, { recheck });
    const count = bench.content.articles.length + bench.content.galleries.length;
    expect((await bench.crawl()).read).toEqual({ asked: count, of: count });
    const times = new Map<string, number>();
    while (times.size < count) {
      const { requests, read } = await bench.crawl();
      const asked = singles(requests);
      expect(read?.asked).toBe(asked.length);
      // About a budget: how many ids lie in one turn is chance.
      expect(requests.filter((url) => /[\w-]{36}/.test(url)).length).toBeLessThan(40);
      for (const url of asked) times.set(url, (times.get(url) ?? 0) + 1);
    }
    // Only the last turn can reach into the next time around.
    expect(Math.max(...times.values())).toBeLessThanOrEqual(2);
    expect([...times.values()].filter((one) => one === 2).length).toBeLessThan(count / 2);
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

  it("is read again where it repeats the record of a file that was edited", async () => {
    const bench = await startBench({}, { refreshShare: 0 });
    await bench.crawl();
    const owner = [...bench.content.galleries].find(({ images }) => images.length > 2);
    const [image] = owner?.images ?? [];
    if (owner === undefined || image === undefined) throw new Error("no gallery with images");
    bench.content.images.edit(image, { title: "Another title" });
    const edited = await bench.crawl();
    expect(edited.requests).toContain(`/galleries/${owner.id}/images`);
    expect(singles(edited.requests)).toEqual([]);
    const titles = edited.look((reader, store) =>
      reader
        .attachments("galleries", owner.id, "images")
        ?.items.map(({ digest }) => JSON.parse(store.objects.readRaw(digest)).title),
    );
    expect(titles).toContain("Another title");
    const quiet = await bench.crawl();
    expect(quiet.requests).not.toContain(`/galleries/${owner.id}/images`);
  });

  it("is read again where it says that an image is private that is public again", async () => {
    const bench = await startBench(
      { privateInAttachments: true, privateMarker: "is_private" },
      { refreshShare: 0 },
    );
    const owner = [...bench.content.galleries].find(({ images }) => images.length > 2);
    const image = owner?.images.find((id) => bench.content.images.get(id)?.private === false);
    if (owner === undefined || image === undefined) throw new Error("no gallery with images");
    const isShown = (night: Awaited<ReturnType<typeof bench.crawl>>) =>
      night.look((reader) => readShown(reader, bench.config).shows("images", image));
    bench.content.images.edit(image, { private: true });
    expect(isShown(await bench.crawl())).toBe(false);
    bench.content.images.edit(image, { private: false });
    expect(isShown(await bench.crawl())).toBe(true);
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
