import type { WorldCase } from "../case.ts";

export const worldCase: WorldCase = {
  says: "an article is published in 2099",
  source: "an editor who plans ahead",
  change(world) {
    Object.assign(world.articles[1] ?? {}, { published_at: "2099-01-01T00:00:00.000000Z" });
  },
  shows: ["1 January 2099"],
};
