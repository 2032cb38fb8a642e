import { describe, expect, it } from "vitest";
import { generateContent } from "../support/content.ts";
import {
  type Answer,
  altering,
  type Bench,
  type Intercept,
  send,
  smallContent,
  startBench,
} from "./support.ts";

const isSingle = (path: string): boolean => /^\/articles\/[\w-]{36}$/.test(path);

/** Changes every single article, which stands in `data` as the only one. */
function articlesAs(
  bench: Bench,
  change: (article: Record<string, unknown>, id: string) => unknown,
): Intercept {
  return altering(bench, isSingle, (answer: Answer, path) => ({
    data: change(answer.data as unknown as Record<string, unknown>, path.slice(-36)),
  }));
}

describe("a crawl of articles whose body is not found", () => {
  const blocks = [{ type: "paragraph", text: "A paragraph." }];

  it("is not complete when no article has one, and says which members there are", async () => {
    const bench = await startBench();
    bench.intercept = articlesAs(bench, ({ body: _, extra, ...rest }) => ({
      ...rest,
      story_blocks: blocks,
    }));
    const crawled = await bench.crawl();
    const first = bench.content.articles.at(0)?.id;
    expect(crawled.manifest.complete).toBe(false);
    expect(crawled.problems).toEqual([
      {
        subject: "origin.bodyField",
        reason: expect.stringMatching(
          new RegExp(
            `^no article has a recognisable body; article ${first} has the members .*story_blocks`,
          ),
        ),
        hint: expect.stringContaining("origin.bodyField"),
      },
    ]);
    expect((await bench.crawl()).changed).toBe(false);
  });

  it("follows the setting at the next crawl without fetching anything again", async () => {
    const bench = await startBench({}, { refreshShare: 0 });
    bench.intercept = articlesAs(bench, ({ body: _, ...rest }) => ({
      ...rest,
      parts: { main: { words: "Short." } },
    }));
    const before = await bench.crawl();
    expect(before.manifest.complete).toBe(false);
    bench.config.origin.bodyField = "parts.main.words";
    const after = await bench.crawl();
    expect(after.manifest.complete).toBe(true);
    expect(after.requests.filter(isSingle)).toEqual([]);
    const paths = after.look((reader) =>
      [...reader.refs("articles.single")].map(
        (ref) => reader.read("articles.single", ref).normal.bodyPath,
      ),
    );
    expect(paths).toHaveLength(30);
    for (const path of paths) expect(path).toEqual(["parts", "main", "words"]);
  });

  it("warns when only some have none, and remarks it in the proof", async () => {
    const bench = await startBench();
    const odd = [...bench.content.articles].slice(4, 7).map(({ id }) => id);
    bench.intercept = articlesAs(bench, (article, id) =>
      odd.includes(id) ? { ...article, body: blocks } : article,
    );
    const crawled = await bench.crawl();
    expect(crawled.manifest.complete).toBe(true);
    const remark = "3 of 30 articles have no recognisable body";
    const first = `${remark}; article ${odd[0]} has the members`;
    expect(crawled.warnings).toEqual([expect.stringContaining(first)]);
    expect(crawled.warnings[0]).toContain("body (array)");
    const proof = crawled.manifest.proof.find(({ list }) => list === "articles.single");
    expect(proof).toMatchObject({ collected: 30, agreed: true, remark });
  });

  it.each([
    ["", null],
    [null, null],
  ])("takes %o and %o under the body's name for empty bodies", async (one, other) => {
    const bench = await startBench();
    const [first, second] = [...bench.content.articles].map(({ id }) => id);
    bench.intercept = articlesAs(bench, (article, id) => {
      if (id !== first && id !== second) return article;
      return { ...article, body: id === first ? one : other };
    });
    const crawled = await bench.crawl();
    expect(crawled.manifest.complete).toBe(true);
    expect(crawled.warnings).toEqual([]);
  });

  it("warns when all are empty", async () => {
    const bench = await startBench();
    bench.intercept = articlesAs(bench, (article) => ({ ...article, body: "" }));
    const { warnings, manifest } = await bench.crawl();
    expect(warnings).toEqual([expect.stringContaining("the bodies of all 30 articles are empty")]);
    expect(manifest.complete).toBe(true);
  });

  it("has nothing to say of an origin without articles", async () => {
    const content = await smallContent();
    for (const { id } of [...content.articles]) content.articles.remove(id);
    const bench = await startBench({ content });
    const crawled = await bench.crawl();
    expect(crawled.manifest.complete).toBe(true);
    expect(crawled.warnings).toEqual([]);
  });
});

