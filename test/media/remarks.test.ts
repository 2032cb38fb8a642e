import { expect, it } from "vitest";
import type { OriginOptions } from "../../src/demo/options.ts";
import { fileOf, id, imageOf, picture, useStage, wav } from "./fixture.ts";

const stage = useStage();
const { start, configOf, crawl, media } = stage;

const clip = Buffer.from("\0\0\0\x18ftypisom\0\0\0\0isomavc1", "latin1");
const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="30" height="20"><rect width="9" height="9"/></svg>`;

it("tells each night of files that are other than their records say, before all other remarks", async () => {
  await start({
    images: [
      await imageOf(101, Buffer.from(svg)),
      await imageOf(102, await picture(2)),
      await imageOf(103, await picture(3), { width: 500, height: 400 }),
    ],
    videos: [{ ...fileOf(60, "video/mp4", clip), filesize: 5 }],
    documents: [{ ...fileOf(63, "text/plain", Buffer.from("words")), filesize: 4 }],
    audio: [fileOf(62, "audio/wav", wav()), fileOf(64, "audio/wav", Buffer.from("%PDF-1.7\n"))],
  });
  const config = configOf();
  const manifest = await crawl(config);
  const first = await media(config, manifest);
  expect(first.problems).toEqual([]);
  expect(first.remarks).toEqual({
    count: 5,
    doubtful: 4,
    places: 0,
    bare: 0,
    absent: 0,
    unvalidated: 7,
    unconditional: false,
    first: [
      { subject: `audio ${id(64)}`, remark: "the file is application/pdf" },
      { subject: `document ${id(63)}`, remark: "5 bytes, the record says 4" },
      { subject: `image ${id(103)}`, remark: "240 × 160 pixels, the record says 500 × 400" },
      { subject: `video ${id(60)}`, remark: `${clip.length} bytes, the record says 5` },
      {
        subject: `image ${id(101)}`,
        remark: "SVG, drawn as an image; the original can contain scripts",
      },
    ],
  });
  const second = await media(config, manifest);
  expect(second).toMatchObject({ upToDate: 7, downloaded: 0, remarks: first.remarks });
});

it("names 50 at most, the same ones each night, and counts all", async () => {
  const documents = Array.from({ length: 70 }, (_, n) => ({
    ...fileOf(200 + ((n * 37) % 70), "text/plain", Buffer.from(`words ${n}`)),
    filesize: 1,
  }));
  await start({ documents });
  const config = configOf();
  const manifest = await crawl(config);
  const { remarks } = await media(config, manifest);
  expect(remarks).toMatchObject({ count: 70, doubtful: 70 });
  const named = Array.from({ length: 50 }, (_, n) => `document ${id(200 + n)}`);
  expect(remarks.first.map(({ subject }) => subject)).toEqual(named);
  expect((await media(config, manifest)).remarks).toEqual(remarks);
});

it("tells of the file that is kept where a later one was no good", async () => {
  const image = await imageOf(103, await picture(3), { width: 500, height: 400 });
  const { content } = await start({ images: [image] });
  const config = configOf();
  const { remarks } = await media(config, await crawl(config));
  content.images.edit(id(103), { caption: "New", read: async () => Buffer.from("no picture") });
  const second = await media(config, await crawl(config));
  expect(second.problems).toHaveLength(1);
  expect(second.remarks).toEqual(remarks);
});

it.each<[string, object, boolean, number]>([
  ["counts", { refreshShare: 0.1 }, false, 2],
  ["counts", { refresh: "all", refreshShare: 0 }, false, 2],
  ["does not count", { refreshShare: 0 }, false, 0],
  ["does not count", { refreshShare: 0.1 }, true, 0],
])(
  "%s files without validators, with %o and validators: %s",
  async (_, settings, validated, count) => {
    const intercept: OriginOptions["intercept"] = (request, response) => {
      if (!validated || !request.url?.includes("/download")) return false;
      response.writeHead(200, { etag: '"one"', "content-type": "text/plain" }).end("words");
      return true;
    };
    const documents = [1, 2].map((n) => fileOf(n, "text/plain", Buffer.from("words")));
    await start({ documents }, { intercept });
    const config = configOf({ crawl: settings });
    const manifest = await crawl(config);
    for (const downloaded of [2, 0]) {
      const result = await media(config, manifest);
      expect(result).toMatchObject({ downloaded, remarks: { count: 0, unvalidated: count } });
    }
  },
);
