import { afterEach, describe, expect, it } from "vitest";
import { filterCombinations } from "../../src/config/filters.ts";
import type { OutputFile } from "../../src/lib/output.ts";
import { type FilterIndex, positionsOf } from "../../src/routes/description.ts";
import {
  article,
  base,
  type Fixture,
  ids,
  type Json,
  jsonOf,
  makeFixture,
  uuid,
} from "./fixture.ts";

const root = "api/v1";
let fixture: Fixture | undefined;
afterEach(() => {
  fixture?.close();
  fixture = undefined;
});

interface Wanted {
  at?: string | null;
  category?: { id: string | null; title: string } | null;
  tags?: string[];
}

/** A mirror of articles like these, in this order. */
function start(articles: Wanted[], sections: Record<string, unknown> = {}): Fixture {
  fixture = makeFixture(sections);
  const objects = articles.map(({ at, category = null, tags = [] }, n) => ({
    ...article(uuid("a", n + 1), n),
    published_at: at === undefined ? "2024-05-02T10:00:00Z" : at,
    category,
    tags,
  }));
  fixture.write("articles", objects);
  fixture.write("articles.single", objects);
  return fixture;
}

const allFilters = { mirror: { filters: [...filterCombinations] } };

/** Places in the index of the articles that a list has, on all its pages; undefined where there is none. */
function listed(files: Map<string, OutputFile>, folder: string): number[] | undefined {
  const path = (page: number): string =>
    `${root}/articles/${folder}/${page === 1 ? "index" : `page/${page}`}.json`;
  if (!files.has(path(1))) return undefined;
  const found: number[] = [];
  for (let page = 1; files.has(path(page)); page++) {
    for (const { id } of jsonOf(files, path(page)).data) found.push(Number(id.slice(-12)) - 1);
  }
  return found;
}

const indexOf = (files: Map<string, OutputFile>): FilterIndex =>
  jsonOf(files, `${root}/articles/by/index.json`);

/** A category as the origin lists it. */
function category(n: number, slug: string, title: string): { id: string } & Json {
  return { id: uuid("d", n), title, slug, order: n, articles_count: 0 };
}

