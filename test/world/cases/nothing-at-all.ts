import type { WorldCase } from "../case.ts";

export const worldCase: WorldCase = {
  says: "the service is empty",
  source: "the API document: lists may be empty",
  change(world) {
    Object.assign(world, {
      articles: [],
      galleries: [],
      images: [],
      categories: [],
      tags: [],
      files: {},
    });
  },
};
