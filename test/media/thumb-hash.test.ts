import sharp, { type Sharp } from "sharp";
import { thumbHashToAverageRGBA, thumbHashToRGBA } from "thumbhash";
import { describe, expect, it } from "vitest";
import { DecoderAnswer } from "../../src/media/decoders.ts";
import { thumbHashOf } from "../../src/media/thumb-hash.ts";
import { id, imageOf, picture, pictures, useStage } from "./fixture.ts";

/** Red on the left, blue on the right. */
function halves(width: number, height: number): Sharp {
  const half = { width: width / 2, height, channels: 3 as const, background: "#c81e1e" };
  const whole = { width, height, channels: 3 as const, background: "#1e1ec8" };
  return sharp({ create: whole }).composite([{ input: { create: half }, left: 0, top: 0 }]);
}

/** Of the picture as raw pixels, as the encoder has them. */
async function hashOf(image: Sharp): Promise<string | undefined> {
  const { data, info } = await image.raw().toBuffer({ resolveWithObject: true });
  const { width, height, channels } = info;
  return await thumbHashOf(sharp(data, { raw: { width, height, channels } }), { width, height });
}

const bytesOf = (hash: string | undefined): Buffer => Buffer.from(hash ?? "", "base64");

describe("a ThumbHash", () => {
  it.each([
    ["landscape", 300, 200],
    ["portrait", 90, 160],
    ["panorama", 2000, 40],
    ["small", 8, 6],
  ])("tells average colour and shapes by its own decoder: %s", async (_, width, height) => {
    const hash = bytesOf(await hashOf(halves(width, height)));
    const { r, g, b, a } = thumbHashToAverageRGBA(hash);
    const [red = 0, green = 0, blue = 0] = [r, g, b].map((value) => value * 255);
    for (const [is, wanted] of [
      [red, (0xc8 + 0x1e) / 2],
      [green, 0x1e],
      [blue, (0xc8 + 0x1e) / 2],
    ] as const) {
      expect(Math.abs(is - wanted)).toBeLessThan(8);
    }
    expect(a).toBe(1);
    const { w, h, rgba } = thumbHashToRGBA(hash);
    const at = (x: number): Uint8Array => {
      const start = (Math.floor(h / 2) * w + Math.floor(w * x)) * 4;
      return rgba.subarray(start, start + 3);
    };
    const [left, right] = [at(0.2), at(0.8)] as [Uint8Array, Uint8Array];
    expect((left[0] as number) - (left[2] as number)).toBeGreaterThan(100);
    expect((right[2] as number) - (right[0] as number)).toBeGreaterThan(100);
  });

  it("is missing if the picture has transparent parts, not if it only could have", async () => {
    const glass = { r: 0, g: 0, b: 200, alpha: 0.9 };
    const create = { width: 200, height: 100, channels: 4 as const, background: glass };
    expect(await hashOf(sharp({ create }))).toBeUndefined();
    const opaque = halves(200, 100).ensureAlpha(1);
    expect(await hashOf(opaque)).toBe(await hashOf(halves(200, 100)));
  });
});

describe("the answer of a decoder process", () => {
  const answer = { answer: "rendered", files: [], warnings: [] };

  it.each([
    [undefined, true],
    ["3PcNNYSFeXh/d3eld0iHZoZgVwh2", true],
    ["", false],
    ['" onload="x', false],
    ["A".repeat(40), false],
  ])("may have the hash %j: %s", (thumbHash, isFine) => {
    expect(DecoderAnswer.safeParse({ ...answer, thumbHash }).success).toBe(isFine);
  });
});

describe("the media stage", () => {
  const stage = useStage();
  const { start, configOf, crawl, media } = stage;
  const entryOf = (number: number) => stage.store.media.get("images", id(number));

  it("keeps the hash of each opaque picture, the same for equal ones", async () => {
    const glass = { r: 0, g: 90, b: 0, alpha: 0.5 };
    const create = { width: 240, height: 160, channels: 4 as const, background: glass };
    const clear = await sharp({ create }).png().toBuffer();
    const same = await picture(1);
    await start({
      images: [
        await imageOf(1, same),
        await imageOf(2, same),
        await imageOf(3, clear, { mime: "image/png" }),
      ],
    });
    const config = configOf();
    await media(config, await crawl(config));
    const [first, second, third] = [1, 2, 3].map(entryOf);
    const { r, g, b } = thumbHashToAverageRGBA(bytesOf(first?.thumbHash));
    // The colour of `picture(1)`.
    const off = [r * 255 - 67, g * 255 - 131, b * 255 - 90].map(Math.abs);
    expect(Math.max(...off)).toBeLessThan(8);
    expect(second?.thumbHash).toBe(first?.thumbHash);
    expect(third?.renditions).not.toEqual([]);
    expect(third).not.toHaveProperty("thumbHash");
  });

  it("decodes no picture for the hash alone: older stores get it with their next renditions", async () => {
    await start({ images: await pictures(2) });
    const config = configOf();
    const manifest = await crawl(config);
    await media(config, manifest);
    const { thumbHash, ...older } = entryOf(100) ?? (undefined as never);
    expect(thumbHash).toBeDefined();
    stage.store.media.put(older);
    expect(await media(config, manifest)).toMatchObject({ upToDate: 2, encoded: 0, problems: [] });
    expect(entryOf(100)).toEqual(older);
    const changed = configOf({ media: { variants: [{ width: 100 }] } });
    expect(await media(changed, manifest)).toMatchObject({ encoded: 2, downloaded: 0 });
    expect(entryOf(100)?.thumbHash).toBe(thumbHash);
  });

  it("keeps the hash when only the words of an image change", async () => {
    const image = await imageOf(1, await picture(1));
    await start({ images: [image] });
    const config = configOf();
    await media(config, await crawl(config));
    const before = entryOf(1);
    image.title = "Another title";
    expect(await media(config, await crawl(config))).toMatchObject({ downloaded: 1, encoded: 0 });
    const after = entryOf(1);
    expect(after?.record).not.toBe(before?.record);
    expect(after?.thumbHash).toBe(before?.thumbHash);
    expect(after?.thumbHash).toBeDefined();
  });
});
