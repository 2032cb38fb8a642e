import type { WorldCase } from "../case.ts";

export const worldCase: WorldCase = {
  says: "ids of categories are numbers",
  source: "AUTO_INCREMENT of MySQL",
  change(world) {
    for (const item of world.categories) item.id = 1;
    for (const item of world.articles) item.category = { id: 1, title: "Coast" };
  },
  shows: ["Coast"],
};
