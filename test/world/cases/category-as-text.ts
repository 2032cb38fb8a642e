import type { WorldCase } from "../case.ts";

export const worldCase: WorldCase = {
  says: "the category is its title",
  source: "Django REST framework, StringRelatedField",
  change(world) {
    Object.assign(world.articles[1] ?? {}, { category: "Coast" });
  },
  shows: ["Odd article"],
};
