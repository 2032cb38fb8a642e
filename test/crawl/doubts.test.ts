import { rmSync } from "node:fs";
import type { ServerResponse } from "node:http";
import { describe, expect, it } from "vitest";
import {
  type Answer,
  altering,
  type Bench,
  type Intercept,
  isProbe,
  send,
  startBench,
} from "./support.ts";

const pathOf = (url: string | undefined): string => (url ?? "").replace(/^\/api\/v1/, "");

/** Answers the first request to a path only. */
function once(path: RegExp, answer: (response: ServerResponse) => true): Intercept {
  let done = false;
  return ({ url }, response) => {
    if (done || isProbe(url ?? "") || !path.test(pathOf(url))) return false;
    done = answer(response);
    return done;
  };
}

/** Changes the first answer to a path only. */
function alteredOnce(bench: Bench, path: RegExp, change: (answer: Answer) => unknown): Intercept {
  let done = false;
  const alter = altering(bench, (asked) => path.test(asked), change);
  return (request, response) => {
    const { url, headers } = request;
    if (headers["x-unaltered"] !== undefined || done || !path.test(pathOf(url))) return false;
    done = true;
    return alter(request, response);
  };
}

function withMeta(meta: object): (answer: Answer) => unknown {
  return (answer) => ({ ...answer, meta: { ...answer.meta, ...meta } });
}

const badBytes = (response: ServerResponse, text: string): true => {
  response.writeHead(200, { "content-type": "application/json" });
  response.end(Buffer.from(text.replace("title", "ti\u00FFle"), "latin1"));
  return true;
};

