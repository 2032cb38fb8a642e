import type { WorldCase } from "../case.ts";
import { expectWebVersion, giveUndecodable } from "../undecodable.ts";

export const worldCase: WorldCase = {
  says: "an original is a JPEG XL, of which the origin has a web version",
  source: "ISO/IEC 18181-2: exports of Lightroom and darktable",
  async change(world) {
    const original = Buffer.from("\0\0\0\x0cJXL \r\n\x87\n\0\0\0\x14ftypjxl ", "latin1");
    await giveUndecodable(world, original, { "content-type": "image/jxl" });
  },
  pictures: 1,
  also: expectWebVersion,
};