describe("filtered lists of the mirror", () => {
  it("are cut where the months of the origin's time zone begin", () => {
    const articles = [
      { at: "2024-01-01T00:30:00Z" },
      { at: "2023-12-31T23:30:00Z" },
      { at: "2023-12-31T10:30:00Z" },
    ];
    const inUtc = start(articles).files();
    expect(listed(inUtc, "by/year/2024")).toEqual([0]);
    expect(listed(inUtc, "by/year/2023/month/12")).toEqual([1, 2]);
    fixture?.close();
    const origin = { baseUrl: base, timezone: "Pacific/Auckland" };
    const inAuckland = start(articles, { origin }).files();
    expect(listed(inAuckland, "by/year/2024")).toEqual([0, 1]);
    expect(listed(inAuckland, "by/year/2024/month/1")).toEqual([0, 1]);
    expect(listed(inAuckland, "by/year/2023/month/12")).toEqual([2]);
  });

  it("are there for each month between the first and the last, also without articles", () => {
    const files = start([{ at: "2024-03-01T12:00:00Z" }, { at: "2022-11-01T12:00:00Z" }]).files();
    expect(listed(files, "by/year/2023")).toEqual([]);
    expect(listed(files, "by/year/2023/month/6")).toEqual([]);
    expect(listed(files, "by/year/2024/month/12")).toEqual([]);
    expect(listed(files, "by/year/2021")).toBeUndefined();
    expect(listed(files, "by/year/2024/month/13")).toBeUndefined();
  });

  it("leave gaps of centuries out", () => {
    const files = start([{ at: "2024-03-01T12:00:00Z" }, { at: "0024-11-01T12:00:00Z" }]).files();
    expect(listed(files, "by/year/2024")).toEqual([0]);
    expect(listed(files, "by/year/24/month/11")).toEqual([1]);
    expect(listed(files, "by/year/1000")).toBeUndefined();
    expect(files.size).toBeLessThan(100);
  });

  it("have articles without date, category or tags in no list of those", () => {
    const files = start(
      [{ at: null, tags: ["zoo"] }, {}, { at: null, category: { id: null, title: "Nothing" } }],
      allFilters,
    ).files();
    expect(listed(files, "by/year/2024")).toEqual([1]);
    expect(listed(files, "by/tags/zoo")).toEqual([0]);
    expect(listed(files, "by/year/0")).toBeUndefined();
    expect(listed(files, "by/category/news")).toEqual([]);
    expect(listed(files, "by/year/2024/tags/zoo")).toBeUndefined();
    expect(indexOf(files).items).toEqual([
      [0, -1, 0],
      [202405, -1],
      [0, -1],
    ]);
  });

  it("are there by the id and by the slug of a category, which an article may name by title alone", () => {
    const files = start([
      { category: { id: ids.category, title: "News" } },
      { category: { id: null, title: "News" } },
      { category: { id: uuid("d", 7), title: "Not listed by the origin" } },
    ]).files();
    expect(listed(files, "by/category/news")).toEqual([0, 1]);
    expect(listed(files, `by/category/${ids.category}`)).toEqual([0, 1]);
    expect(listed(files, `by/category/${uuid("d", 7)}`)).toEqual([2]);
    const { url } = files.get(`${root}/articles/by/category/news/index.json`) ?? {};
    expect(url).toBe("/api/v1/articles?category=news");
  });

  it("go by the id where the slug of one category is the id of another", () => {
    const made = start([
      { category: { id: uuid("d", 1), title: "One" } },
      { category: { id: uuid("d", 2), title: "Two" } },
      { category: { id: uuid("d", 2), title: "Two" } },
    ]);
    const [one, two] = [category(1, uuid("d", 2), "One"), category(2, "two", "Two")];
    made.write("categories", [one, two]);
    const files = made.files();
    expect(listed(files, `by/category/${one.id}`)).toEqual([0]);
    expect(listed(files, `by/category/${two.id}`)).toEqual([1, 2]);
    expect(listed(files, "by/category/two")).toEqual([1, 2]);
    expect(Object.keys(indexOf(files).categories)).toHaveLength(3);
  });

  it("give a slug that two categories have to the first of them", () => {
    const made = start([
      { category: { id: uuid("d", 1), title: "One" } },
      { category: { id: uuid("d", 2), title: "Two" } },
    ]);
    made.write("categories", [category(1, "same", "One"), category(2, "same", "Two")]);
    expect(listed(made.files(), "by/category/same")).toEqual([0]);
  });

  it.each([
    ["any", [0, 1, 2], [0, 1, 2, 3]],
    ["all", [2], undefined],
  ] as const)("have both orders of two tags, which mean %s of them", (tagMatch, ab, cd) => {
    const files = start(
      [{ tags: ["a", "c"] }, { tags: ["b", "d"] }, { tags: ["b", "a", "a", "c"] }, { tags: ["d"] }],
      { ...allFilters, origin: { baseUrl: base, tagMatch } },
    ).files();
    expect(listed(files, "by/tags/a/tags/b")).toEqual(ab);
    expect(listed(files, "by/tags/b/tags/a")).toEqual(ab);
    expect(listed(files, "by/tags/c/tags/d")).toEqual(cd);
    expect(listed(files, "by/tags/a/tags/a")).toBeUndefined();
    const { url } = files.get(`${root}/articles/by/tags/b/tags/a/index.json`) ?? {};
    expect(url).toBe("/api/v1/articles?tags=b,a");
    expect(jsonOf(files, `${root}/mirror.json`).tagMatch).toBe(tagMatch);
  });

  it("have names that no file system and no server mistakes", () => {
    const tags = [
      "__proto__",
      "constructor",
      "10",
      "2",
      "É",
      "e\u0301",
      "A",
      "a",
      "%",
      "a+b",
      "a&b",
      "by",
      "page",
    ];
    const files = start([{ tags }, { tags: tags.slice(3) }], allFilters).files();
    const index = indexOf(files);
    for (const [at, tag] of tags.entries()) {
      const expected = at < 3 ? [0] : [0, 1];
      expect(positionsOf(index, { tags: [tag] }, "any"), tag).toEqual(expected);
      const found = [...files].find(
        ([path, { url }]) =>
          url === `/api/v1/articles?tags=${encodeURIComponent(tag)}` &&
          path.endsWith("/index.json"),
      );
      expect(found && jsonOf(files, found[0]).meta.total, tag).toBe(expected.length);
    }
    const paths = [...files.keys()].map((path) => path.toLowerCase());
    expect(new Set(paths).size).toBe(paths.length);
  });

  it("have no list of a tag that a query cannot ask for", () => {
    const tags = ["a,b", "", ",", "half \ud800", "a", "c"];
    const files = start([{ tags }, { tags: ["a"] }], allFilters).files();
    expect(listed(files, "by/tags/a")).toEqual([0, 1]);
    // The numbers of the others are not in the way.
    expect(listed(files, "by/tags/a/tags/c")).toEqual([0, 1]);
    expect(listed(files, "by/tags/c")).toEqual([0]);
    for (const [path, { url }] of files) {
      if (!path.includes("/by/tags/") || url === undefined) continue;
      const asked = new URL(url, base).searchParams.get("tags")?.split(",") ?? [];
      expect(path.match(/\/tags\//g), path).toHaveLength(asked.length);
    }
    const urls = [...files.values()].flatMap(({ url }) => url ?? []);
    expect(new Set(urls).size).toBe(urls.length);
  });

  it("are those of the configured combinations alone", () => {
    const articles = [{ tags: ["a", "b"], category: { id: ids.category, title: "News" } }];
    const files = start(articles, { mirror: { filters: ["year+tag", "category"] } }).files();
    const folders = [...files.keys()].flatMap(
      (path) => /^api\/v1\/articles\/by\/(.+)\/index\.json$/.exec(path)?.[1] ?? [],
    );
    expect(folders.sort()).toEqual([
      `category/${ids.category}`,
      "category/news",
      "year/2024/tags/a",
      "year/2024/tags/b",
    ]);
    fixture?.close();
    const none = start(articles, { mirror: { filters: [] } }).files();
    expect([...none.keys()].filter((path) => /\/by\/(?:year|category|tags)\//.test(path))).toEqual(
      [],
    );
    expect(none.has(`${root}/articles/by/none.json`)).toBe(true);
    expect(none.has(`${root}/articles/by/index.json`)).toBe(true);
  });

  it("page and link as the origin does for the same parameters", () => {
    const files = start(Array.from({ length: 5 }, () => ({ tags: ["a b"] }))).files();
    const second = jsonOf(files, `${root}/articles/by/tags/a_20b/page/2.json`);
    expect(second.meta).toMatchObject({ current_page: 2, from: 3, to: 4, last_page: 3, total: 5 });
    expect(second.links).toEqual({
      first: "../index.json",
      last: "./3.json",
      prev: "../index.json",
      next: "./3.json",
    });
    expect(second.meta.path).toBe("../../../../index.json");
    const first = jsonOf(files, `${root}/articles/by/tags/a_20b/index.json`);
    expect(first.links).toMatchObject({ prev: null, next: "./page/2.json" });
    const none = jsonOf(files, `${root}/articles/by/none.json`);
    expect(none).toMatchObject({
      data: [],
      meta: { total: 0, last_page: 1, from: null, to: null },
    });
  });

  it("have the form of the API's URLs with links api", () => {
    const files = start(
      Array.from({ length: 5 }, () => ({ tags: ["a"] })),
      { mirror: { links: "api" } },
    ).files();
    const path = `${root}/articles/by/year/2024/month/5/page/2.json`;
    expect(files.get(path)?.url).toBe("/api/v1/articles?year=2024&month=5&page=2");
    expect(jsonOf(files, path).links).toEqual({
      first: "/api/v1/articles?year=2024&month=5&page=1",
      last: "/api/v1/articles?year=2024&month=5&page=3",
      prev: "/api/v1/articles?year=2024&month=5&page=1",
      next: "/api/v1/articles?year=2024&month=5&page=3",
    });
    expect(jsonOf(files, path).meta.path).toBe("/api/v1/articles");
  });

  it("keep their keys until one of their own articles changes", () => {
    const articles: Wanted[] = [{ tags: ["a"] }, { tags: ["b"] }, { at: "2023-01-05T00:00:00Z" }];
    const made = start(articles);
    const keys = (): Map<string, string> =>
      new Map(
        [...made.files()].map(([path, file]) => [path, "key" in file ? file.key() : file.blob]),
      );
    const before = keys();
    expect(keys()).toEqual(before);
    const changed = articles.map((_, n) => ({
      ...article(uuid("a", n + 1), n),
      category: null,
      published_at: n === 2 ? "2023-01-05T00:00:00Z" : "2024-05-02T10:00:00Z",
      tags: [["a"], ["b"], []][n],
      ...(n === 0 ? { title: "Another title" } : {}),
    }));
    made.write("articles", changed);
    const after = keys();
    const differ = [...after].flatMap(([path, key]) => (before.get(path) === key ? [] : [path]));
    expect(differ.sort()).toEqual([
      `${root}/articles/by/tags/a/index.json`,
      `${root}/articles/by/year/2024/index.json`,
      `${root}/articles/by/year/2024/month/5/index.json`,
      `${root}/articles/index.json`,
      `${root}/schemas/article-in-index.json`,
    ]);
  });
});

describe("lists of what has no attachments of a kind", () => {
  const without = { ...article(uuid("a", 9), 9), attachments: { images: 0, videos: 0, audio: 1 } };
  const path = (kind: string): string => `${root}/articles/${without.id}/${kind}/index.json`;

  it("are empty where the origin counts none, and away where it counts some or does not count", () => {
    fixture = makeFixture();
    fixture.write("articles", [without]);
    const files = fixture.files();
    for (const kind of ["images", "videos"]) {
      const list = jsonOf(files, path(kind));
      expect(list).toMatchObject({ data: [], meta: { total: 0, current_page: 1, last_page: 1 } });
      expect(list.meta.path).toBe("./index.json");
      expect(list.links).toMatchObject({ first: "./index.json", next: null, prev: null });
      expect(files.get(path(kind))?.url).toBe(`/api/v1/articles/${without.id}/${kind}`);
    }
    expect(files.has(path("audio"))).toBe(false);
    expect(files.has(path("documents"))).toBe(false);
  });

  it("are not written with emptyLists false, or where the origin has no such endpoint", () => {
    fixture = makeFixture({ mirror: { emptyLists: false } });
    fixture.write("articles", [without]);
    expect(fixture.files().has(path("images"))).toBe(false);
    fixture.close();
    fixture = makeFixture({ origin: { baseUrl: base, paths: { articleVideos: null } } });
    fixture.write("articles", [without]);
    expect(fixture.files().has(path("videos"))).toBe(false);
    expect(fixture.files().has(path("images"))).toBe(true);
  });
});
