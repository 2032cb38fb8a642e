import { describe, expect, it } from "vitest";
import { type Answer, altering, type Bench, send, startBench } from "./support.ts";

const pathOf = (url: string | undefined): string => (url ?? "").replace(/^\/api\/v1/, "");
const withAll = { refreshShare: 1, refresh: "all" } as const;

function emptied({ data: _, meta, ...answer }: Answer): unknown {
  return { ...answer, data: [], meta: { ...meta, total: 0, from: null, to: null, last_page: 1 } };
}

describe("what an origin has less of than it says, or than it had", () => {
  const withoutBody = (bench: Bench, ids: readonly string[], times: number) => {
    const left = new Map(ids.map((id) => [id, times]));
    bench.intercept = altering(
      bench,
      (path) => {
        const id = path.slice("/articles/".length);
        const count = left.get(id) ?? 0;
        if (count > 0) left.set(id, count - 1);
        return count > 0;
      },
      (answer) => ({ data: { ...(answer.data as object), body: null } }),
    );
  };

  it("asks again for a body that is missing once", async () => {
    const bench = await startBench({}, { concurrency: 1 });
    const ids = [...bench.content.articles].map(({ id }) => id);
    const some = ids.filter((_, at) => at % 3 === 2);
    withoutBody(bench, some, 1);
    const { look, warnings } = await bench.crawl();
    expect(warnings).toEqual([]);
    const bodies = look((reader) =>
      [...reader.refs("articles.single")].map(
        (ref) => reader.read("articles.single", ref).normal.bodyPath,
      ),
    );
    expect(bodies.filter((path) => path === null)).toEqual([]);
  });

  it("keeps the body of the last night for one night", async () => {
    const bench = await startBench({}, withAll);
    const before = await bench.crawl();
    const [article] = bench.content.articles;
    const id = article?.id as string;
    withoutBody(bench, [id], 100);
    const crawled = await bench.crawl();
    expect(crawled.problems).toMatchObject([
      { subject: `article ${id}`, reason: expect.stringContaining("it had a body") },
    ]);
    expect(crawled.manifest.lists["articles.single"]).toEqual(
      before.manifest.lists["articles.single"],
    );
    // Who takes it out on purpose says so every night.
    expect((await bench.crawl()).manifest.complete).toBe(true);
  });

  it("asks once more, the next night, for an item that does not show what its index form does", async () => {
    const bench = await startBench({}, { refreshShare: 0 });
    await bench.crawl();
    const [article] = bench.content.articles;
    const id = article?.id as string;
    const stale = await fetch(`${bench.origin.baseUrl}/articles/${id}`, {
      headers: { authorization: `Bearer ${bench.origin.tokens.organisation}` },
    }).then((answer) => answer.text());
    bench.content.articles.edit(id, { title: "Another title" });
    bench.intercept = ({ url }, response) =>
      pathOf(url) === `/articles/${id}` && send(response, stale);
    await bench.crawl();
    bench.intercept = undefined;
    const { look } = await bench.crawl();
    expect(
      look((reader) => reader.find("articles.single", "articles.single", id))?.normal.title,
    ).toBe("Another title");
    expect((await bench.crawl()).changed).toBe(false);
  });

  it.each([
    ["categories", /^\/categories$/],
    ["tags", /^\/tags$/],
    ["videos", /^\/videos/],
  ])("stops where all %s vanish at once", async (name, path) => {
    const bench = await startBench();
    await bench.crawl();
    bench.intercept = altering(bench, (asked) => path.test(asked), emptied);
    await expect(bench.crawl()).rejects.toMatchObject({
      exitCode: 10,
      message: expect.stringContaining(`${name} vanished from the origin at once`),
    });
  });

  it("finds pages behind the last one that the origin names", async () => {
    const bench = await startBench({ pageSize: 5 });
    bench.intercept = altering(
      bench,
      (path) => /^\/articles(\?|$)/.test(path),
      ({ links, meta, ...answer }, path) => ({
        ...answer,
        links: { ...links, ...(/page=[3-9]/.test(path) ? { next: null } : {}) },
        meta: { ...meta, total: 15, last_page: 3 },
      }),
    );
    const crawled = await bench.crawl();
    expect(crawled.ids("articles")).toHaveLength(30);
  });

  it("does not prove an index whose pages repeat, although the total is what is left", async () => {
    const bench = await startBench({ pageSize: 5 });
    const pages: Record<string, Answer["data"]> = {};
    bench.intercept = altering(
      bench,
      (path) => /^\/articles(\?|$)/.test(path) && !/year|tags/.test(path),
      ({ data, meta, ...answer }, path) => {
        const page = /page=(\d+)/.exec(path)?.[1] ?? "1";
        pages[page] = data;
        return {
          ...answer,
          data: page === "3" ? (pages["2"] ?? data) : data,
          meta: { ...meta, total: 25 },
        };
      },
    );
    const { manifest } = await bench.crawl({ config: { concurrency: 1 } });
    expect(manifest.complete).toBe(false);
    expect(manifest.proof[0]).toMatchObject({ agreed: false, remark: "page 3 repeats page 2" });
  });
});
