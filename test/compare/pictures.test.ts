import sharp, { type ResizeOptions, type Sharp } from "sharp";
import { beforeAll, describe, expect, it } from "vitest";
import { isSamePicture, pictureOf } from "../../src/compare/pictures.ts";
import { generateContent } from "../support/content.ts";

const [width, height] = [640, 427];
let original: Buffer;
let other: Buffer;

const jpeg = (image: Sharp, quality = 80): Promise<Buffer> => image.jpeg({ quality }).toBuffer();
const sized = (bytes: Buffer, options: ResizeOptions = {}): Sharp =>
  sharp(bytes).resize(width, height, { fit: "fill", ...options });

async function isSame(a: Buffer, b: Buffer): Promise<boolean> {
  const [first, second] = [await pictureOf(a), await pictureOf(b)];
  expect([second.width, second.height]).toEqual([first.width, first.height]);
  return isSamePicture(first, second);
}

beforeAll(async () => {
  const content = await generateContent({ articles: 1, galleries: 1, images: 12, seed: 3 });
  const large = [...content.images].filter((image) => image.width >= 640);
  original = await (large[0] as (typeof large)[number]).read();
  other = await (large[1] as (typeof large)[number]).read();
});

describe("two pictures are the same", () => {
  it.each([
    ["with another quality", () => jpeg(sized(original), 60)],
    ["with another kernel", () => jpeg(sized(original, { kernel: "linear" }))],
    ["in another format", () => sized(original).webp({ quality: 70 }).toBuffer()],
    [
      "turned by EXIF only",
      async () => {
        const turned = await sized(original).rotate(270).toBuffer();
        return sharp(turned).withMetadata({ orientation: 6 }).jpeg({ quality: 90 }).toBuffer();
      },
    ],
  ])("%s", async (_, make) => {
    expect(await isSame(await jpeg(sized(original)), await make())).toBe(true);
  });
});

describe("a picture is found to be wrong", () => {
  it.each([
    ["another one", () => jpeg(sized(other))],
    ["turned upside down", () => jpeg(sized(original).rotate(180))],
    ["in grey", () => jpeg(sized(original).greyscale())],
    [
      "with red and blue swapped",
      () =>
        jpeg(
          sized(original).recomb([
            [0, 0, 1],
            [0, 1, 0],
            [1, 0, 0],
          ]),
        ),
    ],
    ["too dark", () => jpeg(sized(original).linear(0.85))],
    [
      "black below",
      async () => {
        const band = { create: { width, height: 60, channels: 3 as const, background: "#000" } };
        const input = await sharp(band).png().toBuffer();
        return jpeg(sized(original).composite([{ input, gravity: "south" }]));
      },
    ],
  ])("%s", async (_, make) => {
    expect(await isSame(await jpeg(sized(original)), await make())).toBe(false);
  });

  it("by an error, where it is none", async () => {
    await expect(pictureOf(Buffer.from("no picture"))).rejects.toThrow();
  });
});
