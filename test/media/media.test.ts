import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import type { ServerResponse } from "node:http";
import { join } from "node:path";
import sharp from "sharp";
import { describe, expect, it } from "vitest";
import { createLinkBook } from "../../src/api/links.ts";
import type { Image } from "../../src/demo/model.ts";
import { ApiError, exitCodes, Interrupted } from "../../src/errors.ts";
import { walkSorted } from "../../src/lib/files.ts";
import { failureOf } from "../../src/media/failures.ts";
import { OriginalError } from "../../src/media/original.ts";
import type { MediaEntry } from "../../src/store/media.ts";
import { articleOf, fileOf, id, imageOf, picture, pictures, useStage, wav } from "./fixture.ts";

const stage = useStage();
const { start, configOf, crawl, media, downloads, listings } = stage;

const webLink = /\/images\/[^/?]+\.jpg\?/;

describe("runMedia", () => {
  it("brings originals and renditions into the store, and then has nothing to do", async () => {
    await start({ images: await pictures(5) });
    const config = configOf();
    const links = createLinkBook();
    const manifest = await crawl(config, links);
    const first = await media(config, manifest, { links });
    expect(first).toMatchObject({
      wanted: 5,
      downloaded: 5,
      encoded: 5,
      upToDate: 0,
      problems: [],
    });
    expect(listings()).toEqual([]);
    const entry = stage.store.media.get("images", id(100));
    expect(entry?.original).toMatchObject({ type: "image/jpeg", extension: "jpg", width: 240 });
    expect(readFileSync(stage.store.blobs.own.pathOf(entry?.original.blob ?? ""))).toEqual(
      await picture(0),
    );
    expect(entry?.renditions).toHaveLength(23);
    for (const { blob, width, height, bytes, format } of entry?.renditions ?? []) {
      const header = await sharp(readFileSync(stage.store.blobs.own.pathOf(blob))).metadata();
      expect(header).toMatchObject({ width, height, format });
      expect(await stage.store.blobs.has(blob, bytes)).toBe(true);
    }
    const second = await media(config, manifest);
    expect(second).toMatchObject({ wanted: 5, upToDate: 5, downloaded: 0, encoded: 0, bytes: 0 });
    expect(stage.origin.requests).toEqual([]);
  });

  it("keeps no signature, and no temporary file", async () => {
    await start({ images: await pictures(2) });
    const config = configOf();
    await media(config, await crawl(config));
    stage.store.sync();
    expect(readdirSync(join(stage.folder, "blobs", "incoming"))).toEqual([]);
    for (const path of walkSorted(stage.folder)) {
      expect(readFileSync(join(stage.folder, path), "latin1")).not.toMatch(/signature=|expires=/);
    }
  });

  it("encodes equal originals once, and equal pixels share a blob", async () => {
    const bytes = await picture(1);
    await start({ images: [await imageOf(100, bytes), await imageOf(101, bytes)] });
    const config = configOf();
    expect(await media(config, await crawl(config))).toMatchObject({ downloaded: 2, encoded: 1 });
    const [a, b] = [100, 101].map((n) => stage.store.media.get("images", id(n)));
    expect(a?.renditions).toEqual(b?.renditions);
    const blobOf = (slot: string) =>
      a?.renditions.find((one) => one.slot === slot && one.format === "jpeg")?.blob;
    // All above 240 × 160: the original's pixels.
    expect(blobOf("width/640")).toBe(blobOf("web"));
    expect(blobOf("height/480")).toBe(blobOf("web"));
    expect(blobOf("scale/50")).not.toBe(blobOf("web"));
  });

  it("makes new renditions from the stored original when settings change", async () => {
    await start({ images: await pictures(3), audio: [fileOf(50, "audio/wav", wav())] });
    const config = configOf();
    const manifest = await crawl(config);
    await media(config, manifest);
    const changed = configOf({ media: { variants: [{ width: 100 }], formats: ["jpeg"] } });
    const result = await media(changed, manifest);
    expect(result).toMatchObject({ upToDate: 1, encoded: 3, downloaded: 0 });
    expect(stage.origin.requests).toEqual([]);
    const slots = stage.store.media.get("images", id(101))?.renditions.map(({ slot }) => slot);
    expect(slots).toEqual([
      "web",
      "thumb/square",
      "thumb/portrait",
      "thumb/landscape",
      "width/100",
      "scale/100",
    ]);
  });

  it("downloads again when a stored original turns out to be damaged", async () => {
    await start({ images: await pictures(1) });
    const config = configOf();
    const manifest = await crawl(config);
    await media(config, manifest);
    const blob = stage.store.blobs.own.pathOf(
      stage.store.media.get("images", id(100))?.original.blob ?? "",
    );
    writeFileSync(blob, readFileSync(blob).subarray(0, 400));
    const result = await media(configOf({ media: { variants: [] } }), manifest);
    expect(result).toMatchObject({ downloaded: 1, problems: [] });
    expect(readFileSync(blob)).toEqual(await picture(0));
  });

  it.each<[string, (path: string) => void]>([
    ["gone", (path) => rmSync(path)],
    ["empty", (path) => writeFileSync(path, "")],
    ["cut short", (path) => writeFileSync(path, readFileSync(path).subarray(0, 10))],
    ["too long", (path) => writeFileSync(path, `${readFileSync(path, "latin1")}x`, "latin1")],
  ])("makes files anew that are %s: renditions from the original", async (_, spoil) => {
    await start({ images: await pictures(3), audio: [fileOf(50, "audio/wav", wav())] });
    const config = configOf();
    const manifest = await crawl(config);
    await media(config, manifest);
    const entry = stage.store.media.get("images", id(101));
    const rendition = entry?.renditions.find(({ slot }) => slot === "scale/50");
    const small = stage.store.blobs.own.pathOf(rendition?.blob ?? "");
    const whole = readFileSync(small);
    spoil(small);
    const encoded = await media(config, manifest);
    expect(encoded).toMatchObject({ upToDate: 3, encoded: 1, downloaded: 0, problems: [] });
    expect(stage.origin.requests).toEqual([]);
    expect(readFileSync(small)).toEqual(whole);

    const original = stage.store.blobs.own.pathOf(entry?.original.blob ?? "");
    const recording = stage.store.blobs.own.pathOf(
      stage.store.media.get("audio", id(50))?.original.blob ?? "",
    );
    for (const path of [original, recording]) spoil(path);
    const fetched = await media(config, manifest);
    expect(fetched).toMatchObject({ upToDate: 2, downloaded: 2, problems: [] });
    expect(readFileSync(original)).toEqual(await picture(1));
    expect(readFileSync(recording)).toEqual(wav());
    expect(await media(config, manifest)).toMatchObject({ upToDate: 4, downloaded: 0 });
  });

  it("does not say that it kept an original that is damaged", async () => {
    const { content } = await start({ images: await pictures(1) });
    const config = configOf();
    const manifest = await crawl(config);
    await media(config, manifest);
    const path = stage.store.blobs.own.pathOf(
      stage.store.media.get("images", id(100))?.original.blob ?? "",
    );
    writeFileSync(path, "short");
    content.images.edit(id(100), { read: async () => Buffer.from("no picture"), filesize: 5 });
    const { problems } = await media(config, manifest);
    expect(problems).toMatchObject([
      { reason: expect.stringContaining("the previous original is missing from the store") },
    ]);
  });

  it("keeps the renditions where only the record changed", async () => {
    const { content } = await start({ images: await pictures(2) });
    const config = configOf();
    await media(config, await crawl(config));
    const before = stage.store.media.get("images", id(100));
    content.images.edit(id(100), { caption: "New words" });
    const result = await media(config, await crawl(config));
    expect(result).toMatchObject({ upToDate: 1, downloaded: 1, encoded: 0 });
    const after = stage.store.media.get("images", id(100));
    expect(after).toEqual({ ...before, record: after?.record });
    expect(after?.record).not.toBe(before?.record);

    content.images.edit(id(100), { caption: "Last words" });
    const other = configOf({ media: { variants: [] } });
    expect(await media(other, await crawl(other))).toMatchObject({ downloaded: 1, encoded: 2 });
  });

  it("keeps what the decoder warned of where only the record changed", async () => {
    const whole = await sharp(await picture(1))
      .jpeg({ progressive: true })
      .toBuffer();
    const table = whole.indexOf("ffc4", whole.indexOf("ffda", 0, "hex"), "hex");
    const parts = [whole.subarray(0, table), Buffer.alloc(10, 7), whole.subarray(table)];
    const { content } = await start({ images: [await imageOf(100, Buffer.concat(parts))] });
    const config = configOf();
    await media(config, await crawl(config));
    const { remark } = stage.store.media.get("images", id(100)) ?? {};
    expect(remark).toMatch(/^the decoder warns: .*5 extraneous bytes/);
    content.images.edit(id(100), { caption: "New words", width: 9, height: 9 });
    expect(await media(config, await crawl(config))).toMatchObject({ encoded: 0, problems: [] });
    const after = stage.store.media.get("images", id(100));
    expect(after?.remark).toBe(`${remark}; 240 × 160 pixels, the record says 9 × 9`);
  });

  it("keeps the previous entry of an image that fails, and says so", async () => {
    const { content } = await start({ images: await pictures(2) });
    const config = configOf();
    await media(config, await crawl(config));
    const before = stage.store.media.get("images", id(100));
    const page = Buffer.from("<!doctype html><p>Sign in");
    content.images.edit(id(100), { read: async () => page, filesize: 4711 });
    const { problems } = await media(config, await crawl(config));
    expect(problems).toEqual([
      {
        subject: `image ${id(100)}`,
        reason: "the origin answered text/html instead of an image (kept the previous original)",
      },
    ]);
    expect(stage.store.media.get("images", id(100))).toEqual(before);
    expect(readdirSync(join(stage.folder, "blobs", "incoming"))).toEqual([]);
  });

  it.each<[string, Buffer, RegExp]>([
    ["a page", Buffer.from("<!doctype html><p>Sign in"), /answered text\/html instead/],
    [
      "an error in JSON",
      Buffer.from('{"error":"busy"}'),
      /answered text\/plain instead of an image/,
    ],
    ["a text", Buffer.from("come back later"), /answered text\/plain instead of an image/],
  ])("%s, unlike its record, becomes a problem and stops nothing", async (_, bytes, reason) => {
    const images = [
      await imageOf(101, bytes, { filesize: 4711 }),
      await imageOf(102, await picture(2)),
    ];
    await start({ images });
    const config = configOf();
    const result = await media(config, await crawl(config));
    expect(result.problems).toHaveLength(1);
    expect(result.problems[0]?.subject).toBe(`image ${id(101)}`);
    expect(result.problems[0]?.reason).toMatch(reason);
    expect(stage.store.media.get("images", id(101))).toBeUndefined();
    expect(stage.store.media.get("images", id(102))?.renditions).not.toHaveLength(0);
  });

  // What may have suffered on its way is asked for twice.
  it.each<[string, () => Promise<Buffer>, RegExp, string, number]>([
    ["cut short", async () => (await picture(1)).subarray(0, 450), /premature end/, "jpg", 2],
    // A file of another kind and of the recorded size is the origin's.
    ["a page", async () => Buffer.from("<!doctype html><p>Art"), /text\/html, not an/, "html", 1],
    ["a document", async () => Buffer.from("%PDF-1.7\n"), /pdf, not an image/, "pdf", 1],
    ["of an unknown type", async () => Buffer.from("8BPS\0\x01\0\0\0\0"), /photoshop/, "psd", 1],
    ["HEIC", async () => Buffer.from("\0\0\0\x18ftypheic\0\0\0\0"), /image\/heic/, "heic", 1],
    ["BMP", async () => Buffer.from(`BM${"\0".repeat(60)}`), /image\/bmp/, "bmp", 1],
    ["noise", async () => Buffer.from([1, 2, 3, 250, 0, 9]), /octet-stream/, "bin", 1],
    ["an SVG with entities", async () => Buffer.from(billionLaughs), /cannot be decoded/, "svg", 2],
  ])("an image that is %s is kept as it came, without renditions", async (...row) => {
    const [, make, remark, extension, asked] = row;
    const bytes = await make();
    await start({ images: [await imageOf(101, bytes), await imageOf(102, await picture(2))] });
    const config = configOf({ media: { limitPixels: 100_000 } });
    const manifest = await crawl(config);
    const first = await media(config, manifest);
    expect(first).toMatchObject({ problems: [], remarks: { count: 1, bare: 1 } });
    expect(first.downloaded).toBe(1 + asked);
    const entry = stage.store.media.get("images", id(101));
    expect(entry).toMatchObject({ renditions: [], original: { bytes: bytes.length, extension } });
    expect(entry?.remark).toMatch(remark);
    expect(readFileSync(stage.store.blobs.own.pathOf(entry?.original.blob ?? ""))).toEqual(bytes);
    const second = await media(config, manifest);
    expect(second).toMatchObject({ downloaded: 0, upToDate: 2, remarks: first.remarks });
  });

  it("makes the renditions of an image that is too large from the origin's web version, until the limit is raised", async () => {
    const image = await imageOf(101, await largePng());
    await start({ images: [image] }, { web: { width: 120, quality: 90 } });
    const low = configOf({ media: { limitPixels: 100_000 } });
    const manifest = await crawl(low);
    expect(await media(low, manifest)).toMatchObject({ problems: [], remarks: { bare: 0 } });
    const entry = stage.store.media.get("images", id(101));
    expect(entry?.remark).toMatch(
      /^renditions show the origin's web version: 0\.3 megapixels, media\.limitPixels allows 0\.1$/,
    );
    expect(entry?.original).toMatchObject({ width: image.width, height: image.height });
    expect(entry?.renditions.find(({ slot }) => slot === "web")?.width).toBeLessThanOrEqual(120);
    expect(await media(low, manifest)).toMatchObject({ upToDate: 1, downloaded: 0 });
    const high = configOf();
    expect(await media(high, manifest)).toMatchObject({ encoded: 1, downloaded: 0 });
    expect(stage.store.media.get("images", id(101))?.remark).toBeUndefined();
  });

  it("takes no drawing for a web version: decoding one costs what its author likes", async () => {
    const svg =
      '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><rect width="9" height="9"/></svg>';
    const heic = Buffer.from("\0\0\0\x18ftypheic\0\0\0\0");
    await start(
      { images: [await imageOf(101, heic)] },
      {
        intercept({ url = "" }, response) {
          if (!webLink.test(url)) return false;
          response.writeHead(200, { "content-type": "image/jpeg" }).end(svg);
          return true;
        },
      },
    );
    const config = configOf();
    const manifest = await crawl(config);
    expect(await media(config, manifest)).toMatchObject({ problems: [], remarks: { bare: 1 } });
    expect(stage.store.media.get("images", id(101))?.renditions).toEqual([]);
  });

  it.each([
    ["fail", webLink, (response: ServerResponse) => response.writeHead(503).end()],
    ["are cut off", webLink, (response: ServerResponse) => response.destroy()],
    // Their links are signed anew, each by its image.
    [
      "have no links",
      /\/images\/[^/?.]+$/,
      (response: ServerResponse) => response.writeHead(503).end(),
    ],
  ])(
    "asks for few web versions in a night in which they %s, and for all in the next",
    async (_, failing, fail) => {
      let fails = false;
      const asked = (): number =>
        stage.origin.requests.filter(({ url }) => webLink.test(url)).length;
      const heic = (n: number) => Buffer.from(`\0\0\0\x18ftypheic\0\0\0\0${n}`);
      const images = await Promise.all(
        Array.from({ length: 30 }, (_, at) => imageOf(101 + at, heic(at))),
      );
      const web = await picture(1);
      await start(
        { images },
        {
          intercept({ url = "" }, response) {
            const isFailing = fails && failing.test(url);
            if (isFailing) fail(response);
            else if (webLink.test(url))
              response.writeHead(200, { "content-type": "image/jpeg" }).end(web);
            else return false;
            return true;
          },
        },
      );
      const config = configOf();
      const manifest = await crawl(config);
      fails = true;
      const first = await media(config, manifest);
      expect(first).toMatchObject({ problems: [], remarks: { bare: 30 } });
      // A few are underway together, each with its attempts.
      expect(asked()).toBeLessThan(30 * 5);
      fails = false;
      expect(await media(config, manifest)).toMatchObject({ problems: [], remarks: { bare: 0 } });
      expect(asked()).toBe(30);
      expect(await media(config, manifest)).toMatchObject({ upToDate: 30, downloaded: 0 });
      expect(asked()).toBe(0);
    },
  );

  it("makes the small renditions of a baseline JPEG above the limit, all when the limit is raised", async () => {
    const bytes = await picture(1, 600, 500);
    await start({ images: [await imageOf(101, bytes)] });
    const low = configOf({ media: { limitPixels: 100_000, variants: [{ width: 100 }] } });
    const manifest = await crawl(low);
    expect((await media(low, manifest)).problems).toEqual([]);
    const entry = stage.store.media.get("images", id(101));
    expect(entry?.remark).toMatch(/^small renditions only: 0\.3 megapixels/);
    const [small] = entry?.renditions.filter(({ slot }) => slot === "width/100") ?? [];
    const header = await sharp(
      readFileSync(stage.store.blobs.own.pathOf(small?.blob ?? "")),
    ).metadata();
    expect(header).toMatchObject({ width: 100, height: 83 });
    expect(entry?.renditions.some(({ slot }) => slot === "web")).toBe(false);
    expect(await media(low, manifest)).toMatchObject({ upToDate: 1, encoded: 0 });
    const high = configOf({ media: { variants: [{ width: 100 }] } });
    expect(await media(high, manifest)).toMatchObject({ encoded: 1, downloaded: 0 });
    const raised = stage.store.media.get("images", id(101));
    expect(raised?.renditions.some(({ slot }) => slot === "web")).toBe(true);
    expect(raised?.remark).toBeUndefined();
  });

  it.each<[string, () => Promise<Buffer>, Partial<Image>, RegExp]>([
    ["animated", animation, {}, /^animated gif, renditions show the first of 2 frames$/],
    [
      "an SVG",
      async () => Buffer.from(svg),
      {},
      /^SVG, drawn as an image; the original can contain/,
    ],
    [
      "of another size",
      () => picture(1),
      { width: 500, height: 400 },
      /^240 × 160 pixels, the record says 500 × 400$/,
    ],
    ["of other bytes", () => picture(1), { filesize: 5 }, /^\d+ bytes, the record says 5$/],
  ])("an image that is %s is kept with a remark", async (_, bytes, more, remark) => {
    const original = await bytes();
    await start({ images: [await imageOf(101, original, more)] });
    const config = configOf();
    expect((await media(config, await crawl(config))).problems).toEqual([]);
    const entry = stage.store.media.get("images", id(101));
    expect(entry?.remark).toMatch(remark);
    expect(entry?.renditions).not.toHaveLength(0);
    expect(readFileSync(stage.store.blobs.own.pathOf(entry?.original.blob ?? ""))).toEqual(
      original,
    );
  });

  it("an animation has a moving rendition, as the settings allow it", async () => {
    await start({ images: [await imageOf(101, await animation())] });
    const moving = async (animations: object) => {
      const config = configOf({ media: { animations } });
      const report = await media(config, await crawl(config));
      expect(report.problems).toEqual([]);
      const [found] = entryOf().renditions.filter(({ slot }) => slot === "animation");
      const bytes = found && readFileSync(stage.store.blobs.own.pathOf(found.blob));
      return { report, header: bytes && (await sharp(bytes).metadata()) };
    };
    const entryOf = () => stage.store.media.get("images", id(101)) as MediaEntry;
    const whole = await moving({});
    expect(whole.header).toMatchObject({ format: "webp", pages: 2, width: 240, height: 160 });
    expect(whole.header?.delay).toEqual([90, 90]);
    expect((await moving({})).report).toMatchObject({ upToDate: 1, encoded: 0 });
    const small = await moving({ pixels: 19_200 });
    expect(small.header).toMatchObject({ pages: 2, width: 120, height: 80 });
    const none = await moving({ frames: 0 });
    expect(none.header).toBeUndefined();
    expect(none.report).toMatchObject({ encoded: 1, downloaded: 0 });
    expect(entryOf().renditions).not.toHaveLength(0);
  });

  it("does not mind sides that are given before the orientation is applied", async () => {
    const bytes = await sharp(await picture(1))
      .withMetadata({ orientation: 6 })
      .jpeg()
      .toBuffer();
    await start({ images: [await imageOf(101, bytes, { width: 240, height: 160 })] });
    const config = configOf();
    await media(config, await crawl(config));
    const entry = stage.store.media.get("images", id(101));
    expect(entry?.remark).toBeUndefined();
    expect(entry?.original).toMatchObject({ width: 160, height: 240 });
  });

  it("stores videos, audio and documents by what they are, and takes no page for one", async () => {
    await start({
      videos: [
        fileOf(60, "video/mp4", Buffer.from("\0\0\0\x18ftypisom\0\0\0\0isomavc1", "latin1")),
        { ...fileOf(61, "video/mp4", Buffer.from("<html>gone</html>")), filesize: 4711 },
      ],
      audio: [fileOf(62, "application/octet-stream", wav())],
      documents: [
        fileOf(63, "text/plain", Buffer.from("words")),
        fileOf(64, "x/y", Buffer.alloc(0)),
        { ...fileOf(65, "text/html", Buffer.from("<html>a report</html>")), filesize: 0 },
        { ...fileOf(66, "text/html", Buffer.from("<html>another</html>")), filesize: 12 },
        fileOf(67, "application/pdf", Buffer.alloc(70_000)),
      ],
    });
    const config = configOf();
    const result = await media(config, await crawl(config));
    expect(result).toMatchObject({ wanted: 8, encoded: 0 });
    expect(
      result.problems.map(({ subject, reason }) => `${subject.slice(0, 8)}: ${reason}`),
    ).toEqual(["video 00: the origin answered text/html instead of a file"]);
    const reasons = [64, 67].map((n) => stage.store.media.absence("documents", id(n))?.reason);
    expect(reasons).toEqual([
      "the origin's file is empty",
      "the origin's file is nothing but zeros",
    ]);
    expect(stage.store.media.get("videos", id(60))).toMatchObject({
      original: { type: "video/mp4", extension: "mp4" },
      renditions: [],
    });
    expect(stage.store.media.get("audio", id(62))?.original.extension).toBe("wav");
    expect(stage.store.media.get("documents", id(63))?.original.extension).toBe("txt");
    for (const page of [65, 66]) {
      expect(stage.store.media.get("documents", id(page))).toMatchObject({
        original: { type: "text/html" },
        remark: expect.stringContaining("the file is text/html"),
      });
    }
  });

  it("fetches nothing where originals are off", async () => {
    await start({ images: await pictures(3) });
    const manifest = await crawl(configOf());
    const result = await media(configOf({ media: { originals: false } }), manifest);
    expect(result).toMatchObject({ wanted: 3, skipped: 3, downloaded: 0 });
    expect(stage.origin.requests).toEqual([]);
  });

  it("stops starting items when aborted, and goes on at the next run", async () => {
    await start({ images: await pictures(60) });
    const config = configOf({ crawl: { concurrency: 1 } });
    const manifest = await crawl(config);
    const abort = new AbortController();
    const watch = setInterval(() => {
      if (downloads().length >= 3) abort.abort(new Interrupted("SIGINT"));
    }, 1);
    const first = await media(config, manifest, { signal: abort.signal });
    clearInterval(watch);
    expect(first.problems).toEqual([]);
    expect(first.downloaded).toBeLessThan(60);
    expect(stage.store.media.size).toBe(first.downloaded);
    const second = await media(config, manifest);
    expect(second).toMatchObject({ upToDate: first.downloaded, downloaded: 60 - first.downloaded });
  });
});

