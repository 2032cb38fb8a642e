import { describe, expect, it } from "vitest";
import { createLinkBook } from "../../src/api/links.ts";
import type { Image } from "../../src/demo/model.ts";
import type { OriginOptions } from "../../src/demo/options.ts";
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

/** Items that are worked on at a time with the settings of these tests, at most. */
const underway = 12;

describe("links of 200 items, on 10 pages, cost", () => {
  it("10 requests where there are none yet", async () => {
    await start({ audio: recordings(200) });
    const config = configOf();
    expect((await media(config, await crawl(config))).problems).toEqual([]);
    expect(listings()).toHaveLength(10);
    expect(downloads()).toHaveLength(200);
  });

  it("10 requests where all of them expired, and few more of what they are refused for", async () => {
    let clock = Date.now();
    await start({ audio: recordings(200) }, { now: () => new Date(clock), linkSeconds: 600 });
    const config = configOf();
    const links = createLinkBook();
    const manifest = await crawl(config, links);
    clock += 601_000;
    expect((await media(config, manifest, { links })).problems).toEqual([]);
    expect(listings()).toHaveLength(10);
    expect(withStatus(403)).toBeLessThanOrEqual(underway);
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

  it("few requests where they die before anything can be asked with them, which the problems say", async () => {
    let clock = Date.now();
    const intercept: OriginOptions["intercept"] = (_, response) => {
      clock += 70_000;
      response.setHeader("Date", new Date(clock).toUTCString());
      return false;
    };
    const now = () => new Date(clock);
    await start({ audio: recordings(200) }, { now, linkSeconds: 30, intercept });
    const config = configOf({ crawl: { concurrency: 1 } });
    const { problems } = await media(config, await crawl(config));
    expect(problems).toHaveLength(200);
    expect(new Set(problems.map(({ reason }) => reason))).toEqual(
      new Set([
        "its links expire before a request gets its turn: their lifetime is too short for the request rate",
      ]),
    );
    expect(stage.origin.requests.length).toBeLessThanOrEqual(60);
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

  it("no request each of a path of single images that is not there", async () => {
    const { content } = await start({ images: await images(200) });
    const config = configOf({ origin: { paths: { image: "/no-such-path/{id}" } } });
    const manifest = await crawl(config);
    for (let n = 50; n < 150; n++) content.images.edit(id(1000 + n), { private: true });
    expect((await media(config, manifest)).problems).toHaveLength(100);
    expect(withStatus(404)).toBeLessThanOrEqual(underway + 1);
  });

  it("one request each where the index hides them, and their own path does not", async () => {
    const { content } = await start({ images: await images(200) });
    const config = configOf();
    const manifest = await crawl(config);
    for (let n = 50; n < 150; n++) content.images.edit(id(1000 + n), { private: true });
    expect((await media(config, manifest)).problems).toEqual([]);
    expect(listings().filter((url) => url.includes("/images/"))).toHaveLength(100);
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
      // 9 pages, and again what was looked for by those that were underway when the search had ended.
      expect(searched.length).toBeLessThanOrEqual(single ? 0 : 27);
    },
  );
});