describe("a crawl that is given one answer that cannot be right", () => {
  /** What the undisturbed crawl finds, after which everything begins anew. */
  async function expectedOf(bench: Bench): Promise<object> {
    const { manifest } = await bench.crawl();
    expect(manifest.complete).toBe(true);
    rmSync(bench.folder, { recursive: true, force: true });
    return manifest.lists;
  }

  const another = (path: string) => (bench: Bench) => {
    let text = "";
    const prepared = fetch(bench.origin.baseUrl + path, {
      headers: { authorization: `Bearer ${bench.origin.tokens.organisation}` },
    }).then(async (answer) => {
      text = await answer.text();
    });
    return { prepared, answer: (response: ServerResponse) => send(response, text) };
  };

  it.each([
    ["page 1 of articles in the place of page 2", "/articles?page=1", /^\/articles\?page=2$/],
    ["galleries in the place of images", "/galleries", /^\/images(\?page=1)?$/],
    ["galleries in the place of an article's images", "/galleries", /^\/articles\/[^/]+\/images/],
    ["galleries in the place of an article", "/galleries", /^\/articles\/[^/?]+$/],
    ["tags in the place of categories", "/tags", /^\/categories$/],
  ])("is not misled by %s", async (_, given, path) => {
    const bench = await startBench();
    const expected = await expectedOf(bench);
    const { prepared, answer } = another(given)(bench);
    await prepared;
    bench.intercept = once(path, answer);
    const { manifest, problems } = await bench.crawl();
    expect(problems).toEqual([]);
    expect(manifest.complete).toBe(true);
    expect(manifest.lists).toEqual(expected);
  });

  it("does not meet a fault of the moment with both readings of an index", async () => {
    const bench = await startBench();
    const expected = await expectedOf(bench);
    let since: number | undefined;
    const nothing = { data: [], meta: { current_page: 1, last_page: 1, total: 0 } };
    bench.intercept = ({ url }, response) => {
      const galleries = /^\/galleries(\?page=1)?$/.test(pathOf(url));
      if (since === undefined && !galleries) return false;
      since = (since ?? 0) + 1;
      return since <= 4 && galleries && send(response, nothing);
    };
    const { manifest, problems } = await bench.crawl();
    expect(problems).toEqual([]);
    expect(manifest.complete).toBe(true);
    expect(manifest.lists).toEqual(expected);
  });

  it("is not misled by the list of another article", async () => {
    const bench = await startBench();
    const [first, second] = [...bench.content.articles].filter(({ images }) => images.length === 1);
    const expected = await expectedOf(bench);
    const { prepared, answer } = another(`/articles/${second?.id}/images`)(bench);
    await prepared;
    bench.intercept = once(new RegExp(`^/articles/${first?.id}/images`), answer);
    const { manifest } = await bench.crawl();
    expect(manifest.complete).toBe(true);
    expect(manifest.lists).toEqual(expected);
  });

  const text = '{"data":[{"id":"v1","title":"A film"}]}';
  it.each<[string, (response: ServerResponse) => true]>([
    ["400", (response) => send(response, "{}", 400)],
    ["403", (response) => send(response, "{}", 403)],
    ["404", (response) => send(response, "{}", 404)],
    ["410", (response) => send(response, "{}", 410)],
    ["an object of another kind", (response) => send(response, { message: "hello" })],
    ["a web page", (response) => send(response, "<!doctype html><title>Moved</title>")],
    ["brackets without end", (response) => send(response, "[".repeat(1000) + "]".repeat(1000))],
    ["bytes that are not UTF-8", (response) => badBytes(response, text)],
  ])("does not take an index for absent because of %s", async (_, answer) => {
    for (const index of ["videos", "tags"]) {
      const bench = await startBench();
      const expected = await expectedOf(bench);
      bench.intercept = once(new RegExp(`^/${index}(\\?page=1)?$`), answer);
      const { manifest, warnings } = await bench.crawl();
      expect(warnings).toEqual([]);
      expect(manifest.complete).toBe(true);
      expect(manifest.lists).toEqual(expected);
    }
  });

  it("does not take a list for absent because of one 404, where nobody counts", async () => {
    const bench = await startBench();
    const { id } = [...bench.content.articles].find(({ images }) => images.length > 0) as {
      id: string;
    };
    const uncounted = altering(
      bench,
      (path) => /^\/articles(?:\?|$)/.test(path) || path === `/articles/${id}`,
      (answer) => JSON.parse(JSON.stringify(answer, (k, v) => (k === "attachments" ? null : v))),
    );
    bench.intercept = uncounted;
    const expected = await expectedOf(bench);
    const refused = once(new RegExp(`^/articles/${id}/images`), (r) => send(r, "{}", 404));
    bench.intercept = (request, response) =>
      refused(request, response) || uncounted(request, response);
    const { manifest } = await bench.crawl();
    expect(manifest.lists).toEqual(expected);
  });

  it.each([
    ["first", 0],
    ["last", -1],
  ])(
    "asks again for the %s list of attachments without meta, and learns nothing of it",
    async (_, at) => {
      const bench = await startBench({}, { concurrency: 1 });
      const plain = await bench.crawl();
      rmSync(bench.folder, { recursive: true, force: true });
      const paths = plain.requests.filter((path) => /^\/articles\/.*\/images$/.test(path));
      const bare = ({ meta: _, ...answer }: Answer): unknown => answer;
      const faults = [bare, bare, bare, bare].map((change, n) =>
        alteredOnce(bench, new RegExp(`^${paths.at(at + n * (at < 0 ? -1 : 1))}$`), change),
      );
      bench.intercept = (request, response) => faults.some((fault) => fault(request, response));
      const { manifest, problems } = await bench.crawl();
      expect(problems).toEqual([]);
      expect(manifest.lists).toEqual(plain.manifest.lists);
    },
  );

  it.each<[string, (answer: Answer) => unknown]>([
    [
      "counts one item less than it has",
      (answer) => withMeta({ total: answer.data.length - 1 })(answer),
    ],
  ])("keeps no envelope of a list that %s", async (_, change) => {
    const bench = await startBench();
    const { id } = [...bench.content.articles].findLast(({ images }) => images.length > 2) as {
      id: string;
    };
    const expected = await expectedOf(bench);
    bench.intercept = alteredOnce(bench, new RegExp(`^/articles/${id}/images`), change);
    const { manifest } = await bench.crawl();
    expect(manifest.lists).toEqual(expected);
  });
});

