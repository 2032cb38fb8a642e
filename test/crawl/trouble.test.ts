import { describe, expect, it } from "vitest";
import { Interrupted } from "../../src/errors.ts";
import {
  type Answer,
  altering,
  type Bench,
  type Intercept,
  isProbe,
  pageOf,
  send,
  startBench,
} from "./support.ts";

const isArticles = (path: string): boolean => /^\/articles(?:\?|$)/.test(path);

/** Pages of 5, so that 30 articles make 6. */
const startPaged = (crawl = {}): Promise<Bench> => startBench({ pageSize: 5 }, crawl);

const noAttachments = { images: 0, videos: 0, documents: 0, audio: 0 };

/** An origin that has nothing at some paths. */
const without =
  (paths: RegExp): Intercept =>
  ({ url = "" }, response) =>
    paths.test(url) && send(response, { message: "Not found" }, 404);

const ids = (bench: Bench): string[] => [...bench.content.articles].map(({ id }) => id);

describe("a crawl of an index that changes while it is read", () => {
  const added = (bench: Bench, publishedAt: number) => {
    const model = bench.content.articles.at(0) as { id: string };
    const id = `0a1b2c3d-0000-4000-8000-${String(publishedAt).padStart(12, "0").slice(-12)}`;
    bench.content.articles.add({ ...model, id, slug: id, publishedAt, images: [] } as never);
  };
  it.each<[string, number, (bench: Bench) => void]>([
    ["an article is added on top", 3, (bench) => added(bench, Date.UTC(2030, 0))],
    [
      "more articles are added on top than fit on a page",
      3,
      (bench) => {
        for (let n = 0; n < 7; n++) added(bench, Date.UTC(2030, n));
      },
    ],
    [
      "an article is added in the middle",
      3,
      (bench) => added(bench, bench.content.articles.at(8)?.publishedAt ?? 0),
    ],
    ["an article is added at the end", 3, (bench) => added(bench, 0)],
    [
      "an article that was read is removed",
      3,
      (bench) => bench.content.articles.remove(ids(bench)[2] as string),
    ],
    [
      "an article that was not read is removed",
      3,
      (bench) => bench.content.articles.remove(ids(bench)[28] as string),
    ],
    [
      "an article of page 1 is removed and another one added further down",
      3,
      (bench) => {
        bench.content.articles.remove(ids(bench)[1] as string);
        added(bench, bench.content.articles.at(25)?.publishedAt ?? 0);
      },
    ],
    [
      "an article that was not read moves to the top",
      4,
      (bench) => {
        const { articles } = bench.content;
        articles.edit(ids(bench)[27] as string, { publishedAt: Date.UTC(2030, 0) });
      },
    ],
    [
      "an article is removed at the very end",
      6,
      (bench) => bench.content.articles.remove(ids(bench)[0] as string),
    ],
  ])("misses nothing when %s before page %i", async (_, page, change) => {
    const bench = await startPaged({ concurrency: 2 });
    let done = false;
    bench.intercept = (request) => {
      if (!done && pageOf(request, "/articles") === page) {
        done = true;
        change(bench);
      }
      return false;
    };
    const crawled = await bench.crawl();
    expect(done).toBe(true);
    expect(crawled.manifest.complete).toBe(true);
    expect(crawled.problems).toEqual([]);
    expect(crawled.ids("articles")).toEqual(ids(bench));
    expect(crawled.ids("articles.single")).toEqual(ids(bench));
    expect(crawled.manifest.lists.articles?.overrides).toEqual({});
  });

  it("lists again when something it listed is gone by the time it is asked for", async () => {
    const bench = await startPaged();
    const victim = ids(bench)[12] as string;
    bench.intercept = (request) => {
      if (/\/articles\/[\w-]{36}$/.test(request.url ?? "")) bench.content.articles.remove(victim);
      return false;
    };
    const crawled = await bench.crawl({ config: { concurrency: 1 } });
    expect(crawled.manifest.complete).toBe(true);
    expect(crawled.problems).toEqual([]);
    expect(crawled.ids("articles")).toEqual(ids(bench));
    const singles = crawled.requests.filter((url) => /^\/articles\/[\w-]{36}$/.test(url));
    expect(singles).toHaveLength(30);
  });

  it("reports what is listed for good, but not there", async () => {
    const bench = await startPaged();
    const victim = ids(bench)[12] as string;
    bench.intercept = (request, response) =>
      (request.url?.endsWith(`/articles/${victim}`) ?? false) && send(response, "{}", 404);
    const crawled = await bench.crawl();
    expect(crawled.manifest.complete).toBe(false);
    expect(crawled.problems).toMatchObject([
      { subject: `article ${victim}`, reason: expect.stringContaining("404") },
    ]);
    expect(crawled.ids("articles.single")).toHaveLength(29);
    expect(crawled.requests.filter((url) => url.startsWith(`/articles/${victim}/`))).toEqual([]);
  });
});

