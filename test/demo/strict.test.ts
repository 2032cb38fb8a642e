import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { defaultOptions, type OriginOptions, personalities } from "../../src/demo/options.ts";
import { type Origin, startOrigin } from "../../src/demo/origin.ts";
import { generateContent, generated } from "../support/content.ts";
import { ask, type Item } from "./support.ts";

/** Options that are no habit: keys, and help for tests. */
const noHabit = ["tokens", "secret", "linkSeconds", "latencyMs", "now", "intercept"];

describe("the strict personality", () => {
  let strict: Origin;
  beforeAll(async () => {
    const content = await generateContent({
      ...generated.strict,
      articles: 60,
      galleries: 3,
      images: 20,
      seed: 5,
    });
    strict = await startOrigin({ ...personalities.strict, content });
  });
  afterAll(() => strict.close());

  it("shares no habit that plain and odd share", () => {
    const habits = Object.keys(defaultOptions).filter((key) => !noHabit.includes(key));
    const of = (key: string, options: Partial<OriginOptions>): string =>
      JSON.stringify({ ...defaultOptions, ...options }[key as keyof OriginOptions]);
    const shared = habits.filter((key) => {
      const { plain, odd } = personalities;
      return of(key, plain) === of(key, odd) && of(key, odd) === of(key, personalities.strict);
    });
    expect(shared).toEqual([]);
  });

  it("has ids that are no UUIDs in lower case, and pairs that differ in case alone", async () => {
    const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
    for (const path of ["/articles", "/galleries", "/images", "/papers", "/categories"]) {
      const ids = (await ask(strict, path)).json.data.map(({ id }) => id);
      expect(ids.length).toBeGreaterThan(2);
      expect(ids.filter((id) => uuid.test(id))).toEqual([]);
    }
    const images = (await ask(strict, "/images")).json.data.map(({ id }) => id.toLowerCase());
    expect(new Set(images).size).toBeLessThan(images.length);
  });

  it("moves items between the pages of an index whose articles share a time", async () => {
    const ids = async (page: number): Promise<string[]> =>
      (await ask(strict, `/articles?page=${page}`)).json.data.map(({ id }) => id);
    const walks: string[][] = [];
    for (const page of [1, 2, 3, 1, 2, 3, 1, 2, 3]) walks.push(await ids(page));
    expect(walks.slice(0, 3).flat()).toHaveLength(60);
    expect(new Set(walks.slice(0, 3).flat()).size).toBeLessThan(60);
    expect(new Set(walks.map((page) => page.join())).size).toBeGreaterThan(3);
  });

  it("has articles without a category, and agrees with the counts of categories", async () => {
    const all = (await Promise.all([1, 2, 3].map((page) => ask(strict, `/articles?page=${page}`))))
      .flatMap(({ json }) => json.data)
      .filter(({ category }) => category === null);
    expect(all.length).toBeGreaterThan(0);
    const categories = (await ask(strict, "/categories")).json.data as Item[];
    const counted = categories.reduce((sum, { articles_count: count }) => sum + count, 0);
    const without = [...strict.content.articles].filter(({ categoryId }) => categoryId === "");
    expect(counted).toBe(60 - without.length);
  });
});
