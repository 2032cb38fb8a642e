import type { WorldCase } from "../case.ts";

export const worldCase: WorldCase = {
  says: "a title is two emoji",
  source: "Unicode 15.1, emoji sequences",
  change(world) {
    Object.assign(world.articles[1] ?? {}, { title: "👩‍🚀🌊", slug: "👩‍🚀🌊" });
  },
  shows: ["👩‍🚀🌊"],
};
