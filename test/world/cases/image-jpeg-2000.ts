import type { WorldCase } from "../case.ts";
import { expectWebVersion, giveUndecodable } from "../undecodable.ts";

export const worldCase: WorldCase = {
  says: "an original is a JPEG 2000 without a type",
  source: "ISO/IEC 15444-1, Annex I: scans of libraries, on Amazon S3",
  async change(world) {
    const original = Buffer.from("\0\0\0\x0cjP  \r\n\x87\n\0\0\0\x14ftypjp2 ", "latin1");
    await giveUndecodable(world, original, { "content-type": "binary/octet-stream" });
  },
  pictures: 1,
  also: expectWebVersion,
};
