import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Content } from "../../src/demo/model.ts";
import type { StartOptions } from "../../src/demo/origin.ts";
import { generateContent } from "../support/content.ts";
import { type Origin, startOrigin } from "../support/origin.ts";
import { ask, askOne, bytesOf, smallContent, walk } from "./support.ts";

let content: Content;
let origin: Origin;
const running: Origin[] = [];

/** An origin that is closed after the last test. */
async function start(options: Partial<StartOptions> = {}): Promise<Origin> {
  const started = await startOrigin({ content, ...options });
  running.push(started);
  return started;
}

beforeAll(async () => {
  content = await generateContent({ articles: 120, galleries: 15, images: 40, seed: 5 });
  origin = await start();
});
afterAll(() => Promise.all(running.map((one) => one.close())));

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

describe("access", () => {
  it("answers 401 in JSON without a token, or with a wrong one", async () => {
    for (const token of [null, "wrong"]) {
      const { status, json } = await ask(origin, "/articles", token);
      expect([status, json]).toEqual([401, { message: "Unauthenticated." }]);
    }
  });

  it("answers 404 for what does not exist and 405 for anything but GET", async () => {
    for (const path of ["/articles/none", "/articles/none/images", "/nothing", "/images/none"]) {
      expect((await ask(origin, path)).status).toBe(404);
    }
    expect((await fetch(`${origin.baseUrl}/articles`, { method: "POST" })).status).toBe(405);
  });

  it("logs requests, with whether they carried a token", async () => {
    origin.requests.length = 0;
    await ask(origin, "/tags?x=1");
    await ask(origin, "/tags", null);
    expect(origin.requests).toMatchObject([
      { method: "GET", url: "/api/v1/tags?x=1", status: 200, authorization: true },
      { method: "GET", url: "/api/v1/tags", status: 401, authorization: false },
    ]);
  });
});

describe("indexes", () => {
  it("wraps a page in the whole envelope", async () => {
    const { json } = await ask(origin, "/articles?page=2");
    const url = (page: number) => `${origin.baseUrl}/articles?page=${page}`;
    expect(json.data).toHaveLength(20);
    expect(json.links).toEqual({ first: url(1), last: url(6), prev: url(1), next: url(3) });
    const { links, ...meta } = json.meta;
    expect(meta).toEqual({
      current_page: 2,
      from: 21,
      last_page: 6,
      path: `${origin.baseUrl}/articles`,
      per_page: 20,
      to: 40,
      total: 120,
    });
    expect(links.map(({ label }) => label)).toEqual([
      "« Previous",
      "1",
      "2",
      "3",
      "4",
      "5",
      "6",
      "Next »",
    ]);
    expect(links[2]).toEqual({ url: url(2), label: "2", active: true });
  });

  it("has no page before the first and none after the last", async () => {
    expect((await ask(origin, "/articles")).json.links.prev).toBeNull();
    expect((await ask(origin, "/articles?page=6")).json.links.next).toBeNull();
    const beyond = (await ask(origin, "/articles?page=9")).json;
    expect([beyond.data, beyond.meta.from, beyond.meta.total]).toEqual([[], null, 120]);
  });

  it("shortens the pager when there are many pages", async () => {
    const many = await start({ pageSize: 4 });
    const labels = async (page: number) =>
      (await ask(many, `/articles?page=${page}`)).json.meta.links.map(({ label }) => label);
    expect((await labels(15)).slice(1, -1)).toEqual([
      "1",
      "2",
      "...",
      "12",
      "13",
      "14",
      "15",
      "16",
      "17",
      "18",
      "...",
      "29",
      "30",
    ]);
    expect((await labels(1)).slice(9, 13)).toEqual(["9", "10", "...", "29"]);
  });

  it("lists every article once, latest first, without bodies", async () => {
    const items = await walk(origin, "/articles");
    const dates = items.map(({ published_at }) => published_at);
    expect(new Set(items.map(({ id }) => id)).size).toBe(120);
    expect(dates).toEqual([...dates].sort().reverse());
    expect(items.every((item) => uuid.test(item.id) && !("body" in item))).toBe(true);
    expect(items.every(({ published_at }) => /\.\d{6}Z$/.test(published_at))).toBe(true);
  });

  it("shows both forms of thumbnails and some null category ids", async () => {
    const items = await walk(origin, "/articles");
    const forms = new Set(items.map(({ links }) => typeof links.thumbnail));
    expect(forms).toEqual(new Set(["string", "object"]));
    const nulls = items.filter(({ category }) => category.id === null);
    expect(nulls.length).toBeGreaterThan(0);
    expect(nulls.every(({ category }) => category.title !== "")).toBe(true);
  });
});