describe("a crawl of articles whose attachments are not counted", () => {
  /** Takes counts away, in the index and in the single form. */
  const uncounted = (bench: Bench, change: (counts: object) => unknown): Intercept =>
    altering(
      bench,
      (path) => /^\/articles(?:\?.*|\/[\w-]{36})?$/.test(path),
      (answer) => {
        const strip = (item: Record<string, unknown>) => ({
          ...item,
          attachments: change(item.attachments as object),
        });
        const { data } = answer;
        return { ...answer, data: Array.isArray(data) ? data.map(strip) : strip(data) };
      },
    );

  it.each<[string, (counts: object) => unknown]>([
    ["attachments are missing", () => undefined],
    ["attachments are null", () => null],
    ["the counts are null", () => ({ images: null, videos: null, documents: null, audio: null })],
    ["one kind is missing", (counts) => ({ ...counts, images: undefined })],
  ])("has all lists when %s", async (_, change) => {
    const bench = await startBench({}, { refreshShare: 0 });
    const whole = await bench.crawl();
    const items = (crawled: typeof whole) =>
      crawled.look((reader) =>
        [...reader.refs("attachments")].flatMap((ref) =>
          reader.read("attachments", ref).normal.items.map(([id]) => `${ref.id} ${id}`),
        ),
      );
    const expected = items(whole);
    expect(expected.length).toBeGreaterThan(30);
    const other = await startBench({}, { refreshShare: 0 });
    other.intercept = uncounted(other, change);
    const crawled = await other.crawl();
    expect(crawled.problems).toEqual([]);
    expect(crawled.manifest.complete).toBe(true);
    expect(items(crawled)).toEqual(expected);
    expect(
      crawled.manifest.proof.find(({ list }) => list === "attachments: images of articles"),
    ).toMatchObject({ expected: null, agreed: true });
    const again = await other.crawl();
    expect(again.changed).toBe(false);
    expect(again.requests.filter((url) => /[\w-]{36}/.test(url))).toEqual([]);
  });

  it("asks for nothing where the index counts what the single form does not", async () => {
    const bench = await startBench();
    const plain = await bench.crawl();
    const other = await startBench();
    other.intercept = articlesAs(other, ({ attachments: _, ...article }) => article);
    // Each altered answer is one more request, of the test itself.
    const { requests } = await other.crawl();
    expect([...new Set(requests)].sort()).toEqual([...new Set(plain.requests)].sort());
  });

  const refusing =
    (kind: string, status: number, otherwise: Intercept): Intercept =>
    (request, response) =>
      new RegExp(`/articles/[^/]+/${kind}$`).test(request.url ?? "")
        ? send(response, "{}", status)
        : otherwise(request, response);
  const asked = (requests: string[], kind: string): number =>
    requests.filter((url) => new RegExp(`^/articles/.*/${kind}$`).test(url)).length;

  it("warns of a kind that no article has a list of, and looks for it again", async () => {
    const bench = await startBench({}, { concurrency: 1, refreshShare: 0 });
    const without = uncounted(bench, () => null);
    bench.intercept = refusing("audio", 404, without);
    const first = await bench.crawl();
    expect(first.manifest.complete).toBe(true);
    expect(first.warnings).toEqual([
      expect.stringMatching(
        /none of the articles has a list of audio.*origin\.paths\.articleAudio/,
      ),
    ]);
    expect(first.ids("unsettled")).toEqual([]);
    expect(asked(first.requests, "audio")).toBe(30 + 5);
    const second = await bench.crawl();
    expect(second.warnings).toEqual(first.warnings);
    expect(asked(second.requests, "audio")).toBe(5);
    bench.intercept = without;
    const third = await bench.crawl();
    expect(third.warnings).toEqual([]);
    const lists = third.ids("attachments").filter((id) => /^articles.*audio$/.test(id));
    expect(lists).toHaveLength(30);
  });

  it("has each list of an origin that has none for articles without", async () => {
    const bench = await startBench({}, { concurrency: 1 });
    const last = [...bench.content.articles].findLast(({ audio }) => audio.length > 0)?.id;
    const without = uncounted(bench, () => null);
    const refused = refusing("audio", 404, without);
    bench.intercept = (request, response) =>
      request.url?.includes(`/articles/${last}/`)
        ? without(request, response)
        : refused(request, response);
    const crawled = await bench.crawl();
    expect(crawled.warnings).toEqual([]);
    expect(crawled.ids("attachments")).toContain(`articles/${last}/audio`);
  });

  it("does not do without images", async () => {
    const bench = await startBench({}, { concurrency: 1 });
    bench.intercept = refusing(
      "images",
      405,
      uncounted(bench, () => null),
    );
    const crawled = await bench.crawl();
    expect(crawled.manifest.complete).toBe(false);
    expect(crawled.problems).toMatchObject([
      {
        subject: "origin.paths.articleImages",
        reason: expect.stringContaining("none of the articles has a list of images"),
      },
    ]);
    expect(asked(crawled.requests, "images")).toBe(5 + 5);
  });
});

