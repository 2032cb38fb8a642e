import type { WorldCase } from "../case.ts";

export const worldCase: WorldCase = {
  says: "an index lists an article twice",
  source: "offset pagination while something is published (Laravel, paginate)",
  change(world) {
    const again = world.articles[1] ?? {};
    world.articles.push(again);
  },
  shows: ["Odd article"],
};