describe("filters", () => {
  it("selects by year and month, keeps the filter in the links, ignores a month alone", async () => {
    const all = await walk(origin, "/articles");
    const inYear = all.filter(({ published_at }) => published_at.startsWith("2023"));
    // By their ids: signed links change with each second.
    const selected = (await walk(origin, "/articles?year=2023")).map(({ id }) => id);
    expect(selected).toEqual(inYear.map(({ id }) => id));
    const month = (await ask(origin, "/articles?year=2023&month=6")).json;
    expect(month.data.every((one) => one.published_at.startsWith("2023-06"))).toBe(true);
    expect(month.links.first).toBe(`${origin.baseUrl}/articles?year=2023&month=6&page=1`);
    expect((await ask(origin, "/articles?month=6")).json.meta.total).toBe(120);
    expect((await ask(origin, "/galleries?year=2023")).json.meta.total).toBeGreaterThan(0);
  });

  it("takes a category by id or slug, and agrees with its count", async () => {
    const { data } = (await ask(origin, "/categories")).json;
    expect(data).toHaveLength(6);
    expect(data.filter((one) => one.articles_count === 0)).toHaveLength(2);
    for (const { id, slug, articles_count } of data) {
      for (const key of [id, slug]) {
        const { json } = await ask(origin, `/articles?category=${key}`);
        expect(json.meta.total).toBe(articles_count);
      }
    }
    expect((await ask(origin, "/articles?category=unknown")).json.meta.total).toBe(0);
  });

  it.each([
    ["any", 3],
    ["all", 1],
  ] as const)("matches %s of several tags", async (tagMatch, total) => {
    const tagged = [["a"], ["b", "ü"], ["a", "b"], []].map((tags) => ({ tags }));
    const small = await start({ content: smallContent({ articles: tagged }), tagMatch });
    expect((await ask(small, "/articles?tags=a,b")).json.meta.total).toBe(total);
    expect((await ask(small, "/articles?tags=%C3%BC")).json.meta.total).toBe(1);
  });

  it.each([
    ["UTC", "2023", 1],
    ["Pacific/Auckland", "2023", 0],
    ["Pacific/Auckland", "2024", 1],
    ["America/Lima", "2023", 1],
  ])("counts the years in %s: %s has %i", async (timezone, year, total) => {
    const eve = [{ publishedAt: Date.UTC(2023, 11, 31, 12) }];
    const small = await start({ content: smallContent({ articles: eve }), timezone });
    expect((await ask(small, `/articles?year=${year}`)).json.meta.total).toBe(total);
  });
});

