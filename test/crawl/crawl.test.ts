import { describe, expect, it } from "vitest";
import { type OriginOptions, personalities } from "../../src/demo/options.ts";
import { elementsOf, membersOf } from "../../src/lib/jsontext.ts";
import { printable } from "../../src/lib/secrets.ts";
import { attachmentRoutes } from "../../src/routes/table.ts";
import { attachmentsId } from "../../src/store/records.ts";
import { type Bench, filesOf, isProbe, send, smallContent, startBench } from "./support.ts";

const kinds = ["images", "videos", "documents", "audio"] as const;

/** Text of an answer's `data`, asked of the origin anew. */
async function dataOf({ origin }: Bench, path: string): Promise<string> {
  const headers = { authorization: `Bearer ${origin.tokens.organisation}` };
  const text = await (await fetch(origin.baseUrl + path, { headers })).text();
  const data = membersOf(text).get("data");
  if (data === undefined) throw new Error(`${path}: ${text.slice(0, 80)}`);
  return data;
}

/**
 * JSON as values that compare with their members' order: objects as lists of names and values, numbers as they
 * are written, strings without signatures.
 */
function shape(text: string): unknown {
  const start = text.trimStart();
  if (start.startsWith("{")) {
    return [...membersOf(text)].map(([name, member]) => [name, shape(member)]);
  }
  if (start.startsWith("[")) return { list: elementsOf(text).map(shape) };
  return start.startsWith('"') ? printable(JSON.parse(text) as string) : text.trim();
}