describe("a crawl of an origin without an index", () => {
  const isIndex = (url: string | undefined, name: string): boolean =>
    new RegExp(`/api/v1/${name}(?:\\?|$)`).test(url ?? "");
  const answering =
    (name: string, status: number, body: string): Intercept =>
    (request, response) =>
      isIndex(request.url, name) && send(response, body, status);

  it.each([
    ["videos", 400, "{}"],
    ["videos", 401, "{}"],
    ["documents", 403, "{}"],
    ["audio", 404, "{}"],
    ["videos", 405, "{}"],
    ["videos", 410, "{}"],
    ["documents", 200, "<!doctype html><p>Hello"],
    ["audio", 200, '{"message":"not here"}'],
    ["audio", 200, '{"data":{}}'],
  ])("goes on without %s when they answer %i %s", async (name, status, body) => {
    const bench = await startBench();
    bench.intercept = answering(name, status, body);
    const crawled = await bench.crawl();
    expect(crawled.problems).toEqual([]);
    expect(crawled.manifest.complete).toBe(true);
    expect(crawled.manifest.lists[name]).toBeUndefined();
    const silence = `set origin.paths.${name}: null if that is right`;
    expect(crawled.warnings).toEqual([
      expect.stringMatching(new RegExp(`no index of ${name}: GET /${name}: .*${silence}`)),
    ]);
  });

  it.each([
    ["galleries", 403, "{}"],
    ["categories", 401, "{}"],
    ["tags", 404, "{}"],
    ["tags", 200, '{"data":null}'],
  ])(
    "names %s when they answer %i %s, with the setting that says so",
    async (name, status, body) => {
      const bench = await startBench();
      bench.intercept = answering(name, status, body);
      const crawled = await bench.crawl();
      expect(crawled.manifest.complete).toBe(false);
      expect(crawled.problems).toEqual([
        {
          subject: `index of ${name}`,
          reason: expect.stringContaining(`GET /${name}`),
          hint: `set origin.paths.${name}: null if this token has none`,
        },
      ]);
    },
  );

  it.each(["galleries", "images", "categories", "tags"] as const)(
    "believes the configuration that there are no %s, without a request",
    async (name) => {
      const bench = await startBench();
      const { origin } = bench.config;
      const paths = { ...origin.paths, [name]: null };
      bench.config = { ...bench.config, origin: { ...origin, paths } };
      bench.intercept = answering(name, 403, "{}");
      const crawled = await bench.crawl();
      expect(crawled.problems).toEqual([]);
      expect(crawled.warnings).toEqual([]);
      expect(crawled.manifest.complete).toBe(true);
      expect(crawled.manifest.lists[name]).toBeUndefined();
      expect(crawled.requests.filter((path) => path.split("?")[0] === `/${name}`)).toEqual([]);
    },
  );

  it.each([401, 403, 404])(
    "says what it means when a token may not list images (%i)",
    async (status) => {
      const bench = await startBench();
      bench.intercept = answering("images", status, "{}");
      const crawled = await bench.crawl();
      expect(crawled.manifest.complete).toBe(false);
      expect(crawled.ids("images.unlisted").length).toBeGreaterThan(5);
      const [problem, ...others] = crawled.problems;
      expect([problem?.subject, others]).toEqual(["index of images", []]);
      expect(problem?.hint).toContain("set origin.paths.images: null if this token has none");
      expect(problem?.hint).toContain("media.unproved");
    },
  );

  it.each([
    ["at this address", "127.0.0.1"],
    ["before the service moved", "localhost"],
  ])("is a gap where that index could be read the last time, %s", async (_, host) => {
    const bench = await startBench();
    const before = (await bench.crawl()).ids("images");
    bench.config.origin.baseUrl = bench.config.origin.baseUrl.replace("127.0.0.1", host);
    bench.intercept = answering("images", 403, "{}");
    const crawled = await bench.crawl();
    expect(crawled.manifest.complete).toBe(false);
    expect(crawled.ids("images")).toEqual(before);
    expect(crawled.problems).toEqual([
      expect.objectContaining({
        subject: "index of images",
        reason: expect.stringContaining(`(kept the ${before.length} items of the last snapshot)`),
        hint: "set origin.paths.images: null if it is gone for good",
      }),
    ]);
  });

  it("names private images that an organisation's token may not see", async () => {
    const bench = await startBench({}, { privateImages: "include" });
    bench.config = {
      ...bench.config,
      origin: { ...bench.config.origin, tokenKind: "organisation" },
    };
    bench.intercept = (request, response) =>
      (request.url?.includes("private=1") ?? false) && send(response, "{}", 403);
    const crawled = await bench.crawl();
    expect(crawled.manifest.complete).toBe(false);
    expect(crawled.problems).toMatchObject([{ subject: "index of private images" }]);
  });

  it("goes on without private images that the token may not see", async () => {
    const bench = await startBench({}, { privateImages: "include" });
    bench.intercept = (request, response) =>
      (request.url?.includes("private=1") ?? false) && send(response, "{}", 403);
    const crawled = await bench.crawl();
    expect(crawled.manifest.complete).toBe(true);
    expect(crawled.warnings).toEqual([
      expect.stringMatching(/no index of private images: .*crawl\.privateImages: "exclude"/),
    ]);
  });

  it("ends with exit code 4 when the token is refused in the middle", async () => {
    const bench = await startBench();
    let refused = false;
    bench.intercept = (request, response) => {
      if (isIndex(request.url, "videos")) refused = true;
      return refused && send(response, "{}", 401);
    };
    await expect(bench.crawl()).rejects.toMatchObject({ exitCode: 4, status: 401 });
  });

  it("names a single article that is refused with 401, and goes on", async () => {
    const bench = await startBench();
    const [, refused] = [...bench.content.articles].map(({ id }) => id);
    bench.intercept = (request, response) =>
      (request.url?.endsWith(`/articles/${refused}`) ?? false) && send(response, "{}", 401);
    const { manifest, problems, requests } = await bench.crawl();
    expect(manifest.complete).toBe(false);
    expect(problems).toEqual([
      expect.objectContaining({ subject: expect.stringContaining(`${refused}`) }),
    ]);
    expect(requests.length).toBeGreaterThan([...bench.content.articles].length);
  });

  it.each([
    ["videos", 500],
    ["tags", 503],
    ["galleries", 500],
    ["galleries", 404],
    ["images", 403],
  ])("has a gap and keeps what it had of %s when they answer %i", async (name, status) => {
    const bench = await startBench({}, { concurrency: 2 });
    const before = await bench.crawl();
    bench.intercept = answering(name, status, "{}");
    const crawled = await bench.crawl();
    expect(crawled.manifest.complete).toBe(false);
    const count = before.manifest.lists[name]?.count;
    expect(count).toBeGreaterThan(0);
    expect(crawled.problems).toMatchObject([
      {
        subject: `index of ${name}`,
        reason: expect.stringMatching(
          new RegExp(
            `^GET /${name}: ${status} .*\\(kept the ${count} items of the last snapshot\\)`,
          ),
        ),
      },
    ]);
    expect(crawled.manifest.lists[name]).toEqual(before.manifest.lists[name]);
    expect(crawled.manifest.proof.find(({ list }) => list === name)).toMatchObject({
      agreed: false,
      passes: 0,
    });
  });

  it("does not take an index for absent that was there before", async () => {
    const bench = await startBench();
    await bench.crawl();
    bench.intercept = answering("videos", 404, "{}");
    const crawled = await bench.crawl();
    expect(crawled.manifest.complete).toBe(false);
    expect(crawled.problems).toMatchObject([
      { subject: "index of videos", hint: expect.stringContaining("origin.paths.videos: null") },
    ]);
    bench.config.origin.paths.videos = null;
    expect((await bench.crawl()).manifest.complete).toBe(true);
  });

  it.each([500, 404, 403])("ends when the articles answer %i", async (status) => {
    const bench = await startBench();
    bench.intercept = answering("articles", status, "{}");
    await expect(bench.crawl()).rejects.toMatchObject({ exitCode: status === 403 ? 4 : 8 });
  });

  it("is incomplete where nothing but the index of articles answers, and names what is missing", async () => {
    const bench = await startBench();
    bench.intercept = (request) => {
      const down = !isIndex(request.url, "articles");
      if (down) request.socket.destroy();
      return down;
    };
    const { manifest, problems } = await bench.crawl();
    expect(manifest.complete).toBe(false);
    const subjects = problems.map(({ subject }) => subject);
    expect(subjects).toEqual(expect.arrayContaining(["index of galleries", "index of images"]));
    expect(subjects.filter((subject) => subject.startsWith("article "))).toHaveLength(30);
  }, 60_000);
});