describe("sizes in bytes", () => {
  it("a download of another size than the record's is made once more", async () => {
    const images = await pictures(1);
    let first = true;
    await start(
      { images },
      {
        intercept: (request, response) => {
          if (!first || !request.url?.includes("/download")) return false;
          first = false;
          const bytes = "half of it";
          response.writeHead(200, { "content-type": "image/jpeg", "content-length": bytes.length });
          response.end(bytes);
          return true;
        },
      },
    );
    const config = configOf();
    const result = await media(config, await crawl(config));
    expect(result.problems).toEqual([]);
    expect(downloads()).toHaveLength(2);
    expect(stage.store.media.get("images", id(100))?.remark).toBeUndefined();
  });

  it("an origin whose records are never exact is not asked twice for everything", async () => {
    await start({ images: await pictures(30) }, { filesizes: "rounded" });
    const config = configOf({ crawl: { concurrency: 1 } });
    const result = await media(config, await crawl(config));
    expect(result.problems).toEqual([]);
    expect(downloads().length).toBeLessThanOrEqual(30 + 8);
  });

  it("a file of unknown size that is damaged is fetched once more", async () => {
    let asked = 0;
    await start(
      { images: await pictures(1) },
      {
        filesizes: "zero",
        intercept: (request, response) => {
          if (!request.url?.includes("/download") || ++asked > 1) return false;
          response.writeHead(200, { "content-type": "text/html" });
          response.end("<html>busy</html>");
          return true;
        },
      },
    );
    const config = configOf();
    expect((await media(config, await crawl(config))).problems).toEqual([]);
    expect(asked).toBe(2);
  });

  it("a document whose size never is the same is a problem", async () => {
    let asked = 0;
    await start(
      { documents: [fileOf(63, "text/plain", Buffer.from("words"))] },
      {
        intercept: (request, response) => {
          if (!request.url?.includes("/download")) return false;
          response.writeHead(200, { "content-type": "text/plain" });
          response.end("x".repeat(10 + ++asked));
          return true;
        },
      },
    );
    const config = configOf();
    const { problems } = await media(config, await crawl(config));
    expect(problems[0]?.reason).toMatch(
      /^12 bytes, the record says 5, and each download gives a different/,
    );
  });
});

