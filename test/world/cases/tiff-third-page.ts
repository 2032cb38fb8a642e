import { join } from "node:path";
import sharp from "sharp";
import { expect } from "vitest";
import type { WorldCase } from "../case.ts";
import { tiffOf } from "../undecodable.ts";
import { type Json, picture } from "../world.ts";

export const worldCase: WorldCase = {
  says: "a TIFF has two previews of different sizes before its picture",
  source: "TIFF 6.0, NewSubfileType 1: pyramids of scanners, the smallest page first",
  change(world) {
    const original = tiffOf([
      { width: 16, height: 12, colour: [255, 255, 255] },
      { width: 32, height: 24, colour: [0, 0, 0] },
      { width: 64, height: 48, colour: [42, 157, 143] },
    ]);
    const image = world.images.find(({ id }) => id === picture) as Json;
    image.filesize = original.length;
    world.files[`/images/${picture}/download`] = {
      headers: { "content-type": "image/tiff" },
      body: original,
    };
  },
  pictures: 1,
  async also({ out }) {
    const path = join(out, "public/api/v1/images", `${picture}.jpg`);
    const { data, info } = await sharp(path).raw().toBuffer({ resolveWithObject: true });
    expect([info.width, info.height]).toEqual([64, 48]);
    for (const [at, value] of [42, 157, 143].entries())
      expect(Math.abs((data[at] ?? 0) - value)).toBeLessThanOrEqual(4);
  },
};
