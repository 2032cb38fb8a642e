import { describe, expect, it } from "vitest";
import { dice } from "../../src/lib/random.ts";
import { type Answer, type Bench, isProbe, send, startBench } from "./support.ts";

const pageSize = 5;

/**
 * Cuts each page of two indexes from a new order of the items with equal keys, as `ORDER BY created_at` may do without
 * a second key: groups of four items share one.
 */
async function shuffle(bench: Bench, seed = 1, { endless = false, idle = 0 } = {}): Promise<void> {
  const throws = dice(seed);
  const answers = { articles: await pagesOf("articles"), images: await pagesOf("images") };
  bench.intercept = ({ url = "" }, response) => {
    const index = /^\/api\/v1\/(articles|images)(?:\?|$)/.exec(url)?.[1] as keyof typeof answers;
    if (index === undefined || isProbe(url)) return false;
    const asked = Number(/page=(\d+)/.exec(url)?.[1] ?? 1);
    const page = endless ? Math.min(asked, answers[index].length) : asked;
    const answer = answers[index][page - 1] ?? (idle > 0 ? answers[index].at(-1) : undefined);
    if (answer === undefined) return false;
    const items = answers[index].flatMap(({ data }) => data);
    const data = shuffled(items).slice((page - 1) * pageSize, page * pageSize);
    const meta = { ...answer.meta, last_page: answers[index].length + idle };
    return send(response, { ...answer, data, meta });
  };

  function shuffled<T>(items: readonly T[]): T[] {
    return items
      .map((item, at) => ({ item, key: Math.floor((at + 1) / 4), tie: throws.roll(1e9) }))
      .sort((a, b) => a.key - b.key || a.tie - b.tie)
      .map(({ item }) => item);
  }

  async function pagesOf(index: string): Promise<Answer[]> {
    bench.intercept = undefined;
    const headers = { authorization: `Bearer ${bench.origin.tokens.organisation}` };
    const pages: Answer[] = [];
    for (let last = 1; pages.length < last; ) {
      const url = `${bench.origin.baseUrl}/${index}?page=${pages.length + 1}`;
      const page = (await fetch(url, { headers }).then((answer) => answer.json())) as Answer;
      pages.push(page);
      last = page.meta.last_page as number;
    }
    return pages;
  }
}

describe("a crawl of indexes whose equal keys change their order with each request", () => {
  it("unites its passes, says so, and changes nothing the next night", async () => {
    // One request after the other, so that each run throws the same dice.
    const bench = await startBench({ pageSize }, { refreshShare: 0, concurrency: 1 });
    const ids = [...bench.content.articles].map(({ id }) => id);
    const images = [...bench.content.images].filter((one) => !one.private).map(({ id }) => id);
    await shuffle(bench);
    const first = await bench.crawl();
    expect(first.problems).toEqual([]);
    expect(first.manifest.complete).toBe(true);
    expect(first.ids("articles").sort()).toEqual(ids.sort());
    expect(first.ids("images").sort()).toEqual(images.sort());
    expect(first.manifest.remarks.map(({ subject }) => subject)).toEqual([
      "index of articles",
      "index of images",
    ]);
    expect(first.manifest.proof.find(({ list }) => list === "images")).toMatchObject({
      agreed: true,
      unstable: true,
    });
    const pagesIn = ({ requests }: { requests: string[] }): number =>
      requests.filter((url) => /^\/(articles|images)(\?page|$)/.test(url)).length;
    for (let night = 2; night <= 4; night++) {
      const next = await bench.crawl();
      expect(pagesIn(next)).toBeLessThan(pagesIn(first));
      expect(next.manifest.complete).toBe(true);
      expect(next.changed).toBe(false);
      expect(next.manifest.proof[0]?.unstable).toBe(true);
      const readings = next.requests.filter((url) => url === "/articles?page=4").length;
      expect(readings).toBeLessThanOrEqual(5);
    }
  });

  it.each([
    ["repeat it, in another order", { endless: true }],
    ["are empty, and two of them are named", { idle: 2 }],
  ])("is proved each night where the pages behind the last one %s", async (_, pages) => {
    const bench = await startBench({ pageSize }, { refreshShare: 0 });
    for (let night = 1; night <= 4; night++) {
      await shuffle(bench, night, pages);
      const { manifest, problems } = await bench.crawl();
      expect(problems).toEqual([]);
      expect(manifest.complete).toBe(true);
    }
  });

  it("finds what is new and what is gone", async () => {
    const bench = await startBench({ pageSize });
    await shuffle(bench);
    await bench.crawl();
    const [first, second] = [...bench.content.articles];
    const { id: gone } = [...bench.content.articles][17] as { id: string };
    if (first === undefined || second === undefined) throw new Error("no articles");
    const added = "0d9ad5a5-0000-4000-8000-000000000001";
    bench.content.articles.remove(gone);
    bench.content.articles.add({ ...second, id: added, slug: "new", title: "New" });
    await shuffle(bench, 2);
    const { manifest, ids } = await bench.crawl();
    expect(manifest.complete).toBe(true);
    expect(ids("articles")).toContain(added);
    expect(ids("articles")).not.toContain(gone);
    expect(ids("articles")).toHaveLength([...bench.content.articles].length);
  });

  it.each([true, false])("asks for few images alone, where it can: %s", async (answersAlone) => {
    const bench = await startBench({ pageSize }, { refreshShare: 0, concurrency: 1 });
    const images = [...bench.content.images].filter((one) => !one.private).map(({ id }) => id);
    await shuffle(bench);
    const shuffled = bench.intercept;
    bench.intercept = (request, response) => {
      const isAlone = /^\/api\/v1\/images\/[^/.]+$/.test(request.url ?? "");
      if (isAlone && !answersAlone) return send(response, { message: "not found" }, 404);
      return shuffled?.(request, response) ?? false;
    };
    const { requests, manifest, ids } = await bench.crawl();
    expect(manifest.complete).toBe(true);
    expect(ids("images").sort()).toEqual(images.sort());
    const lastPage = requests.findLastIndex((url) => /^\/images(\?|$)/.test(url));
    const before = requests.slice(0, lastPage).filter((url) => /^\/images\/[^/.]+$/.test(url));
    const after = requests.slice(lastPage).filter((url) => /^\/images\/[^/.]+$/.test(url));
    // A few tell how the origin answers for single images.
    if (answersAlone) expect(after.length).toBeGreaterThan(3);
    else expect(before.length).toBeGreaterThan(0);
  });
});
