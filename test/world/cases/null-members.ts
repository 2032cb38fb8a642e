import type { WorldCase } from "../case.ts";
import { odd } from "../world.ts";

export const worldCase: WorldCase = {
  says: "everything but the id of an article is null",
  source: "JSON of columns that may be NULL",
  change(world) {
    const names = Object.keys(world.articles[1] ?? {});
    world.articles[1] = Object.fromEntries(names.map((name) => [name, name === "id" ? odd : null]));
  },
};
