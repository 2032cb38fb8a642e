import type { WorldCase } from "../case.ts";
import { gallery } from "../world.ts";

export const worldCase: WorldCase = {
  says: "a gallery has no images",
  source: "the API document: counts are integers, 0 among them",
  change(world) {
    world.attached[`galleries/${gallery}/images`] = [];
    Object.assign(world.galleries[0] ?? {}, { attachments: { images: 0, videos: 0, audio: 0 } });
  },
  pictures: 1,
};