describe.each([
  ["plain", personalities.plain],
  ["odd", personalities.odd],
])("a crawl of the %s origin", (_name, options) => {
  const start = (): Promise<Bench> => startBench(options);

  it("has everything that is public, in the origin's order, and says that it is complete", async () => {
    const bench = await start();
    const { content } = bench;
    const crawled = await bench.crawl();
    const idsOf = (items: Iterable<{ id: string }>): string[] => [...items].map(({ id }) => id);
    const images = [...content.images].filter((image) => !image.private).map(({ id }) => id);
    if (options.imageOrder === "oldest") images.reverse();

    expect(crawled.problems).toEqual([]);
    expect(crawled.manifest.complete).toBe(true);
    expect(crawled.ids("articles")).toEqual(idsOf(content.articles));
    expect(crawled.ids("articles.single")).toEqual(idsOf(content.articles));
    expect(crawled.ids("galleries")).toEqual(idsOf(content.galleries));
    expect(crawled.ids("galleries.single")).toEqual(idsOf(content.galleries));
    expect(crawled.ids("images")).toEqual(images);
    expect(crawled.ids("videos")).toEqual(idsOf(content.videos));
    expect(crawled.ids("categories")).toEqual(idsOf(content.categories));
    expect(crawled.ids("tags")).toEqual(content.tags.map(({ slug }) => slug));
    // Where an origin has no index of a kind, its files are known through the articles alone.
    for (const kind of ["documents", "audio"] as const) {
      const list = options.paths?.[kind] === null ? (`${kind}.unlisted` as const) : kind;
      expect(crawled.ids(list).sort()).toEqual(idsOf(content[kind]).sort());
    }
  });

  it("keeps every object as the origin wrote it, signatures aside", async () => {
    const bench = await start();
    const crawled = await bench.crawl();
    const raws = (list: "articles.single" | "images"): Map<string, string> =>
      crawled.look((reader) => {
        return new Map([...reader.refs(list)].map((ref) => [ref.id, reader.readRaw(ref)]));
      });
    for (const [id, raw] of raws("articles.single")) {
      expect(shape(raw)).toEqual(shape(await dataOf(bench, `/articles/${id}`)));
    }
    const images = elementsOf(await dataOf(bench, "/images"));
    expect(images.length).toBeGreaterThan(5);
    expect([...raws("images").values()].slice(0, images.length).map(shape)).toEqual(
      images.map(shape),
    );
    const tags = crawled.look((reader) =>
      [...reader.refs("tags")].map((ref) => reader.readRaw(ref)),
    );
    expect(tags.map(shape)).toEqual(elementsOf(await dataOf(bench, "/tags")).map(shape));
  });

  it("has every attachment list whose count is above zero, in order", async () => {
    const bench = await start();
    const { content } = bench;
    const crawled = await bench.crawl();
    const isShown = (id: string): boolean =>
      options.privateInAttachments === true || content.images.get(id)?.private === false;
    const expected = new Map<string, string[]>();
    for (const { parent, kind } of attachmentRoutes) {
      for (const owner of content[parent]) {
        const ids = (owner as Partial<Record<typeof kind, string[]>>)[kind] ?? [];
        const shown = kind === "images" ? ids.filter(isShown) : ids;
        if (shown.length > 0) expected.set(attachmentsId(parent, owner.id, kind), shown);
      }
    }
    const found = crawled.look((reader) =>
      [...reader.refs("attachments")].map((ref): [string, string[]] => [
        ref.id,
        reader.read("attachments", ref).normal.items.map(([id]) => id),
      ]),
    );
    expect(expected.size).toBeGreaterThan(20);
    expect(new Map(found)).toEqual(expected);
  });

  it("reads each index twice, all else once, and asks for nothing that counts zero", async () => {
    const bench = await start();
    const requests = (await bench.crawl()).requests.filter((url) => !isProbe(url));
    const { indexes, beyond, items } = expectedRequests(bench, options);
    expect(requests.sort()).toEqual([...indexes, ...beyond, ...indexes, ...items].sort());
  });

  it("makes no new snapshot of an unchanged origin, with the indexes and a share of the rest", async () => {
    const bench = await start();
    const first = await bench.crawl();
    const second = await bench.crawl();
    expect(second.changed).toBe(false);
    expect(second.manifest).toEqual(first.manifest);
    const indexes = second.requests.filter((url) => !/[\w-]{36}/.test(url));
    const expected = expectedRequests(bench, options);
    expect([...indexes].sort()).toEqual([...expected.indexes, ...expected.beyond].sort());
    const articles = new Set(second.requests.flatMap((url) => /[\w-]{36}/.exec(url) ?? []));
    // A seventh of 35 articles and galleries, as their ids fall.
    expect(articles.size).toBeGreaterThan(0);
    expect(articles.size).toBeLessThan(14);
    const all = second.requests.length - indexes.length;
    expect(all).toBeLessThan((first.requests.length - indexes.length) / 2);
  });

  it("leaves no signature, expiry or token in any file of the store", async () => {
    const bench = await start();
    await bench.crawl();
    const files = filesOf(bench.folder);
    expect(files.size).toBeGreaterThan(3);
    for (const [path, bytes] of files) {
      const text = bytes.toString("latin1");
      expect(text.match(/(?:signature|expires)(?:=|%3d|\\u003d)/i), path).toBeNull();
      expect(text.includes(bench.origin.tokens.organisation), path).toBe(false);
    }
  });
});