describe("a crawl of an origin that always says what is not so", () => {
  it.each<[string, (answer: Answer, path: string) => unknown]>([
    ["names other paths", withMeta({ path: "http://inside/v2/things" })],
    ["says that each page is page 1", withMeta({ current_page: 1 })],
    [
      "counts one item too few in lists",
      (answer, path) =>
        /^\/articles\/.*\/images/.test(path)
          ? withMeta({ total: Math.max(0, answer.data.length - 1) })(answer)
          : answer,
    ],
  ])("takes it as it is where it %s, and soon asks for nothing twice", async (_, change) => {
    const bench = await startBench({ pageSize: 5 }, { concurrency: 1 });
    const plain = await bench.crawl();
    rmSync(bench.folder, { recursive: true, force: true });
    const isList = (path: string): boolean => /(?:articles|images|galleries)(?:\?|$)/.test(path);
    bench.intercept = altering(bench, isList, change);
    const { manifest, problems, requests } = await bench.crawl();
    expect(problems).toEqual([]);
    expect(manifest.complete).toBe(true);
    for (const [name, { count }] of Object.entries(plain.manifest.lists)) {
      expect([name, manifest.lists[name]?.count]).toEqual([name, count]);
    }
    const lists = new Set(requests.filter((url) => isList(url))).size;
    expect(requests.length).toBeLessThan(2 * plain.requests.length + 2 * lists);
  });

  const withoutTotal = ({ meta: { total: _, ...meta }, ...answer }: Answer) => ({
    ...answer,
    meta,
  });
  it.each<[string, RegExp, (answer: Answer) => unknown]>([
    ["gives no meta", /./, ({ meta: _, ...answer }) => answer],
    ["gives no total", /./, withoutTotal],
    ["gives no total of attachments", /^\/(?:articles|galleries)\/.*\/\w+/, withoutTotal],
  ])("asks for three answers twice where it %s", async (_, kind, change) => {
    const bench = await startBench({ pageSize: 50 }, { concurrency: 1, privateImages: "exclude" });
    const plain = await bench.crawl();
    rmSync(bench.folder, { recursive: true, force: true });
    const isList = (path: string): boolean => /[a-z](?:\?|$)/.test(path) && kind.test(path);
    bench.intercept = altering(bench, isList, (answer) =>
      Array.isArray(answer.data) && answer.meta !== undefined ? change(answer) : answer,
    );
    // Each altered answer is requested by the one who alters it, too.
    const { manifest, problems, requests } = await bench.crawl();
    expect(problems).toEqual([]);
    expect(manifest.complete).toBe(true);
    const altered = requests.filter(isList).length / 2;
    const before = plain.requests.filter(isList).length;
    expect(altered).toBe(before + 3);
  });

  it("believes it of others only after three", async () => {
    const bench = await startBench({}, { concurrency: 1 });
    const plain = await bench.crawl();
    rmSync(bench.folder, { recursive: true, force: true });
    const paths = plain.requests.filter((path) => /^\/articles\/.*\/images$/.test(path));
    const misled = async (odd: number): Promise<boolean> => {
      const strange = altering(
        bench,
        (path) => paths.slice(0, odd).includes(path),
        withMeta({ path: "http://inside/v2/things" }),
      );
      const swapped = alteredOnce(bench, new RegExp(`^${paths.at(-1)}$`), (answer) => ({
        ...(withMeta({ path: "http://inside/v2/others" })(answer) as Answer),
        data: answer.data.map((item) => ({ ...item, title: "Of another article" })),
      }));
      bench.intercept = (request, response) =>
        swapped(request, response) || strange(request, response);
      const crawled = await bench.crawl();
      const titles = crawled.look((reader, { objects }) => {
        const id = paths.at(-1)?.split("/")[2] as string;
        const items = reader.attachments("articles", id, "images")?.items ?? [];
        return items.map(({ digest }) => objects.readNormal("images", digest).title);
      });
      rmSync(bench.folder, { recursive: true, force: true });
      expect(crawled.problems).toEqual([]);
      return titles.includes("Of another article");
    };
    expect(await misled(2)).toBe(false);
    expect(await misled(3)).toBe(true);
  });

  it("takes what only the first of two answers had for a fault of the moment", async () => {
    const bench = await startBench();
    const { baseUrl, tokens } = bench.origin;
    const headers = { authorization: `Bearer ${tokens.organisation}` };
    const answer = (await (await fetch(`${baseUrl}/galleries`, { headers })).json()) as Answer;
    const strange = withMeta({ path: "http://inside/v2/things" });
    const damaged = once(/^\/galleries(\?page=1)?$/, (response) =>
      badBytes(response, JSON.stringify(strange(answer))),
    );
    const asked: string[] = [];
    const altered = altering(
      bench,
      (path) => path.startsWith("/galleries?") || path === "/galleries",
      strange,
    );
    bench.intercept = (request, response) => {
      const isOwn = request.headers["x-unaltered"] === undefined;
      if (isOwn && /^\/galleries(\?page=1)?$/.test(pathOf(request.url)))
        asked.push(request.url ?? "");
      return damaged(request, response) || altered(request, response);
    };
    const { manifest, problems } = await bench.crawl();
    expect([manifest.complete, problems]).toEqual([true, []]);
    // Both passes ask twice.
    expect(asked.length).toBe(4);
  });

  it("replaces bytes that are not UTF-8, and says so", async () => {
    const bench = await startBench();
    const body = '{"data":[{"slug":"tide","title":"Tide"}]}';
    bench.intercept = ({ url }, response) =>
      pathOf(url) === "/tags" && badBytes(response, body.replace("Tide", "title"));
    const crawled = await bench.crawl();
    expect(crawled.manifest.complete).toBe(true);
    expect(crawled.warnings).toEqual(["GET /tags: bytes that are not UTF-8, replaced by \uFFFD"]);
  });
});
