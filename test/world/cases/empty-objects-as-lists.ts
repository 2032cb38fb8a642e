import type { WorldCase } from "../case.ts";

export const worldCase: WorldCase = {
  says: "empty objects are empty lists",
  source: "php.net, json_encode: an empty array is []",
  change(world) {
    Object.assign(world.articles[1] ?? {}, { rating: [] });
    for (const item of world.images) item.meta = [];
  },
  pictures: 1,
};