describe("what the log says of an answer that is asked for again", () => {
  it.each<[string, unknown]>([
    ["no list", { message: "busy" }],
    ["a list of another form", { data: "none", links: {}, meta: {} }],
    ["an empty object", {}],
  ])("names the request once: %s", async (_, body) => {
    const bench = await startPaged();
    let times = 0;
    bench.intercept = ({ url = "" }, response) =>
      url.endsWith("/articles?page=3") && ++times === 1 && send(response, body);
    const { infos } = await bench.crawl();
    const told = infos.filter((line) => line.includes("requested again"));
    expect(told).toHaveLength(1);
    expect(told[0]).toMatch(/^GET \/articles\?page=3: (?!GET ).+, requested again$/);
  });
});

describe("a crawl of an index that contradicts itself", () => {
  it.each<[string, (answer: Answer, path: string) => unknown]>([
    ["totals are too high", (answer) => ({ ...answer, meta: { ...answer.meta, total: 34 } })],
    [
      "a page is repeated in the place of another",
      (answer, path) =>
        path.endsWith("page=4")
          ? { ...answer, data: answer.data.map((item, at) => ({ ...item, id: `twice-${at}` })) }
          : path.endsWith("page=5")
            ? { ...answer, data: answer.data.map((item, at) => ({ ...item, id: `twice-${at}` })) }
            : answer,
    ],
    [
      "a page in the middle is empty",
      (answer, path) => (path.endsWith("page=3") ? { ...answer, data: [] } : answer),
    ],
    [
      "a page in the middle is empty, and there are no totals",
      (answer, path) => ({
        ...answer,
        meta: { last_page: answer.meta.last_page },
        data: path.endsWith("page=3") ? [] : answer.data,
      }),
    ],
    [
      "the last page is named far too high",
      (answer) => ({ ...answer, meta: { ...answer.meta, last_page: 1e9, total: 1e10 } }),
    ],
  ])("is not complete when %s", async (_, change) => {
    const bench = await startPaged({ maxPasses: 3 });
    bench.intercept = altering(bench, isArticles, change);
    const crawled = await bench.crawl();
    expect(crawled.manifest.complete).toBe(false);
    const proof = crawled.manifest.proof.find(({ list }) => list === "articles");
    expect(proof).toMatchObject({ agreed: false });
    expect(proof?.passes).toBeGreaterThan(1);
    expect(crawled.requests.length).toBeLessThan(400);
    expect(new Set(crawled.ids("articles")).size).toBe(crawled.ids("articles").length);
  });

  it.each<[string, number, (answer: Answer) => unknown]>([
    [
      "there is a last page and no total",
      2,
      ({ data, links, meta }) => ({ data, links, meta: { last_page: meta.last_page } }),
    ],
    ["the total is null", 2, (answer) => ({ ...answer, meta: { ...answer.meta, total: null } })],
    ["there is no meta", 2, ({ data, links }) => ({ data, links })],
    ["there are data alone", 2, ({ data }) => ({ data })],
    ["totals are too low", 2, (answer) => ({ ...answer, meta: { ...answer.meta, total: 7 } })],
    [
      "there is always a next page",
      2,
      (answer) => ({ ...answer, links: { ...answer.links, next: "https://a.test/?page=2" } }),
    ],
    [
      "numbers are written as strings",
      2,
      ({ meta, ...answer }) => ({
        ...answer,
        meta: {
          ...meta,
          total: String(meta.total),
          last_page: String(meta.last_page),
          per_page: String(meta.per_page),
        },
      }),
    ],
  ])("reads everything when %s, in %i passes", async (_, passes, change) => {
    const bench = await startPaged();
    bench.intercept = altering(bench, isArticles, change);
    const crawled = await bench.crawl();
    expect(crawled.ids("articles")).toEqual(ids(bench));
    expect(crawled.manifest.complete).toBe(true);
    expect(crawled.manifest.proof[0]).toMatchObject({ list: "articles", passes, collected: 30 });
    expect(crawled.manifest.lists.articles?.perPage).toBe(5);
  });

  it.each<[string, object, boolean, string | undefined]>([
    ["says nothing of an end", {}, false, "page 2 repeats page 1"],
    ["names a next page", { links: { next: "?page=2" } }, false, "page 2 repeats page 1"],
    ["names no next page", { links: { next: null } }, true, undefined],
    ["gives a total", { meta: { total: 2 } }, true, undefined],
    ["gives a higher total", { meta: { total: 4 } }, false, "2 items of 4"],
    ["names a last page", { meta: { last_page: 1 } }, true, undefined],
    ["names a later last page", { meta: { last_page: 2 } }, false, "page 2 repeats page 1"],
  ])(
    "proves an index that ignores page numbers only by itself: one that %s (%o)",
    async (_, envelope, agreed, remark) => {
      const bench = await startPaged();
      let asked = 0;
      bench.intercept = (request, response) => {
        const id = /\/galleries\/(g\d)/.exec(request.url ?? "")?.[1];
        if (id !== undefined) return send(response, { data: { id, attachments: noAttachments } });
        if (pageOf(request, "/galleries") === undefined) return false;
        asked++;
        return send(response, { data: [{ id: "g1" }, { id: "g2" }], ...envelope });
      };
      const crawled = await bench.crawl();
      expect(crawled.ids("galleries")).toEqual(["g1", "g2"]);
      expect(asked).toBeLessThan(8 + 3);
      const proof = crawled.manifest.proof.find(({ list }) => list === "galleries");
      expect(proof).toMatchObject({ collected: 2, agreed });
      expect(proof?.remark).toBe(remark);
      expect(crawled.manifest.complete).toBe(agreed);
      expect(crawled.problems.map(({ subject }) => subject)).toEqual(
        agreed ? [] : ["index of galleries"],
      );
      if (!agreed) expect(crawled.problems[0]?.reason).toContain(remark);
    },
  );

  const withoutMeta = ({ data }: Answer) => ({ data });
  it.each<[string, (answer: Answer, path: string) => unknown]>([
    [
      "pages become smaller on the way",
      (answer, path) =>
        withoutMeta({
          ...answer,
          data: path === "/articles" ? answer.data.slice(0, 2) : answer.data,
        }),
    ],
    ["every page is full to the last", withoutMeta],
  ])("reads on until a page is empty where nothing is said and %s", async (_, change) => {
    const bench = await startPaged();
    bench.intercept = altering(bench, isArticles, change);
    const crawled = await bench.crawl();
    expect(crawled.requests).toContain("/articles?page=7");
    const short = crawled.ids("articles").length;
    expect(short).toBe(change === withoutMeta ? 30 : 27);
    expect(crawled.manifest.complete).toBe(true);
  });

  it.each([
    ["none", 404],
    ["an empty one", 200],
  ])(
    "takes %s for the end where nothing is said, unless it was named as the next (%i)",
    async (_, status) => {
      const bench = await startPaged();
      const crawlWith = async (links: object) => {
        const unend = altering(bench, isArticles, ({ data }) => ({ data, ...links }));
        bench.intercept = (request, response) =>
          pageOf(request, "/articles") === 7
            ? send(response, { data: [], ...links }, status)
            : unend(request, response);
        return await bench.crawl();
      };
      const silent = await crawlWith({});
      expect(silent.ids("articles")).toEqual(ids(bench));
      expect(silent.manifest.complete).toBe(true);
      const named = await crawlWith({ links: { next: "https://a.test/?page=x" } });
      expect(named.ids("articles")).toEqual(ids(bench));
      expect(named.manifest.complete).toBe(false);
      expect(named.problems).toMatchObject([
        {
          subject: "index of articles",
          reason:
            "not proved complete: 30 items read, an unknown number expected: page 6 names a next page, which has no items",
          hint: expect.stringContaining("--allow-incomplete"),
        },
      ]);
    },
  );

  it("says of an attachment list without an end what its count does not settle", async () => {
    const bench = await startBench();
    const isPublic = (id: string): boolean => bench.content.images.get(id)?.private === false;
    const short = [...bench.content.articles].find(({ images }) => {
      const count = images.filter(isPublic).length;
      return count > 1 && count < 20;
    })?.id;
    const unended = altering(
      bench,
      (path) => /^\/articles\/[\w-]+\/images/.test(path),
      ({ data, meta }, path) => {
        if (Number(meta.total) > 20) return { data, meta };
        return { data: path.includes(`/${short}/`) ? data.slice(0, 1) : data };
      },
    );
    bench.intercept = (request, response) => {
      const ignoresPages = request.url?.includes(`/${short}/images?`) === true;
      if (ignoresPages) request.url = request.url?.split("?")[0];
      return unended(request, response);
    };
    const crawled = await bench.crawl();
    expect(crawled.problems).toMatchObject([
      {
        subject: `articles/${short}/images`,
        reason: expect.stringMatching(
          /page 2 repeats page 1, 1 items of \d+, and the origin does not say that it ends there/,
        ),
      },
    ]);
  });

  it.each([
    ['{"data":{}}', "data"],
    ["[]", "(object)"],
    ["{}", "data"],
  ])("ends with exit code 8 when the article index answers %s", async (body, path) => {
    const bench = await startPaged();
    bench.intercept = (request, response) =>
      pageOf(request, "/articles") !== undefined && send(response, body);
    await expect(bench.crawl()).rejects.toMatchObject({
      exitCode: 8,
      message: expect.stringContaining(`GET /articles: unexpected answer: ${path}: `),
    });
  });
});

