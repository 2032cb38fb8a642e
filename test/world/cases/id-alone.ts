import type { WorldCase } from "../case.ts";
import { odd } from "../world.ts";

export const worldCase: WorldCase = {
  says: "an article has an id and nothing else",
  source: "JSON:API 1.1, 6.3: sparse fieldsets",
  change(world) {
    world.articles[1] = { id: odd };
  },
};
