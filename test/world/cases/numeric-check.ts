import type { WorldCase } from "../case.ts";

export const worldCase: WorldCase = {
  says: "texts of digits are numbers",
  source: "php.net, JSON_NUMERIC_CHECK",
  change(world) {
    Object.assign(world.articles[1] ?? {}, { title: 1984, slug: 1984, synopsis: 7 });
  },
  shows: ["1984"],
};