/** Every request that a first crawl must make, worked out from the content alone. */
/** One reading of all indexes, page 1 of a longer one twice; and everything that is asked for by id. */
function expectedRequests(
  { content, config }: Bench,
  options: Partial<OriginOptions>,
): { indexes: string[]; beyond: string[]; items: string[] } {
  const { paths } = config.origin;
  const pageSize = options.pageSize ?? 20;
  const indexed: string[] = ["/categories", "/tags"];
  const items: string[] = [];
  const paged = (requests: string[], path: string | null, count: number): void => {
    if (path === null) return;
    const last = Math.max(1, Math.ceil(count / pageSize));
    for (let page = 1; page <= last; page++) {
      requests.push(page === 1 ? path : `${path}?page=${page}`);
    }
  };
  const images = [...content.images].filter((image) => !image.private).length;
  const indexes: [string | null, number][] = [
    ["/articles", content.articles.length],
    ["/galleries", content.galleries.length],
    ["/images", images],
    ...kinds
      .slice(1)
      .map((kind): [string | null, number] => [paths[kind as "videos"], content[kind].length]),
  ];
  // The first reading looks behind the last page.
  const beyond: string[] = [];
  for (const [path, count] of indexes) {
    paged(indexed, path, count);
    const last = Math.max(1, Math.ceil(count / pageSize));
    if (path !== null && count > 0) beyond.push(`${path}?page=${last + 1}`);
    if (path !== null && count > pageSize) indexed.push(path);
  }
  for (const parent of ["articles", "galleries"] as const) {
    for (const owner of content[parent]) items.push(`/${parent}/${owner.id}`);
  }
  for (const { parent, kind, path } of attachmentRoutes) {
    for (const owner of content[parent]) {
      const ids = (owner as Partial<Record<typeof kind, string[]>>)[kind] ?? [];
      const shown = ids.filter(
        (id) =>
          kind !== "images" ||
          options.privateInAttachments === true ||
          content.images.get(id)?.private === false,
      );
      const list = (paths[path] as string).replace("{id}", owner.id);
      if (shown.length > 0) paged(items, list, shown.length);
    }
  }
  return { indexes: indexed, beyond, items };
}

