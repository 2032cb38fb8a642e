import type { WorldCase } from "../case.ts";

export const worldCase: WorldCase = {
  says: "tags are null",
  source: "Laravel, whenLoaded: a relation that was not loaded",
  change(world) {
    Object.assign(world.articles[1] ?? {}, { tags: null });
  },
  shows: ["Odd article"],
};
