import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createHandler, type Handler } from "../../src/index.ts";
import { article, type Fixture, gallery, ids, makeConfig, makeFixture } from "../mirror/fixture.ts";
import { inMemory } from "./support.ts";

const base = "https://archive.test/api/v1";

let fixture: Fixture;

beforeAll(() => {
  fixture = makeFixture();
  const filed = { published_at: "2024-05-02T10:00:00.000000Z", tags: ["zoo"] };
  fixture.write(
    "articles",
    ids.articles.map((id, at) => ({
      ...article(id, at),
      ...filed,
      category: { id: null, title: "News" },
    })),
  );
  fixture.write("galleries", [{ ...gallery(), published_at: filed.published_at }]);
});
afterAll(() => fixture.close());

function handlerFor(sections: Record<string, unknown> = {}, token?: string): Handler {
  const files = new Map<string, string>();
  for (const [path, file] of fixture.files(makeConfig(sections))) {
    if ("content" in file) files.set(path, String(file.content()));
    else if ("blob" in file)
      files.set(path, readFileSync(fixture.store.blobs.own.pathOf(file.blob), "latin1"));
  }
  const options = { files: inMemory(files), root: "api/v1" };
  return createHandler(token === undefined ? options : { ...options, token });
}

async function json(handler: Handler, path: string) {
  const response = await handler(new Request(base + path));
  expect([path, response.status]).toEqual([path, 200]);
  return (await response.json()) as {
    data: { id: string; links: Record<string, unknown> }[];
    links: Record<string, string | null>;
    meta: Record<string, unknown>;
  };
}

describe("links of an answer", () => {
  it.each([
    ["relative", {}],
    ["the API's own", { mirror: { links: "api" } }],
    ["of another address", { site: { url: "https://elsewhere.test" } }],
  ])("lead to the address that was asked, where those in the files are %s", async (_, sections) => {
    const handler = handlerFor(sections);
    const urls: string[] = [];
    for (const path of ["/articles", "/articles?page=2", "/articles?tags=zoo&category=news"]) {
      const { links, data } = await json(handler, path);
      urls.push(...Object.values(links).filter((url) => url !== null));
      for (const item of data) urls.push(item.links.view as string);
    }
    expect(urls.length).toBeGreaterThan(10);
    for (const url of urls) {
      expect(url).toMatch(/^https:\/\/archive\.test\//);
      if (!url.startsWith(base)) continue;
      expect([url, (await handler(new Request(url))).status]).toEqual([url, 200]);
    }
  });

  it("can be followed to every item, once each", async () => {
    const handler = handlerFor();
    const found: string[] = [];
    let next: string | null = `${base}/articles`;
    while (next !== null) {
      const page = await json(handler, next.slice(base.length));
      found.push(...page.data.map(({ id }) => id));
      next = page.links.next ?? null;
    }
    expect(found).toEqual(ids.articles);
  });
});

describe("filters", () => {
  it("answers combinations without a file from the pages of the index", async () => {
    const handler = handlerFor({ mirror: { filters: [] } });
    const all = await json(handler, "/articles");
    const years = await json(handler, "/articles?year=2024");
    expect(years.meta.total).toBe(all.meta.total);
    const { links, meta, data } = await json(handler, "/articles?page=2&year=2024&tags=zoo");
    expect(links.prev).toBe(`${base}/articles?year=2024&tags=zoo&page=1`);
    expect(meta.current_page).toBe(2);
    expect(data.map(({ id }) => id)).toEqual(ids.articles.slice(2, 4));
  });

  it.each([
    ["/articles?year=1999", 0],
    ["/articles?year=2024&month=13", 0],
    ["/articles?category=__proto__", 0],
    ["/articles?tags=constructor", 0],
    ["/articles?tags=zoo,nothing", 5],
    ["/articles?tags=,zoo,,zoo", 5],
    ["/articles?month=1", 5],
    ["/articles?month=x", 5],
    ["/galleries?year=2024&category=news", 1],
    ["/articles?year=&tags=&page=", 5],
  ])("of %s leave %i", async (path, total) => {
    const handler = handlerFor();
    expect((await json(handler, path)).meta.total).toBe(total);
  });
});

describe("a token", () => {
  const ask = (path: string, token?: string): Promise<Response> =>
    handlerFor(
      {},
      "secret",
    )(
      new Request(base + path, {
        headers: token === undefined ? {} : { Authorization: `Bearer ${token}` },
      }),
    );

  it.each(["/articles", "/articles/index.json", "/mirror.json", "/nothing"])(
    "is demanded for %s",
    async (path) => {
      const refused = await ask(path);
      expect([refused.status, refused.headers.get("www-authenticate")]).toEqual([401, "Bearer"]);
      expect((await ask(path, "wrong")).status).toBe(401);
      expect((await ask(path, "secret")).status).toBe(path === "/nothing" ? 404 : 200);
    },
  );

  it.each(["/images", "/images/index.json", `/images/${ids.images[0]}.json`])(
    "is demanded for what is said of images: %s",
    async (path) => {
      expect((await ask(path)).status).toBe(401);
      expect((await ask(path, "secret")).status).toBe(200);
    },
  );

  it("is not demanded for images, which the origin signs", async () => {
    const [id] = ids.images;
    expect((await ask(`/images/${id}.jpg?expires=1&signature=2`)).status).toBe(200);
    expect((await ask(`/images/by/width/640/${id}.jpg`)).status).toBe(200);
  });
});

it("says of itself what it can do", async () => {
  const response = await handlerFor()(new Request(`${base}/mirror.json`));
  expect(await response.json()).toMatchObject({ stillpress: 1, answers: "files" });
});
