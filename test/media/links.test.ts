import { describe, expect, it } from "vitest";
import { createLinkBook } from "../../src/api/links.ts";
import type { Image } from "../../src/demo/model.ts";
import { fileOf, id, imageOf, picture, useStage, wav } from "./fixture.ts";

const stage = useStage();
const { start, configOf, crawl, media, downloads, listings } = stage;

const recordings = (count: number, first = 1000) =>
  Array.from({ length: count }, (_, n) => fileOf(first + n, "audio/wav", wav()));

/** Equal pictures, so that they are encoded once. */
async function images(count: number, more: (n: number) => Partial<Image> = () => ({})) {
  const bytes = await picture(1, 8, 8);
  return await Promise.all(
    Array.from({ length: count }, (_, n) => imageOf(1000 + n, bytes, more(n))),
  );
}

const withStatus = (wanted: number): number =>
  stage.origin.requests.filter(({ status }) => status === wanted).length;

/** Crawls images, a quarter of them private; page 3 of these answers 404 for so many times afterwards. */
async function crawlWithoutPage3(count: number, times: number) {
  let denied = 0;
  const { content } = await start(
    { images: await images(count, (n) => ({ private: n % 4 === 0 })) },
    {
      intercept({ url = "" }, response) {
        if (denied === 0 || !/private=1.*page=3|page=3.*private=1/.test(url)) return false;
        denied--;
        response.writeHead(404).end();
        return true;
      },
    },
  );
  const config = configOf({
    crawl: { privateImages: "include", concurrency: 1 },
    origin: { paths: { image: null } },
  });
  const manifest = await crawl(config);
  denied = times;
  return { content, config, manifest };
}

describe("links of 200 items, on 10 pages, cost", () => {
  it("10 requests where there are none yet", async () => {
    await start({ audio: recordings(200) });
    const config = configOf();
    expect((await media(config, await crawl(config))).problems).toEqual([]);
    expect(listings()).toHaveLength(10);
    expect(downloads()).toHaveLength(200);
  });

  it("a page each and a few refusals where the origin refuses all that the crawl saw", async () => {
    const refused = new Set<string>();
    let refusals = 0;
    let clock = Date.now();
    await start(
      { audio: recordings(200) },
      {
        now: () => new Date(clock),
        intercept({ url = "" }, response) {
          if (!refused.has(url)) return false;
          refusals++;
          response.writeHead(403).end();
          return true;
        },
      },
    );
    const config = configOf({ crawl: { concurrency: 1 } });
    const links = createLinkBook(() => clock);
    const manifest = await crawl(config, links);
    // Links that are made from now on have other signatures.
    clock += 60_000;
    for (let n = 0; n < 200; n++) {
      const link = new URL(links.take("audio", id(1000 + n)) as string);
      refused.add(link.pathname + link.search);
    }
    expect((await media(config, manifest, { links })).problems).toEqual([]);
    // Those underway together are refused together.
    expect(refusals).toBeGreaterThan(0);
    expect(refusals).toBeLessThanOrEqual(10 * 5);
    expect(listings().length).toBeLessThanOrEqual(2 * 10);
  });

  it("two requests each where they die before they can be used, and the problems say so", async () => {
    await start(
      { audio: recordings(10) },
      {
        intercept({ url = "" }, response) {
          if (!url.includes("/download")) return false;
          response.writeHead(403).end();
          return true;
        },
      },
    );
    const config = configOf();
    const manifest = await crawl(config);
    const { problems } = await media(config, manifest);
    expect(problems).toHaveLength(10);
    for (const { reason } of problems) expect(reason).toContain("403");
    expect(downloads()).toHaveLength(2 * 10);
    expect(listings().length).toBeLessThanOrEqual(2 * 10);
  });

  it("10 requests where they are too old to be tried", async () => {
    let clock = Date.now();
    await start({ audio: recordings(200) }, { now: () => new Date(clock) });
    const config = configOf();
    const links = createLinkBook(() => clock);
    const manifest = await crawl(config, links);
    clock += 13 * 3_600_000;
    expect((await media(config, manifest, { links })).problems).toEqual([]);
    expect(listings()).toHaveLength(10);
    expect(withStatus(403)).toBe(0);
  });

  it("12 requests where the list has moved by 30", async () => {
    const { content } = await start({ audio: recordings(200) });
    const config = configOf();
    const manifest = await crawl(config);
    for (const file of recordings(30, 5000)) content.audio.add(file);
    expect((await media(config, manifest)).problems).toEqual([]);
    // All of the 12 pages; the first one tells nothing but that the list has moved.
    expect(listings()).toHaveLength(12);
  });

  it("one request each where the index hides them, and their own path does not", async () => {
    const { content } = await start({ images: await images(200) });
    const config = configOf();
    const manifest = await crawl(config);
    for (let n = 50; n < 150; n++) content.images.edit(id(1000 + n), { private: true });
    expect((await media(config, manifest)).problems).toEqual([]);
    expect(listings().filter((url) => url.includes("/images/"))).toHaveLength(100);
  });

  it("a few requests where the index of private ones claims any number of pages", async () => {
    let isCrawled = false;
    await start(
      { images: await images(40, (n) => ({ private: n % 4 === 0 })) },
      {
        intercept({ url = "" }, response) {
          if (!isCrawled || !url.includes("private=1")) return false;
          const meta = { current_page: 1, last_page: 1e9, per_page: 20, total: 2e10 };
          response.writeHead(200, { "content-type": "application/json" });
          response.end(JSON.stringify({ data: [], links: {}, meta }));
          return true;
        },
      },
    );
    const config = configOf({
      crawl: { privateImages: "include" },
      origin: { paths: { image: null } },
    });
    const manifest = await crawl(config);
    isCrawled = true;
    expect((await media(config, manifest)).problems).toHaveLength(10);
    expect(listings().length).toBeLessThanOrEqual(60);
  });

  it("no item where a page of the index of private ones is missing for a moment", async () => {
    const { config, manifest } = await crawlWithoutPage3(200, 1);
    expect((await media(config, manifest)).problems).toEqual([]);
  });

  it("two readings of an index of private ones that always lacks a page, for those that are gone", async () => {
    const { content, config, manifest } = await crawlWithoutPage3(400, Infinity);
    const gone = Array.from({ length: 20 }, (_, n) => id(1000 + 8 * n));
    for (const one of gone) content.images.remove(one);
    await media(config, manifest);
    const searched = listings().filter((url) => url.includes("private=1"));
    expect(searched.length).toBeLessThanOrEqual(2 * 20 + 18 * 5 + 20);
  });

  it.each([true, false])(
    "one search of the index for private ones that are gone (%s)",
    async (single) => {
      const { content } = await start({
        images: await images(200, (n) => ({ private: n % 4 === 0 })),
      });
      const paths = single ? {} : { paths: { image: "/no-such-path/{id}" } };
      const config = configOf({ crawl: { privateImages: "include" }, origin: paths });
      const manifest = await crawl(config);
      const gone = Array.from({ length: 20 }, (_, n) => id(1000 + 8 * n));
      for (const one of gone) content.images.remove(one);
      expect((await media(config, manifest)).problems).toHaveLength(20);
      const searched = listings().filter((url) => url.includes("private=1"));
      // A search reads 9 pages; some images that are underway when it ends search again, but not each of the 20.
      expect(searched.length).toBeLessThanOrEqual(single ? 0 : (20 * 9) / 2);
    },
  );
});
