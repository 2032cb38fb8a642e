import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { startPress } from "../support/archive.ts";
import { generateContent } from "../support/content.ts";
import { type Answer, altering, type Bench, startBench } from "./support.ts";

type Counted = Record<string, unknown> & { attachments: Record<string, number> };

/** Counts further images beside each gallery, as an origin does that counts what the token may not see. */
function countingMore(bench: Bench, more: number): void {
  const counted = (item: unknown): unknown => {
    const gallery = item as Counted;
    const images = (gallery.attachments.images ?? 0) + more;
    return { ...gallery, attachments: { ...gallery.attachments, images } };
  };
  bench.intercept = altering(
    bench,
    (path) => /^\/galleries(?:\/[\w-]+)?(?:\?|$)/.test(path) && !/year/.test(path),
    ({ data, ...answer }) => ({
      ...answer,
      data: Array.isArray(data) ? data.map(counted) : counted(data),
    }),
  );
}

const isList = (url: string): boolean => /^\/galleries\/[\w-]+\/images/.test(url);

it("believes at the first night what two readings of a list say, and remarks that its parent counts more", async () => {
  const bench = await startBench();
  countingMore(bench, 5);
  const first = await bench.crawl();
  expect(first.problems).toEqual([]);
  expect(first.manifest.complete).toBe(true);
  expect(first.manifest.remarks).toMatchObject([
    {
      subject: "images of galleries",
      reason: expect.stringMatching(/^5 lists whose number .*\/images: \d+ of \d+/),
    },
  ]);
  expect(first.manifest.proof.filter(({ agreed }) => !agreed)).toEqual([]);
  const twice = first.requests.filter(isList);
  expect(twice).toHaveLength(2 * new Set(twice).size);
  // What the last snapshot had needs no second reading, however often the counts are wrong.
  const second = await bench.crawl({ config: { refresh: "all" } });
  expect(second.changed).toBe(false);
  const once = second.requests.filter(isList);
  expect(once).toHaveLength(new Set(twice).size);
  expect(new Set(once).size).toBe(once.length);
});

it("reads only the first of many such lists twice", async () => {
  const content = await generateContent({ articles: 3, galleries: 12, images: 30, seed: 7 });
  const bench = await startBench({ content }, { concurrency: 1 });
  countingMore(bench, 5);
  const { manifest, requests } = await bench.crawl();
  expect(manifest.complete).toBe(true);
  expect(manifest.remarks).toMatchObject([{ reason: expect.stringMatching(/^12 lists /) }]);
  const lists = requests.filter((url) => isList(url) && !url.includes("page="));
  expect(lists).toHaveLength(12 + 5);
});

it("does not take a repeated page for the end of a list that its parent counts longer", async () => {
  const bench = await startBench({ pageSize: 2 }, { concurrency: 1 });
  const article = [...bench.content.articles].find(({ images }) => images.length > 4);
  const path = `/articles/${article?.id}/images`;
  const isPage = (url: string): boolean => url.startsWith(path);
  const bare = altering(bench, isPage, ({ data }) => ({ data }));
  bench.intercept = (request, response) => {
    // A cache that gives page 2 for each page behind it.
    if (request.url?.includes(path)) request.url = request.url.replace(/page=\d+$/, "page=2");
    return bare(request, response);
  };
  const { manifest, problems } = await bench.crawl();
  expect(manifest.complete).toBe(false);
  expect(problems.map(({ subject }) => subject)).toContain(path.slice(1));
});

it("follows a list that became shorter than its count, and looks at it again the next night", async () => {
  const bench = await startBench();
  const id = [...bench.content.galleries].find(({ images }) => images.length > 2)?.id;
  await bench.crawl();
  bench.intercept = altering(
    bench,
    (path) => path === `/galleries/${id}/images`,
    ({ data, meta, ...answer }) => {
      const total = data.length - 1;
      return { ...answer, data: data.slice(1), meta: { ...meta, total, to: total } };
    },
  );
  const before = bench.content.galleries.get(id as string)?.images.length as number;
  const crawled = await bench.crawl({ config: { refresh: "all" } });
  const rows = (): number | undefined =>
    crawled.look((reader) => reader.attachments("galleries", id as string, "images"))?.items.length;
  expect(crawled.manifest.complete).toBe(true);
  expect(crawled.manifest.remarks).toHaveLength(1);
  expect(rows()).toBeLessThan(before);
  bench.intercept = undefined;
  const next = await bench.crawl();
  expect(next.requests).toContain(`/galleries/${id}/images`);
  expect(next.manifest).toMatchObject({ complete: true, remarks: [] });
});

it("believes an index that has an item twice on a page, and remarks that its total counts more", async () => {
  const bench = await startBench();
  const total = [...bench.content.galleries].length;
  bench.intercept = altering(
    bench,
    (path) => path === "/galleries",
    ({ data, meta, ...answer }) => ({
      ...answer,
      data: [...data.slice(0, 1), ...data],
      meta: { ...meta, total: total + 1, to: total + 1 },
    }),
  );
  const { manifest, problems } = await bench.crawl();
  expect({ problems, complete: manifest.complete }).toEqual({ problems: [], complete: true });
  expect(manifest.remarks).toMatchObject([
    {
      subject: "index of galleries",
      reason: expect.stringMatching(new RegExp(`\\b${total + 1} rows\\b.*\\b${total} items`)),
    },
  ]);
});

it("takes an image that is attached twice for two rows: so does the mirror, and the page shows it once", async () => {
  const press = await startPress({ size: { articles: 8, galleries: 1, images: 12 } });
  onTestFinished(() => press.close());
  const { content } = press.origin;
  const isPublic = (id: string): boolean => content.images.get(id)?.private === false;
  const article = [...content.articles].find(
    ({ images }) => images.length === 2 && images.every(isPublic),
  );
  if (article === undefined) throw new Error("no article with two public images");
  const [one, other] = article.images as [string, string];
  content.articles.edit(article.id, { images: [one, other, one] });
  const { code, report } = await press.run("snapshot");
  const { error, problems, remarks } = report;
  expect({ code, error, problems, remarks }).toEqual({ code: 0, problems: [], remarks: [] });
  const list = join(press.out, "public/api/v1/articles", article.id, "images/index.json");
  const answer = JSON.parse(readFileSync(list, "utf8")) as Answer;
  expect(answer.data.map(({ id }) => id)).toEqual([one, other, one]);
  expect(answer.meta.total).toBe(3);
  const page = readFileSync(join(press.out, "public/articles", `${article.slug}.html`), "utf8");
  const links = page.slice(page.indexOf("<article"), page.indexOf("</article>"));
  for (const id of [one, other]) {
    expect(links.match(new RegExp(`href="\\.\\./images/${id}\\.html`, "g"))).toHaveLength(1);
  }
});