describe("signed links", () => {
  it("are had by reading each page of the list once, in list order", async () => {
    await start({ images: await pictures(45) });
    const config = configOf();
    const result = await media(config, await crawl(config));
    expect(result).toMatchObject({ downloaded: 45, problems: [] });
    expect(listings()).toEqual([
      "/api/v1/images",
      "/api/v1/images?page=2",
      "/api/v1/images?page=3",
    ]);
  });

  it("are renewed when they expired, once per page", async () => {
    let clock = Date.now();
    await start({ images: await pictures(30) }, { now: () => new Date(clock), linkSeconds: 600 });
    const config = configOf({ crawl: { concurrency: 1 } });
    const links = createLinkBook();
    const manifest = await crawl(config, links);
    clock += 601_000;
    const result = await media(config, manifest, { links });
    expect(result).toMatchObject({ downloaded: 30, problems: [] });
    const refused = stage.origin.requests.filter(({ status }) => status === 403) ?? [];
    // Those that were underway when the first one was refused.
    expect(refused.length).toBeLessThanOrEqual(16);
    expect(listings().length).toBeLessThanOrEqual(4);
  });

  it.each([403, 401])(
    "that are refused for good make a problem after two requests, %d",
    async (status) => {
      await start(
        { images: await pictures(1) },
        {
          intercept: (request, response) => {
            if (!request.url?.includes("/download")) return false;
            response.writeHead(status);
            response.end();
            return true;
          },
        },
      );
      const config = configOf();
      const { problems } = await media(config, await crawl(config));
      expect(problems).toHaveLength(1);
      expect(problems[0]?.reason).toContain(`${status}`);
      expect(problems[0]?.reason).not.toMatch(/signature|expires/);
      expect(downloads()).toHaveLength(2);
    },
  );

  it("that are refused once with 401 are renewed: they are asked for without the token", async () => {
    let refused = 0;
    await start(
      { images: await pictures(2) },
      {
        intercept: (request, response) => {
          if (!request.url?.includes("/download") || refused > 0) return false;
          refused++;
          response.writeHead(401).end();
          return true;
        },
      },
    );
    const config = configOf();
    const result = await media(config, await crawl(config));
    expect([refused, result]).toMatchObject([1, { downloaded: 2, problems: [] }]);
  });

  it("are found on later pages when the index has moved", async () => {
    const { content } = await start({ images: await pictures(40) });
    const config = configOf();
    const manifest = await crawl(config);
    for (let n = 0; n < 50; n++) {
      content.images.add(await imageOf(500 + n, await picture(n, 8, 8)));
    }
    expect((await media(config, manifest)).problems).toEqual([]);
    expect(downloads()).toHaveLength(40);
    // Pages 1 to 5, each once, or once more for items that were underway together.
    expect(listings().length).toBeLessThanOrEqual(8);
  });

  it("are asked of the single image where the index shows it no more", async () => {
    const { content } = await start({ images: await pictures(3) });
    const config = configOf();
    const manifest = await crawl(config);
    content.images.edit(id(101), { private: true });
    expect((await media(config, manifest)).problems).toEqual([]);
    expect(listings()).toContain(`/api/v1/images/${id(101)}`);
  });

  it("of an image that is gone make a problem", async () => {
    const { content } = await start({ images: await pictures(3) });
    const config = configOf();
    const manifest = await crawl(config);
    content.images.remove(id(101));
    const { problems } = await media(config, manifest);
    expect(problems).toEqual([
      { subject: `image ${id(101)}`, reason: "the origin no longer shows a link to it" },
    ]);
  });

  it.each([true, false])(
    "of images in no index come from what they are attached to (single path: %s)",
    async (single) => {
      const images = await pictures(30);
      const hidden = await Promise.all(
        Array.from({ length: 25 }, async (_, n) =>
          imageOf(300 + n, await picture(n, 50, 40), { private: true }),
        ),
      );
      const attached = [...images.slice(0, 3), ...hidden].map((image) => image.id);
      await start(
        { images: [...images, ...hidden], articles: [articleOf(900, attached)] },
        { privateInAttachments: true },
      );
      const origin = single ? {} : { paths: { image: null } };
      const config = configOf({ origin });
      const manifest = await crawl(config);
      expect(manifest.lists["images.unlisted"]?.count).toBe(25);
      expect((await media(config, manifest)).problems).toEqual([]);
      expect(listings().filter((url) => url.includes("/articles/"))).toHaveLength(2);
      expect(listings().filter((url) => url.includes("/images/"))).toEqual([]);
    },
  );

  it.each([true, false])("of private images are had too (single path: %s)", async (single) => {
    const images = await pictures(50);
    for (const image of images.filter((_, n) => n % 5 === 0)) image.private = true;
    await start({ images });
    const settings = { crawl: { privateImages: "include" } };
    const config = configOf({
      ...settings,
      ...(single ? {} : { origin: { paths: { image: null } } }),
    });
    const manifest = await crawl(config);
    expect(manifest.lists["images.private"]?.count).toBe(10);
    const result = await media(config, manifest);
    expect(result).toMatchObject({ wanted: 50, downloaded: 50, problems: [] });
    if (!single) expect(listings().length).toBeLessThanOrEqual(2 + 3);
    const without = await media(configOf(), manifest);
    expect(without).toMatchObject({ wanted: 40, upToDate: 40 });
  });

  it("of private images are had again where they expire before they are used", async () => {
    const images = await pictures(60);
    for (const image of images.filter((_, n) => n % 2 === 0)) image.private = true;
    let time = Date.now();
    await start(
      { images },
      {
        linkSeconds: 100,
        now: () => new Date(time),
        // Each request takes so long that a page of links serves but four of them.
        intercept(_, response) {
          time += 20_000;
          response.setHeader("Date", new Date(time).toUTCString());
          return false;
        },
      },
    );
    const config = configOf({
      crawl: { privateImages: "include", concurrency: 1 },
      origin: { paths: { image: null } },
    });
    const manifest = await crawl(config);
    const result = await media(config, manifest, { links: createLinkBook(() => time) });
    expect(result).toMatchObject({ wanted: 60, downloaded: 60, problems: [] });
    // Sixty would be a page for each picture. Which of the downloads underway get which page is a matter of luck.
    expect(listings().length).toBeLessThan(45);
  });

  it("are no reason to go on with a refused token", async () => {
    await start({ images: await pictures(3) });
    const config = configOf();
    const manifest = await crawl(config);
    await expect(media(config, manifest, { token: "wrong" })).rejects.toMatchObject({
      status: 401,
    });
  });
});