describe("single objects and attachments", () => {
  it("adds the body, times with an offset, and a thumbnail object", async () => {
    const [first] = (await ask(origin, "/articles")).json.data;
    const data = await askOne(origin, `/articles/${first?.id}`);
    expect(data.body).toContain("<h2>");
    expect(data.published_at).toBe(first?.published_at.replace(".000000Z", "+00:00"));
    expect(data.links.thumbnail).toMatchObject({ square: expect.stringContaining("thumb=1") });
    expect(data.category.id).toMatch(uuid);
    expect(data.links.view).toBe(`http://127.0.0.1:${origin.port}/view/articles/${data.slug}`);
  });

  it("lists as many attachments as it counts", async () => {
    const kinds = ["images", "videos", "documents", "audio"];
    for (const article of await walk(origin, "/articles")) {
      for (const kind of kinds.filter((one) => article.attachments[one])) {
        const items = await walk(origin, `/articles/${article.id}/${kind}`);
        expect(items.length).toBe(article.attachments[kind]);
      }
    }
    for (const { id, attachments } of await walk(origin, "/galleries")) {
      const images = await walk(origin, `/galleries/${id}/images`);
      expect(images.length).toBe(attachments.images);
      expect((await ask(origin, `/galleries/${id}/documents`)).status).toBe(404);
    }
  });

  it("serves bodies whose every signed link works", async () => {
    const items = await walk(origin, "/articles");
    let links = 0;
    for (const { id } of items.slice(0, 12)) {
      const { body } = await askOne(origin, `/articles/${id}`);
      const urls = body.replaceAll("&amp;", "&").match(/http[^\s"]+signature=[^\s"]*/g) ?? [];
      for (const url of urls) expect((await bytesOf(url)).status).toBe(200);
      links += urls.length;
    }
    expect(links).toBeGreaterThan(20);
  });

  it("has the standalone indexes, with files that are as large as they say", async () => {
    for (const kind of ["videos", "documents", "audio"]) {
      const { data } = (await ask(origin, `/${kind}`)).json;
      expect(data.length).toBeGreaterThan(5);
      for (const { links, mime_type, filesize } of data.slice(0, 2)) {
        const { status, type, body } = await bytesOf(links.download);
        expect([status, type, body.length]).toEqual([200, mime_type, filesize]);
      }
    }
  });

  it("gives one image as in the list", async () => {
    const steady = await start({ now: () => new Date("2025-07-01T00:00:00Z") });
    const [image] = (await ask(steady, "/images")).json.data;
    expect(await askOne(steady, `/images/${image?.id}`)).toEqual(image);
  });
});

describe("tokens", () => {
  it("includes private images for an organisation token only", async () => {
    const { organisation, user } = origin.tokens;
    const total = async (path: string, token?: string) =>
      (await ask(origin, path, token)).json.meta.total;
    expect(await total("/images", organisation)).toBe(38);
    expect(await total("/images?private=true", organisation)).toBe(40);
    expect(await total("/images?private=false", organisation)).toBe(38);
    expect(await total("/images?private=true", user)).toBe(38);
  });

  it("counts everybody's articles for a user token, and hides other people's tags", async () => {
    const counts = async (token: string) =>
      (await ask(origin, "/categories", token)).json.data.map((one) => one.articles_count);
    const sum = (numbers: number[]) => numbers.reduce((a, b) => a + b, 0);
    expect(sum(await counts(origin.tokens.organisation))).toBe(120);
    expect(sum(await counts(origin.tokens.user))).toBe(132);
    const { data } = (await ask(origin, "/tags", origin.tokens.user)).json;
    expect(data).toHaveLength(18);
    expect(data.filter(({ title }) => title === "Craft")).toHaveLength(2);
    expect(data.some(({ articles_count }) => articles_count === 0)).toBe(true);
  });

  it("lists everybody's articles for a user token where the service does that", async () => {
    const open = await start({ userSees: "everything" });
    const items = await walk(open, "/articles", open.tokens.user);
    expect(items).toHaveLength(132);
    const dates = items.map(({ published_at }) => published_at);
    expect(dates).toEqual([...dates].sort().reverse());
    expect((await ask(open, "/articles")).json.meta.total).toBe(120);
  });
});

describe("changes", () => {
  it("shows what was edited, added and removed since", async () => {
    const changing = await start({ content: smallContent({ articles: [{}, {}, {}] }) });
    const { articles } = changing.content;
    const ids = async () =>
      (await ask(changing, "/articles?year=2024")).json.data.map(({ id }) => id);
    const [a = "", b = "", c = ""] = await ids();
    const gone = articles.remove(b);
    expect(await ids()).toEqual([a, c]);
    expect((await ask(changing, `/articles/${b}`)).status).toBe(404);
    articles.edit(c, { title: "New", publishedAt: Date.UTC(2024, 11, 1) });
    expect(await ids()).toEqual([c, a]);
    if (gone) articles.add(gone);
    expect(await ids()).toEqual([c, a, b]);
    expect((await askOne(changing, `/articles/${c}`)).title).toBe("New");
  });
});
