import type { WorldCase } from "../case.ts";

export const worldCase: WorldCase = {
  says: "counts are negative",
  source: "a counter cache that was reset (Rails, counter_cache)",
  change(world) {
    Object.assign(world.categories[0] ?? {}, { articles_count: -1 });
    Object.assign(world.tags[0] ?? {}, { articles_count: -5 });
  },
  pictures: 1,
};