describe("failureOf", () => {
  const patience = { answered() {}, failed: async () => "there" as const };
  const context = { patience, checkToken: () => Promise.resolve(), signal: undefined };
  const gone = (status: number): ApiError =>
    new ApiError("GET /x: no answer", { url: "https://x/", status, attempts: 3 });

  it("takes a link that was never requested for no sign of a silent origin, and keeps the hint", async () => {
    const details = { url: "https://x/", status: 0, attempts: 0, hint: "allow the host" };
    const failed = (): Promise<never> => expect.unreachable();
    const silent = { ...context, patience: { ...patience, failed } };
    expect(await failureOf(new ApiError("host is not allowed", details), silent)).toEqual({
      reason: "host is not allowed",
      hint: "allow the host",
    });
  });

  it("passes on what is no failure of one item", async () => {
    expect(await failureOf(new OriginalError("the file is empty"), context)).toEqual({
      reason: "the file is empty",
    });
    const budget = { url: "", status: 429, attempts: 1, exitCode: exitCodes.budget };
    for (const error of [new TypeError("bug"), new ApiError("wait", budget)]) {
      await expect(failureOf(error, context)).rejects.toThrow(error);
    }
  });

  it("ends the run because of a 401 only where the token is refused altogether", async () => {
    expect(await failureOf(gone(401), context)).toMatchObject({ reason: "GET /x: no answer" });
    const refused = { ...context, checkToken: () => Promise.reject(gone(401)) };
    await expect(failureOf(gone(401), refused)).rejects.toMatchObject({ status: 401 });
  });

  it("takes what fails after an interruption for interrupted", async () => {
    const signal = AbortSignal.abort(new Interrupted("SIGTERM"));
    const stopped = { ...context, signal };
    expect(await failureOf(signal.reason, stopped)).toBeUndefined();
    expect(await failureOf(gone(0), stopped)).toBeUndefined();
    expect(await failureOf(gone(404), stopped)).toBeDefined();
  });
});

const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="240" height="160"><script>alert(1)</script>
  <rect width="50" height="50" fill="red"/></svg>`;

const billionLaughs = `<?xml version="1.0"?><!DOCTYPE svg [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "${"&a;".repeat(3000)}">
<!ENTITY c "${"&b;".repeat(3000)}">]><svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><text>&c;</text></svg>`;

async function largePng(): Promise<Buffer> {
  return await sharp(await picture(1, 600, 500))
    .png()
    .toBuffer();
}

async function animation(): Promise<Buffer> {
  const frames = await Promise.all([1, 2].map((n) => picture(n)));
  return await sharp(frames, { join: { animated: true } })
    .gif({ delay: [90, 90] })
    .toBuffer();
}