describe("articles that the origin fails for", () => {
  const isSingle = (url: string | undefined) => /\/articles\/[\w-]{36}$/.test(url ?? "");

  it("are gaps, one by one, as long as the origin answers for others", async () => {
    const bench = await startBench({}, { concurrency: 8 });
    const broken = new Set([...bench.content.articles].slice(0, 8).map(({ id }) => id));
    bench.intercept = (request, response) => {
      const isBroken = isSingle(request.url) && broken.has(request.url?.slice(-36) ?? "");
      if (isBroken) response.writeHead(500).end();
      return isBroken;
    };
    const { manifest, problems } = await bench.crawl();
    expect(manifest.complete).toBe(false);
    expect(problems.map(({ subject }) => subject).sort()).toEqual(
      [...broken].map((id) => `article ${id}`).sort(),
    );
  }, 60_000);

  it("are not all asked for where fifty in a row fail, and the galleries are", async () => {
    const content = await generateContent({ articles: 90, galleries: 3, images: 4, seed: 1 });
    const bench = await startBench({ content }, { concurrency: 4 });
    let asked = 0;
    bench.intercept = (request, response) => {
      if (!isSingle(request.url)) return false;
      asked++;
      response.writeHead(500).end();
      return true;
    };
    const { manifest, problems } = await bench.crawl();
    expect(asked).toBeLessThanOrEqual((50 + 4) * 5);
    expect(manifest.lists["galleries.single"]?.count).toBe(3);
    const rest = problems.filter(({ subject }) => subject === "articles");
    expect(rest).toMatchObject([{ reason: expect.stringMatching(/^the rest was not asked for/) }]);
    expect(problems.length).toBeLessThanOrEqual(50 + 4);
  }, 60_000);
});

