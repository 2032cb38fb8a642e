// An origin, or who controls its answers, with lists without end, answers of millions of values, ids of megabytes and
// failures by the hundred thousand, to fill disk and memory.
import { randomUUID } from "node:crypto";
import { statSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { describe, expect, it, onTestFinished } from "vitest";
import { createClient } from "../../src/api/client.ts";
import { readItem, WireArticle } from "../../src/api/schema.ts";
import { ConfigSchema } from "../../src/config.ts";
import { exitCodes } from "../../src/errors.ts";
import { walkSorted } from "../../src/lib/files.ts";
import { altering, type Bench, type Intercept, send, startBench } from "../crawl/support.ts";

/** A list whose every page has new items; `size` characters each. */
function endless(matches: (path: string) => boolean, size = 10, total: number | null = null) {
  const asked: number[] = [];
  const intercept: Intercept = (request, response) => {
    const path = (request.url ?? "").replace(/^\/api\/v1/, "");
    if (!matches(path)) return false;
    const page = Number(/[?&]page=(\d+)/.exec(path)?.[1] ?? 1);
    asked.push(page);
    const data = Array.from({ length: 50 }, () => ({ id: randomUUID(), title: "x".repeat(size) }));
    const next = `http://127.0.0.1/api/v1/videos?page=${page + 1}`;
    const meta = { current_page: page, per_page: 50, ...(total === null ? {} : { total }) };
    const last = total === null ? {} : { last_page: total / 50 };
    return send(response, { data, links: { next }, meta: { ...meta, ...last } });
  };
  return { intercept, asked };
}

function bytesBelow(folder: string): number {
  const paths = [...walkSorted(folder)];
  return paths.reduce((sum, path) => sum + statSync(join(folder, path)).size, 0);
}

const limitsOf = (bench: Bench, changes: Partial<Bench["config"]["crawl"]["limits"]>) => ({
  config: { limits: { ...bench.config.crawl.limits, ...changes } },
});

describe("a list without end", () => {
  it.each([
    ["that names no total", null],
    ["that names a total of a billion", 1_000_000_000],
  ])("%s is a gap, and the list of the last snapshot stays", async (_, total) => {
    const bench = await startBench();
    const before = await bench.crawl();
    expect(before.manifest.complete).toBe(true);
    const { intercept, asked } = endless((path) => path.startsWith("/videos"), 10, total);
    bench.intercept = intercept;
    const after = await bench.crawl(limitsOf(bench, { items: 1_000 }));
    expect(after.manifest.complete).toBe(false);
    expect(after.problems).toEqual([
      expect.objectContaining({
        subject: "index of videos",
        reason: expect.stringContaining("more items than crawl.limits.items (1000)"),
      }),
    ]);
    expect(after.ids("videos")).toEqual(before.ids("videos"));
    expect(after.ids("articles")).toEqual(before.ids("articles"));
    expect(asked.length).toBeLessThan(40);
  });

  it("is a gap also where the origin never had one", async () => {
    const bench = await startBench();
    bench.intercept = endless((path) => path.startsWith("/videos")).intercept;
    const { manifest, problems } = await bench.crawl(limitsOf(bench, { items: 1_000 }));
    expect(manifest.complete).toBe(false);
    expect(problems.map(({ subject }) => subject)).toContain("index of videos");
  });

  it("costs an article its attachments, and nothing else", async () => {
    const bench = await startBench();
    const { intercept, asked } = endless((path) => /^\/articles\/[^/]+\/images/.test(path));
    bench.intercept = intercept;
    const { manifest, problems, ids } = await bench.crawl(limitsOf(bench, { items: 200 }));
    expect(manifest.complete).toBe(false);
    expect(ids("articles.single")).toHaveLength(30);
    for (const { reason } of problems) expect(reason).toContain("crawl.limits.items (200)");
    expect(asked.length).toBeLessThan(30 * 20);
  });

  it("of articles ends the run with exit 3, and nothing is committed", async () => {
    const bench = await startBench();
    const before = await bench.crawl();
    bench.intercept = endless((path) => path.startsWith("/articles?")).intercept;
    const ended = bench.crawl(limitsOf(bench, { items: 1_000 }));
    await expect(ended).rejects.toMatchObject({
      exitCode: exitCodes.gaps,
      message: expect.stringContaining("crawl.limits.items (1000)"),
    });
    expect(before.look((reader) => reader.manifest.id)).toBe(before.manifest.id);
  });

  it("adds no more to the store than it may, also when the run is started again", async () => {
    const bench = await startBench();
    bench.intercept = endless((path) => path.startsWith("/articles"), 20_000).intercept;
    for (const _ of [1, 2, 3]) {
      await expect(bench.crawl(limitsOf(bench, { bytes: 5_000_000 }))).rejects.toMatchObject({
        exitCode: exitCodes.gaps,
        message: expect.stringContaining("crawl.limits.bytes (5000000)"),
      });
    }
    // Pages that were asked for at the same time come on top: eight of two megabytes.
    expect(bytesBelow(bench.folder)).toBeLessThan(5_000_000 + 3 * 8 * 2_200_000);
  });
});

describe("an answer of very many values", () => {
  /** A client of an origin that answers everything with one compressed text. */
  async function clientOf(text: string, limits = {}) {
    const body = gzipSync(text);
    const server = createServer((_, response) => {
      response.writeHead(200, { "content-type": "application/json", "content-encoding": "gzip" });
      response.end(body);
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const config = ConfigSchema.parse({ origin: { baseUrl }, crawl: { limits } });
    const client = createClient({ config, token: "t0ken-of-a-test" });
    onTestFinished(async () => {
      await client.close();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    });
    return { get: () => client.json(`${baseUrl}/tags`), bytes: body.length };
  }

  it("is not parsed: 66 kB of gzip are 22 million objects", async () => {
    const { get, bytes } = await clientOf(`{"data":[${"{},".repeat(21_000_000)}{}]}`);
    expect(bytes).toBeLessThan(70_000);
    await expect(get()).rejects.toMatchObject({
      exitCode: exitCodes.gaps,
      message: expect.stringContaining("above crawl.limits.values (2000000)"),
    });
  });

  it.each([
    ["arrays", "[],"],
    ["numbers", "1,"],
    ["members", '{"a":1},'],
    ["texts", '"",'],
  ])("is counted in %s", async (_, item) => {
    const { get } = await clientOf(`[${item.repeat(1_000)}0]`, { values: 1_000 });
    await expect(get()).rejects.toThrow("above crawl.limits.values (1000)");
  });

  it("is told from a long text with the same characters", async () => {
    const text = `${'{},[\\\\\\"'.repeat(2_000)}`;
    const { get } = await clientOf(`{"data":"${text}"}`, { values: 1_000 });
    expect((await get()).value).toEqual({ data: JSON.parse(`"${text}"`) });
  });

  it("leaves room for 100,000 tags", async () => {
    const tag = { title: "T, {a}", slug: "t", created_at: null, articles_count: 1 };
    const { get } = await clientOf(JSON.stringify({ data: Array(100_000).fill(tag) }));
    expect((await get()).value).toEqual({ data: Array(100_000).fill(tag) });
  });

  it("makes an index a gap, and no index that the origin lacks", async () => {
    const bench = await startBench();
    bench.intercept = (request, response) =>
      request.url?.includes("/videos") === true &&
      send(response, `{"data":[${"{},".repeat(60_000)}{}]}`);
    const { manifest, problems } = await bench.crawl(limitsOf(bench, { values: 50_000 }));
    expect(manifest.complete).toBe(false);
    expect(problems.map(({ subject }) => subject)).toContain("index of videos");
    for (const { reason } of problems) expect(reason).toContain("crawl.limits.values (50000)");
  });
});

describe("failures without number", () => {
  it("are told up to 10,000, and counted beyond", async () => {
    const bench = await startBench();
    bench.intercept = (request, response) =>
      request.url?.endsWith("/tags") === true && send(response, { data: Array(15_000).fill(1) });
    const { manifest } = await bench.crawl();
    expect(manifest.complete).toBe(false);
    expect(manifest.problems).toHaveLength(10_001);
    expect(manifest.problems.at(-1)).toEqual({
      subject: "further problems",
      reason: expect.stringMatching(/^500\d are not listed$/),
    });
  });

  it("are not taken for few by a setting that allows many", async () => {
    const bench = await startBench({}, { maxProblems: 12_000 });
    bench.intercept = (request, response) =>
      request.url?.endsWith("/tags") === true && send(response, { data: Array(15_000).fill(1) });
    expect((await bench.crawl()).manifest.complete).toBe(false);
  });

  it("of one object are described by the first ones", () => {
    const { data, unread = "" } = readItem(WireArticle, { id: "1", tags: Array(100_000).fill({}) });
    expect(data?.tags).toEqual([]);
    expect(unread).toMatch(/^tags\[0\]: /);
    expect(unread.length).toBeLessThan(1_000);
  });
});

describe("things of megabytes that are held for each item or page", () => {
  it("does not take an id of 2 MB for one", async () => {
    const bench = await startBench();
    bench.intercept = altering(
      bench,
      (path) => path.startsWith("/images?"),
      (answer) => ({
        ...answer,
        data: [{ ...answer.data[0], id: "x".repeat(2e6) }, ...answer.data.slice(1)],
      }),
    );
    const { problems } = await bench.crawl();
    expect(problems.map(({ reason }) => reason)).toContain(
      "malformed object: id: expected an id of at most 2000 characters",
    );
    expect(JSON.stringify(problems).length).toBeLessThan(20_000);
  });

  it("keeps the items of pages that name 100,000 others, and not those names", async () => {
    const bench = await startBench();
    const link = { url: "http://127.0.0.1/articles?page=1", label: "1", active: false };
    bench.intercept = altering(
      bench,
      (path) => path.startsWith("/articles?"),
      (answer) => ({ ...answer, meta: { ...answer.meta, links: Array(100_000).fill(link) } }),
    );
    const { manifest, ids } = await bench.crawl();
    expect(manifest.complete).toBe(true);
    expect(ids("articles")).toHaveLength(30);
    expect(bytesBelow(bench.folder)).toBeLessThan(5_000_000);
  });
});
