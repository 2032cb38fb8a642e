import { describe, expect, it } from "vitest";
import type { Content } from "../../src/demo/model.ts";
import type { Ref, SnapshotManifest } from "../../src/store/snapshots.ts";
import { openStore } from "../../src/store/store.ts";
import { saveWithoutLost } from "../../src/verify/mend-snapshots.ts";
import { lostOf } from "../../src/verify/snapshots.ts";
import { altering, type Intercept, send, smallContent, startBench } from "./support.ts";

/** Private images are attached and bear no mark. */
const attachesPrivate = { privateInAttachments: true, privateMarker: null };

function attachedImage({ articles, images }: Content): string {
  const attached = [...articles].flatMap((article) => article.images);
  return (
    attached.find((id) => images.get(id)?.private === false) ?? expect.fail("none is attached")
  );
}

/** The single image is not found, as where an origin denies what the token may not see. */
function missing(image: string): Intercept {
  return ({ url }, response) =>
    (url?.endsWith(`/images/${image}`) ?? false) && send(response, {}, 404);
}

describe("what is no longer listed", () => {
  it("is not forgotten with an incomplete snapshot: it stays in doubt until the origin says that it is gone", async () => {
    const bench = await startBench();
    const { content } = bench;
    const before = await bench.crawl();
    const hidden = content.articles.at(7)?.id as string;
    const article = content.articles.get(hidden);
    content.articles.remove(hidden);
    bench.intercept = (request, response) => {
      if (!request.url?.endsWith(`/articles/${hidden}`)) return false;
      response.writeHead(500).end();
      return true;
    };
    for (const crawled of [await bench.crawl(), await bench.crawl()]) {
      expect(crawled.manifest.complete).toBe(false);
      expect(crawled.problems).toMatchObject([{ subject: `articles/${hidden}` }]);
      expect(crawled.ids("articles")).toEqual(before.ids("articles"));
      expect(crawled.ids("articles.single")).toEqual(before.ids("articles.single"));
    }
    bench.intercept = undefined;
    const gone = await bench.crawl();
    expect(gone.manifest.complete).toBe(true);
    expect(gone.ids("articles")).not.toContain(hidden);
    expect(gone.ids("tombstones")).toEqual([`articles/${hidden}`]);
    expect(article?.title).toBe(
      gone.look((reader) => {
        const [ref] = reader.refs("tombstones");
        return ref && reader.read("tombstones", ref).normal.title;
      }),
    );
  });

  it("is gone as the origin has said, also where the index is read again and not proved then", async () => {
    const bench = await startBench();
    const { content } = bench;
    await bench.crawl();
    const removed = content.articles.at(7)?.id as string;
    const unreadable = content.articles.at(3)?.id as string;
    content.articles.remove(removed);
    content.articles.edit(unreadable, { title: "Gone by the time that it is asked for" });
    let isWalkedAgain = false;
    const moreEachTime = altering(
      bench,
      (path) => /^\/articles(?:\?page=\d+)?$/.test(path) && isWalkedAgain,
      ({ meta, ...answer }) => ({ ...answer, meta: { ...meta, total: Number(meta.total) + 5 } }),
    );
    bench.intercept = (request, response) => {
      if (!request.url?.endsWith(`/articles/${unreadable}`)) return moreEachTime(request, response);
      isWalkedAgain = true;
      return send(response, {}, 404);
    };
    const crawled = await bench.crawl();
    expect(crawled.manifest.complete).toBe(false);
    expect(crawled.ids("articles")).not.toContain(removed);
    expect(crawled.ids("tombstones")).toEqual([`articles/${removed}`]);
  });

  it("stays where the index was not proved, although it answers 404 when it is requested alone", async () => {
    const bench = await startBench();
    const removed = bench.content.articles.at(7)?.id as string;
    const before = await bench.crawl();
    bench.content.articles.remove(removed);
    bench.intercept = altering(
      bench,
      (path) => /^\/articles(?:\?page=\d+)?$/.test(path),
      ({ meta, ...answer }) => ({ ...answer, meta: { ...meta, total: Number(meta.total) + 5 } }),
    );
    const crawled = await bench.crawl();
    expect(crawled.manifest.complete).toBe(false);
    expect(crawled.ids("articles")).toEqual(before.ids("articles"));
    expect(crawled.ids("tombstones")).toEqual([]);
  });

  it("is still known to be older than the origin's where its index was not proved", async () => {
    const bench = await startBench();
    const { content } = bench;
    await bench.crawl();
    const id = content.articles.at(7)?.id as string;
    const article = content.articles.get(id);
    content.articles.edit(id, { title: "Edited" });
    bench.intercept = (request, response) =>
      (request.url?.endsWith(`/articles/${id}`) ?? false) && send(response, {}, 500);
    expect((await bench.crawl()).ids("unsettled")).toEqual([`articles/${id}`]);
    content.articles.remove(id);
    expect((await bench.crawl({ config: { maxPasses: 1 } })).ids("unsettled")).toEqual([
      `articles/${id}`,
    ]);
    bench.intercept = undefined;
    if (article !== undefined) content.articles.add({ ...article, title: "Edited" });
    const whole = await bench.crawl();
    expect(whole.ids("unsettled")).toEqual([]);
    expect(whole.requests).toContain(`/articles/${id}`);
  });

  it("is an image that is not forgotten with an incomplete snapshot either", async () => {
    const bench = await startBench();
    await bench.crawl();
    const removed = bench.content.images.at(3)?.id as string;
    bench.content.images.remove(removed);
    // One pass alone does not prove a list that changed.
    const unproved = await bench.crawl({ config: { maxPasses: 1 } });
    expect(unproved.manifest.complete).toBe(false);
    expect(unproved.ids("images")).not.toContain(removed);
    const gone = await bench.crawl();
    expect(gone.manifest.complete).toBe(true);
    expect(gone.ids("tombstones")).toEqual([`images/${removed}`]);
  });

  it("loses its tombstone when it comes back", async () => {
    const bench = await startBench();
    const { content } = bench;
    await bench.crawl();
    const article = content.articles.at(3);
    if (article === undefined) throw new Error("no article");
    content.articles.remove(article.id);
    expect((await bench.crawl()).ids("tombstones")).toEqual([`articles/${article.id}`]);
    content.articles.add(article);
    const back = await bench.crawl();
    expect(back.ids("tombstones")).toEqual([]);
    expect(back.ids("articles")).toContain(article.id);
  });

  it("is not shown, and not called removed, where an image became private", async () => {
    const bench = await startBench({ content: await smallContent() }, { removals: "keep" });
    const { content } = bench;
    await bench.crawl();
    const image = [...content.images].find((one) => !one.private)?.id as string;
    content.images.edit(image, { private: true });
    const crawled = await bench.crawl();
    expect(crawled.ids("images")).not.toContain(image);
    expect(crawled.ids("images.unlisted")).toContain(image);
    expect(crawled.ids("withdrawn")).toEqual([]);
  });

  it.each(["follow", "keep"] as const)(
    "is remembered to have left the index while an image is private, with %s",
    async (removals) => {
      const bench = await startBench({ content: await smallContent() }, { removals });
      const { content } = bench;
      await bench.crawl();
      const image = [...content.images].find((one) => !one.private)?.id as string;
      content.images.edit(image, { private: true });
      for (let night = 1; night <= 3; night++) {
        expect((await bench.crawl()).ids("images.retracted"), `night ${night}`).toEqual([image]);
      }
      content.images.edit(image, { private: false });
      const back = await bench.crawl();
      expect(back.ids("images.retracted")).toEqual([]);
      expect(back.ids("images")).toContain(image);
    },
  );

  it.each(["follow", "keep"] as const)(
    "has left the index, and is not gone, where a missing image is still attached, with %s",
    async (removals) => {
      const bench = await startBench(attachesPrivate, { removals });
      const { content } = bench;
      await bench.crawl();
      const image = attachedImage(content);
      bench.intercept = missing(image);
      content.images.edit(image, { private: true });
      for (let night = 1; night <= 2; night++) {
        expect((await bench.crawl()).ids("images.retracted"), `night ${night}`).toEqual([image]);
      }
    },
  );

  it("does not come back as removed, out of an older snapshot, after it became private", async () => {
    const bench = await startBench({}, { removals: "keep" });
    const { content } = bench;
    await bench.crawl();
    const image = [...content.images].find((one) => !one.private)?.id as string;
    content.images.edit(image, { private: true });
    const failing = `/articles/${content.articles.at(3)?.id}`;
    content.articles.edit(content.articles.at(3)?.id as string, { title: "Changed" });
    bench.intercept = ({ url }, response) =>
      (url?.endsWith(failing) ?? false) && send(response, {}, 403);
    const incomplete = await bench.crawl();
    expect(incomplete.manifest.complete).toBe(false);
    expect(incomplete.ids("images.retracted")).toEqual([image]);
    bench.intercept = missing(image);
    const crawled = await bench.crawl();
    expect(crawled.ids("images")).not.toContain(image);
    expect(crawled.ids("withdrawn")).toEqual([]);
    expect(crawled.ids("images.retracted")).toEqual([image]);
  });

  it("is remembered to have left the index at another address of the origin, and by a repaired store", async () => {
    const bench = await startBench();
    await bench.crawl();
    const image = [...bench.content.images].find((one) => !one.private)?.id as string;
    bench.content.images.edit(image, { private: true });
    await bench.crawl();
    const store = openStore(bench.folder);
    const latest = store.snapshots.latest() as SnapshotManifest;
    const [ref] = [...store.reader(latest).refs("images.retracted")] as [Ref];
    const lost = [{ list: "images.retracted" as const, ref, reason: "damaged" }];
    saveWithoutLost(store, latest, lost, new Date());
    const mended = store.snapshots.latest() as SnapshotManifest;
    expect([...store.reader(mended).refs("images.retracted")]).toMatchObject([{ id: image }]);
    expect([...lostOf(store, mended, { full: true })]).toEqual([]);
    store.close();

    bench.config = {
      ...bench.config,
      origin: {
        ...bench.config.origin,
        baseUrl: bench.origin.baseUrl.replace("127.0.0.1", "localhost"),
      },
    };
    expect((await bench.crawl()).ids("images.retracted")).toEqual([image]);
  });

  it("has not left the index where an image is gone", async () => {
    const bench = await startBench({ content: await smallContent() });
    await bench.crawl();
    const image = [...bench.content.images].find((one) => !one.private)?.id as string;
    bench.content.images.remove(image);
    const crawled = await bench.crawl();
    expect(crawled.ids("images.retracted")).toEqual([]);
    expect(crawled.ids("tombstones")).toContain(`images/${image}`);
  });

  it("is not shown where nothing tells a deleted image from a private one", async () => {
    const bench = await startBench({}, { removals: "keep" });
    const { content } = bench;
    // As at an origin whose single images lie elsewhere: each of them is missing.
    bench.intercept = (request, response) => {
      if (!/\/images\/[\w-]{36}$/.test(request.url ?? "")) return false;
      response.writeHead(404).end();
      return true;
    };
    await bench.crawl();
    const image = [...content.images].find((one) => !one.private)?.id as string;
    content.images.remove(image);
    const crawled = await bench.crawl();
    expect(crawled.ids("images")).not.toContain(image);
    expect(crawled.ids("images.unlisted")).toContain(image);
    expect(crawled.ids("images.retracted")).toEqual([image]);
  });

  it("is asked for once: a kept item is not asked for again every night", async () => {
    const bench = await startBench({}, { removals: "keep" });
    await bench.crawl();
    const gone = bench.content.articles.at(5)?.id as string;
    bench.content.articles.remove(gone);
    const asked = (requests: string[]): number =>
      requests.filter((url) => url === `/articles/${gone}`).length;
    expect(asked((await bench.crawl()).requests)).toBe(1);
    expect(asked((await bench.crawl()).requests)).toBe(0);
  });

  it.each(["follow", "keep"] as const)(
    "is not gone because of a 403, with %s",
    async (removals) => {
      const bench = await startBench({}, { removals });
      const { content } = bench;
      await bench.crawl();
      const article = content.articles.at(4)?.id as string;
      const image = [...content.images].find((one) => !one.private)?.id as string;
      content.articles.remove(article);
      content.images.remove(image);
      bench.intercept = ({ url }, response) =>
        [`/articles/${article}`, `/images/${image}`].some((path) => url?.endsWith(path))
          ? send(response, {}, 403)
          : false;
      const crawled = await bench.crawl();
      expect(crawled.ids("articles")).toContain(article);
      expect(crawled.problems).toMatchObject([{ subject: `articles/${article}` }]);
      expect(crawled.manifest.complete).toBe(false);
      expect(crawled.ids("tombstones")).toEqual([]);
      expect(crawled.ids("withdrawn")).toEqual([]);
      // Nothing proves any more that it is public.
      expect(crawled.ids("images")).not.toContain(image);
    },
  );

  it("counts for the brake in one night only, also while no snapshot is complete", async () => {
    const bench = await startBench({}, { maxRemoved: { items: 1, share: 1 } });
    const { content } = bench;
    await bench.crawl();
    bench.intercept = ({ url }, response) =>
      url?.endsWith(`/articles/${content.articles.at(0)?.id}`) === true &&
      send(response, { data: {} });
    for (let night = 0; night < 4; night++) {
      content.articles.remove(content.articles.at(9)?.id as string);
      content.articles.edit(content.articles.at(0)?.id as string, { title: `Night ${night}` });
      const crawled = await bench.crawl();
      expect(crawled.manifest.complete).toBe(false);
      expect(crawled.ids("tombstones")).toHaveLength(night + 1);
    }
  });
});