describe("the brake", () => {
  it("lets one item of a small archive go", async () => {
    const content = await smallContent();
    for (const { id } of [...content.articles].slice(3)) content.articles.remove(id);
    for (const { id } of [...content.galleries].slice(1)) content.galleries.remove(id);
    for (const { id } of [...content.images].slice(4)) content.images.remove(id);
    const bench = await startBench({ content });
    await bench.crawl();
    content.articles.remove([...content.articles][1]?.id as string);
    const crawled = await bench.crawl();
    expect(crawled.manifest.complete).toBe(true);
    expect(crawled.ids("articles")).toHaveLength(2);
    await expect(
      (async () => {
        content.articles.remove([...content.articles][0]?.id as string);
        await bench.crawl({ config: { maxRemoved: { share: 0, items: 50 } } });
      })(),
    ).rejects.toMatchObject({ exitCode: 10 });
  });

  it("names the first items that vanished", async () => {
    const bench = await startBench();
    await bench.crawl();
    const victims = [...bench.content.articles].slice(0, 9);
    for (const { id } of victims) bench.content.articles.remove(id);
    const [a, b, c] = victims.map(({ id, title }) => `articles/${id} ${JSON.stringify(title)}`);
    await expect(bench.crawl()).rejects.toMatchObject({
      message: expect.stringContaining(`at once: ${a}, ${b}, ${c} and 6 more`),
    });
  });
});

