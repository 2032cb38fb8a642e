import { describe, expect, it } from "vitest";
import type { Page } from "../../src/crawl/page.ts";
import { readPages } from "../../src/crawl/pages.ts";
import { type Answer, altering, type Bench, isProbe, startBench } from "./support.ts";

const isArticles = (path: string): boolean => /^\/articles(?:\?|$)/.test(path) && !isProbe(path);
const pages = 6;
/** Far below the pages that are named; each request is counted twice, because its answer is altered on the way. */
const bounded = 200;

/** An origin of 6 pages that says something else of them. */
async function startLying(
  meta: (answer: Answer) => object,
  behind: "repeats the last page" | "is empty" | "ignores the number",
): Promise<Bench> {
  const bench = await startBench({ pageSize: 5 });
  const lying = altering(bench, isArticles, (answer, path) => {
    const page = Number(/page=(\d+)/.exec(path)?.[1] ?? 1);
    const data = behind === "is empty" && page > pages ? [] : answer.data;
    return { ...answer, data, links: {}, meta: meta(answer) };
  });
  bench.intercept = (request, response) => {
    const page = Number(/[?]page=(\d+)/.exec(request.url ?? "")?.[1] ?? 1);
    if (request.headers["x-unaltered"] !== undefined) {
      const shown = behind === "ignores the number" ? 1 : Math.min(page, pages);
      request.url = request.url?.replace(/([?]page=)\d+/, `$1${shown}`);
    }
    return lying(request, response);
  };
  return bench;
}

const named =
  (last: number) =>
  ({ meta }: Answer) => ({ ...meta, last_page: last });
const noTotal = ({ meta }: Answer) => ({ last_page: 1e9, per_page: meta.per_page });

describe("a crawl of an index whose last page is not the one that it names", () => {
  it.each([
    ["repeats the last page", 1e9],
    ["is empty", 1e9],
    ["is empty", pages + 2],
    ["is empty", 1],
  ] as const)(
    "has everything where a page behind the end %s and page %i is named",
    async (behind, last) => {
      const bench = await startLying(named(last), behind);
      const ids = [...bench.content.articles].map(({ id }) => id);
      const { manifest, requests, ids: listed } = await bench.crawl();
      expect(listed("articles")).toEqual(ids);
      expect(manifest.complete).toBe(true);
      expect(requests.filter(isArticles).length).toBeLessThan(bounded);
      const reasons = manifest.remarks.map(({ reason }) => reason);
      expect(reasons).toEqual(
        last > pages ? [`names ${last} pages, but there is nothing new after page 6`] : [],
      );
    },
  );

  it.each([
    ["there is no total", noTotal, "repeats the last page", 30],
    ["there is no total", noTotal, "ignores the number", 5],
    ["the total is higher", named(1e9), "ignores the number", 5],
    ["the total is higher", named(pages), "ignores the number", 5],
  ] as const)("ends with a gap where %s (%o) and a page %s", async (_, meta, behind, found) => {
    const bench = await startLying(meta, behind);
    const { manifest, requests, problems, ids } = await bench.crawl();
    expect(manifest.complete).toBe(false);
    expect(problems).toMatchObject([{ subject: "index of articles" }]);
    expect(ids("articles")).toHaveLength(found);
    expect(requests.filter(isArticles).length).toBeLessThan(bounded);
  });
});

describe("a crawl of an index that nobody counts", () => {
  it.each([
    ["repeats the last page", true],
    ["ignores the number", false],
  ] as const)("where a page behind the end %s, is complete: %s", async (behind, complete) => {
    const bench = await startLying(() => ({}), behind);
    const { manifest, requests, ids } = await bench.crawl();
    expect(manifest.complete).toBe(complete);
    expect(ids("articles")).toHaveLength(complete ? [...bench.content.articles].length : 5);
    expect(requests.filter(isArticles).length).toBeLessThan(bounded);
    const next = await bench.crawl();
    expect(next.manifest.complete).toBe(complete);
  });

  it("does not take one page that repeats the one before it for the end", async () => {
    const bench = await startLying(() => ({}), "repeats the last page");
    const lying = bench.intercept;
    let done = false;
    bench.intercept = (request, response) => {
      if (!done && request.url?.endsWith("/articles?page=4")) {
        done = true;
        request.url = request.url.replace("page=4", "page=3");
      }
      return lying?.(request, response) ?? false;
    };
    const { manifest, ids } = await bench.crawl();
    expect(done).toBe(true);
    expect(manifest.complete).toBe(true);
    expect(ids("articles")).toEqual([...bench.content.articles].map(({ id }) => id));
  });

  it("asks its own addresses where links lead to another origin", async () => {
    const bench = await startBench({ pageSize: 5 });
    bench.intercept = altering(bench, isArticles, ({ data, links }) => {
      const next = links.next === null ? null : "http://elsewhere.invalid/v9/things?page=77";
      return { data, links: { ...links, next } };
    });
    const { manifest, requests, ids } = await bench.crawl();
    expect(manifest.complete).toBe(true);
    expect(ids("articles")).toEqual([...bench.content.articles].map(({ id }) => id));
    expect(requests.filter((url) => url.includes("page=77"))).toEqual([]);
  });
});

it("empty pages that are named are left out behind a last page of items that stand on earlier ones", async () => {
  const rows = [["a", "b"], ["c", "d"], ["a", "c"], [], []];
  const pageOf = (ids: string[]): Page => ({
    refs: ids.map((id) => ({ id, digest: id })),
    malformed: [],
    unread: [],
    count: ids.length,
    at: 0,
    total: 6,
    lastPage: 5,
    more: undefined,
    perPage: 2,
    envelope: null,
  });
  const { pages, overstated } = await readPages(1, async (number) =>
    pageOf(rows[number - 1] ?? []),
  );
  expect([pages.length, overstated]).toEqual([3, 5]);
});
