import type { WorldCase } from "../case.ts";
import { expectWebVersion, giveUndecodable } from "../undecodable.ts";

export const worldCase: WorldCase = {
  says: "an original is a document of Photoshop, of which the origin has a web version",
  source: "Adobe Photoshop File Formats Specification: signature 8BPS, version 1",
  async change(world) {
    const original = Buffer.from(
      "8BPS\0\x01\0\0\0\0\0\0\0\x03\0\0\0\x30\0\0\0\x40\0\x08\0\x03",
      "latin1",
    );
    await giveUndecodable(world, original, { "content-type": "image/vnd.adobe.photoshop" });
  },
  pictures: 1,
  also: expectWebVersion,
};