describe("a crawl of an origin with parts that cannot be had", () => {
  it("is not complete because one problem stands for many missing lists", async () => {
    const bench = await startBench({}, { maxProblems: 10 });
    bench.intercept = ({ url }, response) =>
      /\/articles\/[^/]+\/images$/.test(url ?? "") && send(response, {}, 404);
    const { manifest, problems } = await bench.crawl();
    expect(problems.length).toBeLessThanOrEqual(10);
    expect(manifest.complete).toBe(false);
  });

  it("goes on behind neighbours that are no JSON: that is no silence", async () => {
    const bench = await startBench({}, { concurrency: 1 });
    const broken = [...bench.content.articles].slice(3, 9).map(({ id }) => id);
    bench.intercept = ({ url }, response) =>
      broken.some((id) => url?.endsWith(`/articles/${id}`)) && send(response, "<!doctype html>");
    const { manifest, problems, ids } = await bench.crawl();
    expect(problems).toHaveLength(broken.length);
    expect(manifest.complete).toBe(false);
    expect(ids("articles.single")).toHaveLength(30 - broken.length);
  });

  it.each([
    ["a next page", { links: { next: "/tags?page=2" } }],
    ["a larger total", { meta: { total: 9 } }],
  ])("does not take one page of tags for all of them: %s", async (_, envelope) => {
    const bench = await startBench();
    bench.intercept = ({ url }, response) =>
      /\/tags$/.test(url ?? "") &&
      send(response, { data: [{ slug: "tide", title: "Tide" }], ...envelope });
    const { manifest, problems } = await bench.crawl();
    expect(manifest.complete).toBe(false);
    expect(problems).toMatchObject([
      {
        subject: "index of tags",
        reason: expect.stringMatching(/names more items than it gave|1 items of 9/),
      },
    ]);
  });
});
