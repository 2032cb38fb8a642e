import type { WorldCase } from "../case.ts";
import { expectWebVersion, giveUndecodable } from "../undecodable.ts";

export const worldCase: WorldCase = {
  says: "an original is a BMP, of which the origin has a web version",
  source: "Windows bitmaps: BITMAPFILEHEADER and BITMAPINFOHEADER, one pixel of 24 bits",
  async change(world) {
    const original = Buffer.alloc(58);
    original.write("BM", "latin1");
    original.writeUInt32LE(58, 2);
    original.writeUInt32LE(54, 10);
    for (const [at, value] of [40, 1, 1, 0x180001].entries())
      original.writeUInt32LE(value, 14 + at * 4);
    await giveUndecodable(world, original, { "content-type": "image/bmp" });
  },
  pictures: 1,
  also: expectWebVersion,
};
