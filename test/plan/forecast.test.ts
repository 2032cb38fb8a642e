import { describe, expect, it } from "vitest";
import { ConfigSchema } from "../../src/config.ts";
import {
  differentOf,
  forecastOf,
  type Sample,
  secondsWithin,
  sum,
} from "../../src/plan/forecast.ts";
import { requestsFor } from "../../src/plan/passes.ts";

const terms = { maxPasses: 3, unasked: false, hasSingles: false };
const nothing = { lists: 0, pages: 0, requests: 0 };

const sample: Sample = {
  indexes: new Map([["articles", { total: 45, perPage: 20, requests: 8 }]]),
  categories: [45],
  tags: [],
  attachments: { articles: nothing, galleries: nothing },
  again: 0,
  unlisted: 0,
  unlistedImages: 0,
  image: { bytes: 0, pixels: 0, oddNames: 0 },
  pictures: 10,
  years: 1,
};

function configOf(settings: object = {}) {
  const origin = { baseUrl: "https://media.example/api/v1" };
  return ConfigSchema.parse({ origin, ...settings });
}

describe("secondsWithin", () => {
  it.each([
    [0, 0],
    [1, 0],
    [60, 0],
    [61, 60],
    [120, 60],
    [121, 120],
  ])("%i requests at 60 a minute take %i s", (requests, seconds) => {
    expect(secondsWithin(requests, { requests: 60, perMs: 60_000 })).toBe(seconds);
  });
});

describe("differentOf", () => {
  it("takes all for different where a sample shows nothing twice", () => {
    expect(differentOf(8_000, { drawn: 80, different: 80 })).toBe(8_000);
    expect(differentOf(0, { drawn: 0, different: 0 })).toBe(0);
  });

  it("finds about how many there are by those that a sample shows twice", () => {
    const estimate = differentOf(8_000, { drawn: 80, different: 55 });
    expect(estimate).toBeGreaterThan(90);
    expect(estimate).toBeLessThan(110);
    expect(differentOf(50, { drawn: 40, different: 39 })).toBe(50);
  });
});

describe("requestsFor", () => {
  it("reads an index whose order stays twice, each time with its first page again", () => {
    expect(requestsFor({ total: 3_000, perPage: 20 }, 1, terms)).toBe(2 * 151);
    expect(requestsFor({ total: 20, perPage: 20 }, 1, terms)).toBe(2);
  });

  it("reads it more often where items of one time change places", () => {
    const size = { total: 5_000, perPage: 24 };
    const asked = requestsFor(size, 30, terms);
    const unasked = requestsFor(size, 30, { ...terms, unasked: true });
    const alone = requestsFor(size, 30, { ...terms, unasked: true, hasSingles: true });
    expect(asked).toBeGreaterThan(3 * 209);
    expect(alone).toBeGreaterThan(asked);
    expect(unasked).toBeGreaterThan(alone);
  });
});

describe("forecastOf", () => {
  it("counts each page of an index, the page behind it and each item", () => {
    const { requests } = forecastOf(sample, configOf(), { counts: {}, files: {}, share: 0.15 });
    // Three pages and the first one again, twice; one behind the end; categories and tags, twice.
    expect(requests.indexes).toBe(2 * 4 + 1 + 4);
    expect(requests["articles and galleries"]).toBe(45);
    expect(requests.files).toBe(0);
  });

  it("asks for new items and a share of those that the store has", () => {
    const { requests } = forecastOf(sample, configOf(), {
      counts: { articles: 40 },
      files: {},
      share: 0.1,
    });
    expect(requests.indexes).toBe(4 + 4);
    expect(requests["articles and galleries"]).toBe(5 + 4);
  });

  it.each<[string, Record<string, number>, number]>([
    ["a crawl alone", {}, 25 + 7],
    ["one that left others", { videos: 9 }, 25 + 7],
    ["some files", { images: 20, attached: 3 }, 5 + 4 + 0.1 * 23],
    ["all files", { images: 25, attached: 7 }, 0.1 * 32],
    ["more than there is now", { images: 90, attached: 90 }, 0.1 * 32],
  ])(
    "asks for the files that are missing, and a share of the others, after %s",
    (_, files, asked) => {
      const images = { total: 25, perPage: 20, requests: 3 };
      const some = { ...sample, unlisted: 7, indexes: new Map([["images", images]]) };
      const counts = { articles: 45, images: 25 };
      const { requests, images: renditions } = forecastOf(some, configOf(), {
        counts,
        files,
        share: 0.1,
      });
      expect(requests.files).toBeCloseTo(asked);
      expect(renditions).toBeCloseTo((25 - Math.min(files.images ?? 0, 25)) * (10 / 25));
    },
  );

  it("counts no file of what the configuration leaves out", () => {
    const images = { total: 10, perPage: 20, requests: 2 };
    const some = { ...sample, indexes: new Map([["images", images]]) };
    const held = { counts: {}, files: {}, share: 0 };
    const all = forecastOf(some, configOf({ media: { variants: [], formats: ["jpeg"] } }), held);
    // Three thumbnails, the web version and the full size as JPEG.
    expect(all.files.renditions).toBe(10 * 5);
    expect(all.files.originals).toBe(10);
    const none = forecastOf(some, configOf({ media: { originals: false } }), held);
    expect([none.files.renditions, none.requests.files, none.images]).toEqual([0, 0, 0]);
    expect(sum(Object.values(none.files))).toBeLessThan(sum(Object.values(all.files)));
  });
});