describe("a crawl with malformed objects", () => {
  type Spoil = (item: Record<string, unknown>) => unknown;
  it.each<["articles" | "galleries" | "images" | "videos" | "categories" | "tags", string, Spoil]>([
    ["articles", "(object)", () => null],
    ["articles", "(object)", () => "text"],
    ["articles", "id", ({ id: _, ...rest }) => rest],
    ["galleries", "id", (item) => ({ ...item, id: "" })],
    ["images", "id", (item) => ({ ...item, id: { odd: true } })],
    ["videos", "id", (item) => ({ ...item, id: 1.5 })],
    ["categories", "id", (item) => ({ ...item, id: [] })],
    ["tags", "slug", (item) => ({ ...item, slug: "" })],
  ])("keeps the other %s when one has a wrong %s", async (list, jsonPath, spoil) => {
    const bench = await startPaged();
    const whole = (await bench.crawl()).ids(list);
    bench.intercept = altering(
      bench,
      (path) => path === `/${list}`,
      (answer) => ({
        ...answer,
        data: answer.data.map((item, at) => (at === 1 ? spoil(item) : item)),
      }),
    );
    const crawled = await bench.crawl({ config: { maxRemoved: { share: 0.5, items: 50 } } });
    expect(crawled.problems).toContainEqual(
      expect.objectContaining({
        subject: `GET /${list}: data[1]`,
        reason: expect.stringContaining(`malformed object: ${jsonPath}: `),
      }),
    );
    expect(crawled.manifest.complete).toBe(false);
    // Articles and galleries keep their last known form; a file that is not listed is not proved to be public.
    const keeps = list === "articles" || list === "galleries";
    expect(crawled.ids(list)).toEqual(keeps ? whole : whole.filter((_, at) => at !== 1));
  });

  // "Resources and their fields" of the API document: each is described, and an item is known by its id alone.
  it.each<["articles" | "galleries" | "images" | "videos" | "categories" | "tags", string, object]>(
    [
      ["articles", "published_at", { published_at: "soon" }],
      ["articles", "created_at", { created_at: "-0001-11-30T00:00:00.000000Z" }],
      ["articles", "attachments.images", { attachments: { images: "many" } }],
      ["articles", "tags", { tags: "sea, coast" }],
      ["articles", "category", { category: "Coast" }],
      ["galleries", "links.view", { links: { view: 4 } }],
      ["galleries", "links", { links: "none" }],
      ["images", "created_at", { created_at: "0000-00-00 00:00:00" }],
      ["videos", "title", { title: [] }],
      ["categories", "articles_count", { articles_count: -1 }],
      ["tags", "title", { title: { en: "Sea" } }],
    ],
  )("keeps one of the %s without its %s where that cannot be read", async (list, path, odd) => {
    const bench = await startPaged();
    const whole = (await bench.crawl()).ids(list);
    bench.intercept = altering(
      bench,
      (asked) => asked === `/${list}`,
      (answer) => ({
        ...answer,
        data: answer.data.map((item, at) => (at === 1 ? { ...item, ...odd } : item)),
      }),
    );
    const { manifest, problems, ids: listed } = await bench.crawl();
    expect([manifest.complete, problems, listed(list)]).toEqual([true, [], whole]);
    expect(manifest.remarks).toContainEqual({
      subject: `index of ${list}`,
      item: expect.stringMatching(/^id \S+$/),
      reason: expect.stringMatching(new RegExp(`^1 item: ${path}: `)),
      hint: expect.stringContaining("as they came"),
    });
  });

  it.each<["articles" | "galleries" | "tags", string, unknown]>([
    ["articles", "title", { en: "Sea" }],
    ["galleries", "published_at", "soon"],
    ["tags", "title", ["Sea"]],
  ])(
    "believes that all %s suddenly lack their %s when two nights find it",
    async (list, name, odd) => {
      const bench = await startPaged();
      await bench.crawl();
      bench.intercept = altering(
        bench,
        (asked) => asked === `/${list}` || asked.startsWith(`/${list}?`),
        (answer) => ({ ...answer, data: answer.data.map((item) => ({ ...item, [name]: odd })) }),
      );
      const first = await bench.crawl();
      const reason = expect.stringMatching(new RegExp(`^\\d+ items: ${name}: `));
      expect(first.manifest.complete).toBe(false);
      expect(first.problems).toMatchObject([{ subject: `index of ${list}`, reason }]);
      const second = await bench.crawl();
      expect([second.manifest.complete, second.problems]).toEqual([true, []]);
      expect(second.manifest.remarks).toContainEqual(
        expect.objectContaining({ subject: `index of ${list}`, reason }),
      );
      expect((await bench.crawl()).changed).toBe(false);
    },
  );

  it("names a malformed object by its id and title, in one line and without secrets", async () => {
    const bench = await startPaged();
    const named = (item: Record<string, unknown>, at: number): Record<string, unknown> => {
      const url = `${bench.origin.baseUrl}/?signature=abc`;
      const title = `A\n"title" ${url} ${"long ".repeat(40)}`;
      if (at === 1) return { ...item, id: { odd: 1 }, slug: "of-the-second", title };
      if (at === 2) return { ...item, id: "..", title: " " };
      return at === 3 ? { ...item, id: null, slug: "a-slug", title: 4 } : item;
    };
    bench.intercept = altering(
      bench,
      (path) => path === "/articles?page=2",
      (answer) => ({ ...answer, data: answer.data.map(named) }),
    );
    const { problems } = await bench.crawl();
    const at = (position: number): string => `GET /articles?page=2: data[${position}]`;
    const title = `A "title" ${bench.origin.baseUrl}/ ${"long ".repeat(40)}`.slice(0, 79);
    expect(problems.map(({ subject, item }) => [subject, item])).toEqual([
      [at(1), `slug of-the-second, ${JSON.stringify(`${title}…`)}`],
      [at(2), "id .."],
      [at(3), "slug a-slug"],
    ]);
  });

  it("tolerates as many problems as maxProblems says", async () => {
    const bench = await startPaged({ maxProblems: 1 });
    const victim = ids(bench)[3];
    bench.intercept = (request, response) =>
      (request.url?.endsWith(`/articles/${victim}`) ?? false) && send(response, { data: [] });
    const crawled = await bench.crawl();
    expect(crawled.problems).toEqual([
      {
        subject: `article ${victim}`,
        reason: expect.stringContaining(`GET /articles/${victim}: malformed object: (object): `),
      },
    ]);
    expect(crawled.manifest.complete).toBe(true);
  });

  it("does not take another article for the one it asked for", async () => {
    const bench = await startPaged();
    const [wanted, other] = ids(bench);
    bench.intercept = (request, response) =>
      (request.url?.endsWith(`/articles/${wanted}`) ?? false) &&
      send(response, { data: { id: other } });
    const crawled = await bench.crawl();
    expect(crawled.problems).toMatchObject([
      { reason: `GET /articles/${wanted}: id: expected ${wanted}, got ${other}` },
    ]);
    expect(crawled.ids("articles.single")).not.toContain(wanted);
  });

  it("keeps the last known form of an item whose refetch fails, and asks again at the next crawl", async () => {
    const bench = await startPaged({ refreshShare: 0 });
    await bench.crawl();
    const id = ids(bench)[4] as string;
    bench.content.articles.edit(id, { title: "Edited" });
    bench.intercept = (request, response) =>
      (request.url?.includes(`/articles/${id}`) ?? false) && send(response, "{}", 422);
    const titleIn = (
      crawled: Awaited<ReturnType<Bench["crawl"]>>,
      list: "articles" | "articles.single",
    ) => crawled.look((reader) => reader.find(list, list, id)?.normal.title);

    const second = await bench.crawl();
    expect(second.manifest.complete).toBe(false);
    expect(titleIn(second, "articles")).toBe("Edited");
    expect(titleIn(second, "articles.single")).not.toBe("Edited");
    expect(second.ids("attachments")).toHaveLength(second.manifest.lists.attachments?.count ?? 0);

    bench.intercept = undefined;
    const third = await bench.crawl();
    expect(third.requests).toContain(`/articles/${id}`);
    expect(third.manifest.complete).toBe(true);
    expect(titleIn(third, "articles.single")).toBe("Edited");
    expect((await bench.crawl()).requests).not.toContain(`/articles/${id}`);
  });

  it("says the same, whichever of two failures comes first", async () => {
    const bench = await startPaged({ refreshShare: 0 });
    const victims = ids(bench).slice(2, 4);
    const crawlWith = async (slow: string | undefined) => {
      bench.intercept = (request, response) => {
        const victim = victims.find((id) => request.url?.endsWith(`/articles/${id}`));
        if (victim === undefined) return false;
        setTimeout(() => send(response, "{}", 422), victim === slow ? 80 : 0);
        return true;
      };
      return await bench.crawl();
    };
    const first = await crawlWith(victims[0]);
    const second = await crawlWith(victims[1]);
    expect(first.problems).toHaveLength(2);
    expect(second.problems).toEqual(first.problems);
    expect(second.changed).toBe(false);
  });

  it("does not forget a malformed attachment at the next crawl", async () => {
    const bench = await startPaged({ refreshShare: 0 });
    const owner = [...bench.content.articles].find(({ images }) => images.length > 1)?.id;
    bench.intercept = altering(
      bench,
      (path) => path === `/articles/${owner}/images`,
      (answer) => ({
        ...answer,
        data: answer.data.map((item, at) => (at === 0 ? { ...item, id: null } : item)),
      }),
    );
    const [first, second] = [await bench.crawl(), await bench.crawl()];
    expect(first.problems).toHaveLength(1);
    expect(second.problems).toEqual(first.problems);
    expect(second.changed).toBe(false);
    bench.intercept = undefined;
    const third = await bench.crawl();
    expect(third.problems).toEqual([]);
    expect(third.manifest.complete).toBe(true);
  });
});

