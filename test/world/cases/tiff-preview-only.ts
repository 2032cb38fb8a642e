import type { WorldCase } from "../case.ts";
import { expectWebVersion, giveUndecodable, tiffOf } from "../undecodable.ts";

export const worldCase: WorldCase = {
  says: "a raw file of a camera looks like a TIFF with nothing but a preview",
  source: "DNG 1.7 and Nikon NEF: the picture stands in a SubIFD, as the sensor's values",
  async change(world) {
    const original = tiffOf([{ width: 16, height: 12, colour: [255, 255, 255] }]);
    await giveUndecodable(world, original, { "content-type": "image/x-adobe-dng" });
  },
  pictures: 1,
  also: expectWebVersion,
};
