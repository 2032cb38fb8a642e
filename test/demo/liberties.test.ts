import { afterEach, beforeAll, describe, expect, it } from "vitest";
import type { Content } from "../../src/demo/model.ts";
import { type Origin, type StartOptions, startOrigin } from "../../src/demo/origin.ts";
import { generateContent } from "../support/content.ts";
import { ask, type Item, imageOf, smallContent, stripes, walk } from "./support.ts";

/** Liberties that the document leaves to a service, each an option that is off by default. */
describe("an origin with the option", () => {
  let content: Content;
  let origin: Origin;
  beforeAll(async () => {
    content = await generateContent({ articles: 24, galleries: 3, images: 40, seed: 5 });
  });
  afterEach(() => origin.close());

  const start = async (options: Partial<StartOptions>): Promise<Origin> => {
    origin = await startOrigin({ content, ...options });
    return origin;
  };
  const rows = (owner: Item, kind = "images"): Promise<Item[]> =>
    walk(origin, `/articles/${owner.id}/${kind}`);

  // "Attachments of articles and galleries are not embedded [...]; only their counts are."
  it("countsIncludePrivate counts images that its lists leave out", async () => {
    await start({ countsIncludePrivate: true });
    const article = content.articles.at(5);
    const hidden = article?.images.filter((id) => content.images.get(id)?.private) ?? [];
    expect(hidden).toHaveLength(1);
    const item = (await walk(origin, "/articles"))[5] as Item;
    expect((await rows(item)).length).toBe((item.attachments.images ?? 0) - 1);
  });

  // Nothing says that an attachment list names an item once.
  it("doubledAttachments counts and lists rows, not items", async () => {
    await start({ doubledAttachments: 100 });
    for (const kind of ["images", "videos", "documents", "audio"]) {
      const owners = await walk(origin, "/articles");
      const owner = owners.find(({ attachments }) => attachments[kind]) as Item;
      const { json } = await ask(origin, `/articles/${owner.id}/${kind}`);
      expect(json.meta.total).toBe(owner.attachments[kind]);
      expect(new Set((await rows(owner, kind)).map(({ id }) => id)).size).toBe(json.meta.total - 1);
    }
  });

  // "Their paths and item fields: not shown."
  it("fileAddress flat writes one address a file, without links", async () => {
    await start({ fileAddress: "flat" });
    for (const [kind, member] of Object.entries({
      videos: "url",
      documents: "download_url",
      audio: "file",
    })) {
      const [item] = (await ask<{ data: Record<string, string>[] }>(origin, `/${kind}`)).json.data;
      expect(item).not.toHaveProperty("links");
      expect((await fetch(item?.[member] ?? "")).status).toBe(200);
    }
  });

  // "URL strings": relative references are URLs that are resolved against that of the answer.
  it("linkForms writes links without a scheme, or without a host", async () => {
    await start({ linkForms: { api: "path", view: "path", binaries: "host" } });
    const { json } = await ask(origin, "/images");
    expect(json.links.next).toBe("/api/v1/images?page=2");
    expect(json.data[0]?.links.view).toMatch(/^\/view\/images\//);
    expect(json.data[0]?.links.download).toMatch(
      new RegExp(`^//127\\.0\\.0\\.1:${origin.port}/api/v1/images/.*signature=`),
    );
    const article = (await ask(origin, "/articles")).json.data[0] as Item;
    const single = await ask<{ data: Item }>(origin, `/articles/${article.id}`);
    expect(single.json.data.body).toMatch(/src="\/\/127\.0\.0\.1:/);
  });

  // "20 in all samples"; nothing says that lists of attachments have pages of the same size.
  it("attachmentPageSize cuts attachment lists into pages of another size", async () => {
    await start({ attachmentPageSize: 3 });
    const item = (await walk(origin, "/articles"))[6] as Item;
    const { json } = await ask(origin, `/articles/${item.id}/images`);
    expect([json.meta.per_page, json.data.length]).toEqual([3, 3]);
    expect(await rows(item)).toHaveLength(item.attachments.images ?? 0);
    expect((await ask(origin, "/articles")).json.meta.per_page).toBe(20);
  });

  // "Other status codes [...]: not shown."
  it("behindLastPage decides between an empty list and 404", async () => {
    await start({});
    expect((await ask(origin, "/images?page=9")).json.data).toEqual([]);
    await origin.close();
    await start({ behindLastPage: "404" });
    expect((await ask(origin, "/images?page=2")).status).toBe(200);
    expect((await ask(origin, "/images?page=9")).status).toBe(404);
    const empty = content.articles.at(8)?.id;
    expect((await ask(origin, `/articles/${empty}/images?page=1`)).json.meta.total).toBe(0);
  });

  // "ordered by upload date", and not a word about equal dates.
  it("unstableOrder changes the order of equal times, and no other", async () => {
    const body = await stripes(false);
    const times = [5, 4, 4, 4, 4, 4, 4, 3];
    const images = times.map((createdAt, index) => imageOf(index, body, { createdAt }));
    await start({ content: smallContent({ images }), unstableOrder: true, pageSize: 10 });
    const orders = new Set<string>();
    for (let turn = 0; turn < 12; turn += 1) {
      const ids = (await ask(origin, "/images")).json.data.map(({ id }) => id);
      expect([ids[0], ids[7], new Set(ids).size]).toEqual([images[0]?.id, images[7]?.id, 8]);
      orders.add(ids.join());
    }
    expect(orders.size).toBeGreaterThan(2);
  });

  // The document shows "« Previous" and 'Next »', and that `next` is "presumably null on the last".
  it("otherPager writes page links in another way", async () => {
    await start({ otherPager: true });
    const { json } = await ask(origin, "/articles?year=2024&page=1");
    expect(json.links.first).toMatch(/\/articles\?page=1&year=2024$/);
    expect(json.meta.links[0]?.label).toBe("&laquo; Previous");
    const last = (await ask(origin, "/articles?page=2")).json;
    expect(last.links.prev).toMatch(/page=1$/);
    expect(last.links).not.toHaveProperty("next");
  });

  // "?expires=<timestamp>&signature=<signature>", without a word about their form.
  it("signatures and expires take other forms, and are checked as before", async () => {
    await start({ signatures: "base64", expires: "iso", linkSeconds: -60 });
    const expired = (await ask(origin, "/images")).json.data[0]?.links.download ?? "";
    expect(expired).toMatch(/\?expires=\d{4}-\d\d-\d\dT.*Z&signature=[\w%]+%3D$/);
    expect((await fetch(expired)).status).toBe(403);
    await origin.close();
    await start({ signatures: "base64", expires: "iso" });
    const links = (await ask(origin, "/images")).json.data[0]?.links;
    expect((await fetch(links?.download ?? "")).status).toBe(200);
    expect((await fetch(links?.download.replace("=20", "=21") ?? "")).status).toBe(403);
  });

  // Both forms of time occur; the image object is "the same in lists and in single fetches".
  it("indexTimes, imageTimes and withoutSeconds shorten times or give them an offset", async () => {
    const timezone = "America/St_Johns";
    await start({ indexTimes: "seconds", imageTimes: "single", withoutSeconds: true, timezone });
    type Timed = Item & { created_at: string };
    const [image] = (await ask<{ data: Timed[] }>(origin, "/images")).json.data;
    expect(image?.created_at).toMatch(/^[\d-]{10}T\d\d:\d\d:\d\dZ$/);
    const single = (await ask<{ data: Timed }>(origin, `/images/${image?.id}`)).json.data;
    expect(single.created_at).toMatch(/-0[23]:30$/);
    expect(Date.parse(single.created_at)).toBe(Date.parse(image?.created_at ?? ""));
    const [tag] = (await ask<{ data: Timed[] }>(origin, "/tags")).json.data;
    expect(tag?.created_at).toMatch(/T\d\d:\d\dZ$/);
  });

  // "The name of the body field: not shown"; a thumbnail is a "string (URL) or object".
  it("bodyField may lie deeper, and singleThumbnail be a string", async () => {
    await start({ bodyField: "content.rendered", singleThumbnail: "string" });
    const article = content.articles.at(0);
    const answer = await ask<{ data: Item & { content: { rendered: string } } }>(
      origin,
      `/articles/${article?.id}`,
    );
    expect(answer.json.data.content.rendered).toContain("<p>");
    expect(answer.json.data.links.thumbnail).toMatch(/^http.*thumb=1/);
  });

  // The document says nothing about headers of files, and HTTP allows both forms.
  it("fileEtags, untypedFiles and chunked change headers, and no byte", async () => {
    await start({ fileEtags: true, untypedFiles: true, chunked: true });
    const { headers, json } = await ask(origin, "/images");
    expect([headers.get("content-length"), headers.get("transfer-encoding")]).toEqual([
      null,
      "chunked",
    ]);
    const url = json.data[0]?.links.download ?? "";
    const file = await fetch(url);
    expect(file.headers.get("content-type")).toBe("application/octet-stream");
    expect(file.headers.get("content-disposition")).toBeNull();
    const bytes = Buffer.from(await file.arrayBuffer());
    expect(bytes.equals((await content.images.at(0)?.read()) as Buffer)).toBe(true);
    const again = { "If-None-Match": file.headers.get("etag") ?? "" };
    expect((await fetch(url, { headers: again })).status).toBe(304);
  });

  // "Other status codes, the error body format and the error codes: not shown."
  it("errors html answers with a page", async () => {
    await start({ errors: "html" });
    const unknown = await ask(origin, "/nothing");
    expect([unknown.status, unknown.headers.get("content-type")]).toEqual([
      404,
      "text/html; charset=utf-8",
    ]);
    expect(unknown.text).toContain("<!doctype html>");
  });
});