describe("a crawl with a wrong path", () => {
  it("reports an attachment endpoint that is not there once, and asks no more", async () => {
    const bench = await startPaged({ concurrency: 1 });
    bench.config.origin.paths.articleImages = "/articles/{id}/pictures";
    bench.intercept = without(/\/articles\/[^/?]+\/images/);
    const crawled = await bench.crawl();
    expect(crawled.problems).toContainEqual({
      subject: "origin.paths.articleImages",
      reason: "404 for each of the first 5 lists",
      hint: expect.stringContaining("null"),
    });
    expect(crawled.manifest.complete).toBe(false);
    const asked = crawled.requests.filter((url) => /^\/articles\/[^/]+\/pictures$/.test(url));
    expect(new Set(asked).size).toBeLessThan(8);
    // Looked for once, at all usual paths.
    const looked = crawled.requests.filter((url) => /\/(?:images|photos|pictures)$/.test(url));
    expect(looked.length - asked.length).toBeLessThan(30);
  });

  it("takes a kind of which there are few lists for missing, too, and no item for gone", async () => {
    const bench = await startPaged({ concurrency: 1 });
    const { paths } = bench.config.origin;
    Object.assign(paths, {
      articleVideos: "/articles/{id}/films",
      galleryImages: "/galleries/{id}/pictures",
    });
    bench.intercept = without(/\/articles\/[^/?]+\/videos|\/galleries\/[^/?]+\/images/);
    const [first] = ids(bench);
    for (const { id } of [...bench.content.articles]) {
      const videos = id === first ? [bench.content.videos.at(0)?.id as string] : [];
      bench.content.articles.edit(id, { videos });
    }
    const crawled = await bench.crawl();
    expect(crawled.problems.map(({ subject, reason }) => [subject, reason])).toEqual([
      ["origin.paths.articleVideos", "404 for 1 list, all there are"],
      ["origin.paths.galleryImages", "404 for each of the first 5 lists"],
    ]);
    // No index is walked again because of it.
    const after = crawled.requests.slice(
      crawled.requests.findIndex((url) => url.endsWith("/films")),
    );
    expect(after.filter((url) => /^\/(?:articles|galleries)$/.test(url))).toEqual([]);
  });
});

