import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import sharp, { type Sharp } from "sharp";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createLinkBook } from "../../src/api/links.ts";
import { isUnwritten } from "../../src/media/inspect.ts";
import { id, imageOf, useStage } from "./fixture.ts";

const size = { width: 320, height: 240 };
const drawing = (): Sharp => {
  const shapes = `<circle cx="90" cy="80" r="60" fill="#d33"/><path d="M0 200 L320 120 V240 H0" fill="#264"/>`;
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="320" height="240">${shapes}</svg>`;
  return sharp(Buffer.from(svg)).flatten({ background: "#8bd" });
};

/** As a server sends a file that was given its size, and of which the rest was not written. */
function zeroedFrom(bytes: Buffer, share: number): Buffer {
  return Buffer.from(bytes).fill(0, Math.floor(bytes.length * share));
}

/** A strip of pixels each, behind the directory that names them: libtiff's own files have it at the end. */
function plainTiff(pixels: Buffer): Buffer {
  const tags = [
    [256, size.width],
    [257, size.height],
    [258, 8],
    [259, 1],
    [262, 1],
    [273, 8 + 2 + 9 * 12 + 4],
    [277, 1],
    [278, size.height],
    [279, pixels.length],
  ];
  const head = Buffer.alloc(8 + 2 + tags.length * 12 + 4);
  head.write("II*\0\x08\0\0\0", "latin1");
  head.writeUInt16LE(tags.length, 8);
  for (const [n, [tag = 0, value = 0]] of tags.entries()) {
    const at = 10 + n * 12;
    head.writeUInt16LE(tag, at);
    head.writeUInt16LE(4, at + 2);
    head.writeUInt32LE(1, at + 4);
    head.writeUInt32LE(value, at + 8);
  }
  return Buffer.concat([head, pixels]);
}

async function decodes(bytes: Buffer): Promise<boolean> {
  return await sharp(bytes, { failOn: "warning" })
    .raw()
    .toBuffer()
    .then(
      () => true,
      () => false,
    );
}

describe("a JPEG that ends in zeros", () => {
  let folder: string;
  let whole: Buffer;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "stillpress-unwritten-"));
    whole = await drawing().jpeg({ quality: 97 }).toBuffer();
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  async function unwritten(bytes: Buffer): Promise<boolean> {
    const path = join(folder, "file.jpg");
    writeFileSync(path, bytes);
    return await isUnwritten(path);
  }

  it.each([0.2, 0.5, 0.9])("from %f of it on is damaged, though it decodes", async (share) => {
    const bytes = zeroedFrom(whole, share);
    expect(await decodes(bytes)).toBe(true);
    expect(await unwritten(bytes)).toBe(true);
  });

  it("over more than the tail that its type is told by is damaged", async () => {
    const bytes = Buffer.concat([zeroedFrom(whole, 0.3), Buffer.alloc(300_000)]);
    expect(await unwritten(bytes)).toBe(true);
  });

  it.each([1, 16, 5_000, 200_000])("is good where its end marker precedes them: %i", async (n) => {
    expect(await unwritten(Buffer.concat([whole, Buffer.alloc(n)]))).toBe(false);
  });

  it("is good where something else stands between its end marker and them", async () => {
    const appended = Buffer.from("\0\0\0\x18ftypmp42", "latin1");
    expect(await unwritten(Buffer.concat([whole, appended, Buffer.alloc(99)]))).toBe(false);
  });

  it("finds an end marker across two of the pieces it reads", async () => {
    const scan = whole.indexOf(Buffer.from([0xff, 0xda]));
    for (const place of [-2, -1, 0]) {
      const fill = Buffer.alloc((64 << 10) + scan - whole.length + 2 + place, 0x55);
      const bytes = Buffer.concat([whole.subarray(0, -2), fill, whole.subarray(-2)]);
      expect(await unwritten(Buffer.concat([bytes, Buffer.alloc(20)]))).toBe(false);
    }
  });

  it("is not taken for whole by the end marker of the thumbnail in its header", async () => {
    const thumbnail = await drawing().resize(16).jpeg().toBuffer();
    const segment = Buffer.alloc(4 + thumbnail.length);
    segment.writeUInt16BE(0xffe1);
    segment.writeUInt16BE(2 + thumbnail.length, 2);
    thumbnail.copy(segment, 4);
    const bytes = Buffer.concat([whole.subarray(0, 2), segment, whole.subarray(2)]);
    expect(await unwritten(Buffer.concat([bytes, Buffer.alloc(99)]))).toBe(false);
    expect(await unwritten(zeroedFrom(bytes, 0.6))).toBe(true);
  });
});

describe("zeros from the middle of other pictures on", () => {
  it.each<[string, (pixels: Sharp) => Promise<Buffer>]>([
    ["a progressive JPEG", (pixels) => pixels.jpeg({ progressive: true }).toBuffer()],
    ["PNG", (pixels) => pixels.png().toBuffer()],
    ["GIF", (pixels) => pixels.gif().toBuffer()],
    ["AVIF", (pixels) => pixels.avif({ effort: 0 }).toBuffer()],
    ["TIFF, compressed", (pixels) => pixels.tiff({ compression: "deflate" }).toBuffer()],
  ])("are an error to the decoder: %s", async (_, encode) => {
    const bytes = await encode(drawing());
    expect(await decodes(bytes)).toBe(true);
    for (const share of [0.3, 0.5, 0.8])
      expect(await decodes(zeroedFrom(bytes, share))).toBe(false);
  });

  // Should one of these fail: the decoder has learnt to tell, and the limit that FAULTS.md states is gone.
  it.each<[string, () => Promise<Buffer>]>([
    ["WebP", () => drawing().webp({ quality: 95 }).toBuffer()],
    ["WebP without loss", () => noise().webp({ lossless: true }).toBuffer()],
    ["TIFF without compression", async () => plainTiff(await grey())],
  ])("are pixels to the decoder: %s", async (_, make) => {
    const bytes = await make();
    expect(await decodes(bytes)).toBe(true);
    expect(await decodes(zeroedFrom(bytes, 0.8))).toBe(true);
  });

  const grey = () => drawing().toColourspace("b-w").raw().toBuffer();
  /** Of a WebP without loss that is short, as a drawing's is, the decoder can notice it. */
  function noise(): Sharp {
    const pixels = Buffer.alloc(320 * 240 * 3);
    for (let n = 0, seed = 1; n < pixels.length; n++) {
      seed = (seed * 48_271) % 2_147_483_647;
      pixels[n] = seed >> 16;
    }
    return sharp(pixels, { raw: { ...size, channels: 3 } });
  }

  it("good WebP files end in as well, so that they are no sign there", async () => {
    const white = sharp({ create: { width: 1000, height: 1000, channels: 3, background: "#fff" } });
    const bytes = await white.webp({ effort: 4 }).toBuffer();
    expect(bytes.subarray(-64).every((byte) => byte === 0)).toBe(true);
  });
});

describe("an origin that serves a JPEG half written, in its full size", () => {
  const stage = useStage();
  const { start, configOf, crawl, media } = stage;

  it("is a remark until the file is whole; the previous original is kept", async () => {
    const former = await drawing().negate().jpeg().toBuffer();
    const whole = await drawing().jpeg({ quality: 97 }).toBuffer();
    const { content } = await start({ images: [await imageOf(100, former)] });
    const config = configOf();
    await media(config, await crawl(config));
    const before = stage.store.media.get("images", id(100));
    const half = zeroedFrom(whole, 0.5);
    content.images.edit(id(100), { read: async () => half, filesize: whole.length });
    for (let night = 0; night < 2; night++) {
      const { problems, remarks } = await media(config, await crawl(config));
      expect(problems).toEqual([]);
      expect(remarks.first.map(({ remark }) => remark)).toEqual([
        "the origin's file is now damaged: cannot be decoded completely: it ends in zeros, as if it was never completely written (kept the previous original)",
      ]);
      expect(stage.store.media.get("images", id(100))).toEqual(before);
    }
    content.images.edit(id(100), { read: async () => whole });
    const turn = configOf({ crawl: { refresh: "all" } });
    const links = createLinkBook();
    const last = await media(turn, await crawl(turn, links), { links });
    expect(last).toMatchObject({ encoded: 1, problems: [] });
  });
});
