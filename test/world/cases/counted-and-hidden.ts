import type { WorldCase } from "../case.ts";

export const worldCase: WorldCase = {
  says: "an article counts three images, and lists none",
  source: "the API document: counts stand beside the parent",
  change(world) {
    Object.assign(world.articles[0] ?? {}, {
      attachments: { images: 3, videos: 0, documents: 0, audio: 0 },
    });
  },
  pictures: 1,
};