describe("a crawl with odd ids", () => {
  const odd = [
    "17",
    "a/b",
    "ünï/çødé",
    "x".repeat(300),
    "__proto__",
    "constructor",
    "..",
    "a b?c#d",
  ];

  it("asks for each and keeps them apart", async () => {
    const bench = await startBench();
    const asked: string[] = [];
    bench.intercept = (request, response) => {
      const url = new URL(request.url ?? "", "http://localhost");
      const [, index, id, kind] = url.pathname
        .replace("/api/v1", "")
        .split("/")
        .map(decodeURIComponent);
      if (index !== "articles")
        return send(response, { data: [], meta: { total: 0, last_page: 1 } });
      if (kind !== undefined) return send(response, { data: [{ id: `image of ${id}` }] });
      if (id !== undefined) {
        asked.push(id);
        return send(response, { data: { id, attachments: { images: 1 } } });
      }
      const data = odd.map((one) => ({ id: one === "17" ? 17 : one, attachments: { images: 1 } }));
      return send(response, { data, meta: { total: odd.length, last_page: 1, per_page: 20 } });
    };
    const crawled = await bench.crawl();
    // Not even an escaped `..` can be asked for: every URL parser climbs.
    const reachable = odd.filter((id) => id !== "..");
    expect(crawled.ids("articles")).toEqual(reachable);
    expect(crawled.problems).toContainEqual({
      subject: "GET /articles: data[6]",
      item: "id ..",
      reason: "malformed object: id: expected an id that can stand in an address",
    });
    expect(asked.sort()).toEqual([...reachable].sort());
    crawled.look((reader) => {
      for (const id of reachable) {
        expect(reader.find("articles.single", "articles.single", id)?.id).toBe(id);
        expect(reader.attachments("articles", id, "images")?.items[0]?.id).toBe(`image of ${id}`);
      }
    });
  });
});