describe("a crawl after changes", () => {
  it("shares all but what changed with the last snapshot, and keeps that", async () => {
    const bench = await startBench();
    const { content } = bench;
    const first = await bench.crawl();
    const [edited, other, removed] = [...content.articles].slice(3, 6).map(({ id }) => id);
    content.articles.edit(edited as string, { title: "Another title" });
    content.articles.remove(removed as string);
    const second = await bench.crawl();
    expect(second.changed).toBe(true);
    expect(second.manifest.complete).toBe(true);
    expect(second.ids("articles")).toEqual([...content.articles].map(({ id }) => id));
    const title = (id: string | undefined) =>
      second.look((reader) => reader.find("articles", "articles", id ?? "")?.normal.title);
    expect(title(edited)).toBe("Another title");
    expect(title(removed)).toBeUndefined();
    const digest = (id: string) => (crawled: typeof first) =>
      crawled.look((_, store) => store.reader(crawled.manifest).digestOf("articles", id));
    expect(digest(other as string)(second)).toBe(digest(other as string)(first));
    expect(digest(removed as string)(first)).toMatch(/^[0-9a-f]{32}$/);
    expect(second.requests).toContain(`/articles/${edited}`);
    expect(second.requests).toContain(`/articles/${removed}`);
  });

  it("has an article that was published on top, and asks for it alone", async () => {
    const bench = await startBench({}, { refreshShare: 0 });
    const { content } = bench;
    await bench.crawl();
    const model = content.articles.at(0);
    if (model === undefined) throw new Error("no article");
    const id = "0a1b2c3d-0000-4000-8000-000000000001";
    content.articles.add({ ...model, id, slug: "new", images: [], publishedAt: Date.UTC(2030, 0) });
    const second = await bench.crawl();
    expect(second.ids("articles")[0]).toBe(id);
    expect(second.manifest.complete).toBe(true);
    expect(second.requests.filter((url) => /[\w-]{36}/.test(url))).toEqual([`/articles/${id}`]);
  });

  it("finds an edit that left no trace in the index within 1 / refreshShare crawls", async () => {
    const bench = await startBench({}, { refreshShare: 0.5 });
    await bench.crawl();
    const id = bench.content.articles.at(9)?.id as string;
    bench.content.articles.edit(id, { body: "<p>A quiet correction.</p>" });
    const second = await bench.crawl();
    const third = await bench.crawl();
    expect([second.changed, third.changed].filter(Boolean)).toHaveLength(1);
    const raw = third.look((reader) => reader.find("articles.single", "articles.single", id)?.raw);
    expect(raw).toContain("A quiet correction.");
  });

  it.each([
    ["more than the share that is allowed", "articles", 15, 0.1],
    ["all of one kind", "galleries", 5, 0.5],
  ] as const)(
    "refuses to follow when %s vanishes at once, and looks anew at the next run",
    async (_, kind, count, share) => {
      const bench = await startBench({}, { maxRemoved: { share, items: 50 } });
      const first = await bench.crawl();
      const victims = [...bench.content[kind]].slice(0, count);
      for (const { id } of victims) bench.content[kind].remove(id);
      await expect(bench.crawl()).rejects.toMatchObject({ exitCode: 10 });
      for (const victim of victims) bench.content[kind].add(victim as never);
      const again = await bench.crawl();
      expect(again.changed).toBe(false);
      expect(again.manifest.id).toBe(first.manifest.id);
    },
  );

  it.each([
    [200, '{"data":{}}', "no longer listed, but the origin still answers for it"],
    [422, "{}", "no longer listed: "],
  ])(
    "is not complete when something is no longer listed, and its object gives %i",
    async (status, body, reason) => {
      const bench = await startBench();
      await bench.crawl();
      const hidden = bench.content.articles.at(7)?.id as string;
      bench.content.articles.remove(hidden);
      bench.intercept = (request, response) =>
        (request.url?.endsWith(`/articles/${hidden}`) ?? false) && send(response, body, status);
      const second = await bench.crawl();
      expect(second.manifest.complete).toBe(false);
      expect(second.problems).toMatchObject([
        { subject: `articles/${hidden}`, reason: expect.stringContaining(reason) },
      ]);
    },
  );

  it("keeps what vanished where removals are to be kept, and names it removed", async () => {
    const bench = await startBench({}, { removals: "keep" });
    const { content } = bench;
    const before = await bench.crawl();
    const article = content.articles.at(5)?.id as string;
    const image = [...content.images].filter((one) => !one.private)[2]?.id as string;
    content.articles.remove(article);
    content.images.remove(image);
    for (const crawled of [await bench.crawl(), await bench.crawl()]) {
      expect(crawled.manifest.complete).toBe(true);
      expect(crawled.ids("articles")).toEqual(before.ids("articles"));
      expect(crawled.ids("articles.single")).toEqual(before.ids("articles.single"));
      expect(crawled.ids("images")).toEqual(before.ids("images"));
      expect(crawled.ids("withdrawn")).toEqual([`articles/${article}`, `images/${image}`]);
      expect(crawled.ids("tombstones")).toEqual([]);
      const envelope = crawled.manifest.lists.articles?.envelope ?? "{}";
      expect(JSON.parse(envelope)).toMatchObject({ meta: { total: 30 } });
    }
  });

  it("tells apart what is private, what is only attached, and what was private", async () => {
    const content = await smallContent();
    const bench = await startBench({ content, privateInAttachments: true });
    const hidden = [...content.images].filter((image) => image.private).map(({ id }) => id);
    const attached = new Set([...content.articles].flatMap(({ images }) => images));
    const excluded = await bench.crawl();
    expect(excluded.ids("images.private")).toEqual([]);
    expect(excluded.ids("images.unlisted").sort()).toEqual(
      hidden.filter((id) => attached.has(id)).sort(),
    );
    const included = await bench.crawl({ config: { privateImages: "include" } });
    expect(included.ids("images.private")).toEqual(hidden);
    expect(included.ids("images.unlisted")).toEqual([]);
    expect(included.ids("images")).toEqual(excluded.ids("images"));
    expect(included.requests).toContain("/images?private=1");
  });

  it("finds nothing to complain about where an origin has no indexes of files", async () => {
    const bench = await startBench();
    bench.intercept = (request, response) => {
      if (
        !/\/(?:videos|documents|audio)(?:$|\?)/.test(
          request.url?.replace(/\/[\w-]{36}\/.*/, "") ?? "",
        )
      ) {
        return false;
      }
      response.writeHead(404).end();
      return true;
    };
    const crawled = await bench.crawl();
    expect(crawled.manifest.complete).toBe(true);
    expect(crawled.ids("videos")).toEqual([]);
    expect(crawled.ids("videos.unlisted").sort()).toEqual(
      [...bench.content.videos].map(({ id }) => id).sort(),
    );
  });
});