describe("a crawl of an origin in trouble", () => {
  it("is complete when errors pass", async () => {
    const bench = await startPaged();
    const failed = new Map<string, number>();
    bench.intercept = (request, response) => {
      const url = request.url ?? "";
      const times = failed.get(url) ?? 0;
      if (!/page=2|\/categories/.test(url) || times >= 1) return false;
      failed.set(url, times + 1);
      if (url.includes("categories")) request.socket.destroy();
      else response.writeHead(times === 0 ? 503 : 500).end();
      return true;
    };
    const crawled = await bench.crawl();
    expect(failed.size).toBeGreaterThan(2);
    expect(crawled.problems).toEqual([]);
    expect(crawled.manifest.complete).toBe(true);
  });

  it.each<[string, Intercept]>([
    [
      "the origin stops answering",
      (request) => {
        request.socket.destroy();
        return true;
      },
    ],
    [
      "there is nothing but a page that tells of maintenance",
      (_, response) => send(response, "<!doctype html><title>Back soon</title>"),
    ],
  ])("ends with exit code 8 when %s, and goes on where it was", async (_, fault) => {
    const bench = await startPaged({ concurrency: 16 });
    let down = false;
    let asked = 0;
    bench.intercept = (request, response) => {
      if (/\/articles\/[\w-]{36}$/.test(request.url ?? "") && ++asked > 6) down = true;
      return down && fault(request, response);
    };
    await expect(bench.crawl()).rejects.toMatchObject({
      exitCode: 8,
      message: expect.stringContaining("the origin stopped answering"),
    });
    expect(bench.origin.requests.length).toBeLessThan(300);
    bench.intercept = undefined;
    const again = await bench.crawl();
    expect(again.manifest.complete).toBe(true);
    const indexes = again.requests.filter((url) => !/[\w-]{36}/.test(url));
    expect(indexes.filter((url) => !isProbe(url))).toEqual([]);
  });

  // As many as exhaust the attempts for one address.
  it.each<[string, number, Intercept]>([
    ["503", 5, (_, response) => send(response, "{}", 503)],
    ["502 from a gateway", 5, (_, response) => send(response, "<h1>Bad gateway</h1>", 502)],
    [
      "a page that tells of maintenance",
      12,
      (_, response) => send(response, "<!doctype html><title>Back soon</title>"),
    ],
  ])("is whole where its first answers are %s", async (_, count, fault) => {
    const bench = await startPaged();
    let left = count;
    bench.intercept = (request, response) => left-- > 0 && fault(request, response);
    const { manifest, problems } = await bench.crawl();
    expect([manifest.complete, problems]).toEqual([true, []]);
  });

  it("ends with exit code 4 when the token is refused", async () => {
    const bench = await startPaged();
    bench.intercept = (_, response) => send(response, "{}", 401);
    await expect(bench.crawl()).rejects.toMatchObject({ exitCode: 4, status: 401 });
  });

  it.each([3, 12, 40, 90])(
    "repeats less than 5 % of the requests when interrupted at the %ith",
    async (limit) => {
      const bench = await startPaged();
      const whole = await (await startPaged()).crawl();
      const controller = new AbortController();
      let count = 0;
      bench.intercept = () => {
        if (++count === limit) controller.abort(new Interrupted("SIGINT"));
        return false;
      };
      await expect(bench.crawl({ signal: controller.signal })).rejects.toMatchObject({
        exitCode: 130,
      });
      const before = [...bench.origin.requests].filter(({ status }) => status === 200).length;
      bench.intercept = undefined;
      const resumed = await bench.crawl();
      expect(resumed.manifest.complete).toBe(true);
      expect(resumed.manifest.lists).toEqual(
        expect.objectContaining({ articles: expect.objectContaining({ count: 30 }) }),
      );
      expect(before + resumed.requests.length).toBeLessThan(whole.requests.length * 1.05 + 8);
      expect(resumed.ids("articles.single")).toEqual(ids(bench));
    },
  );
});
