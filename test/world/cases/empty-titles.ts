import type { WorldCase } from "../case.ts";

export const worldCase: WorldCase = {
  says: "a title is empty, and another one only spaces",
  source: "a form without validation",
  change(world) {
    Object.assign(world.articles[1] ?? {}, { title: "" });
    Object.assign(world.galleries[0] ?? {}, { title: "   " });
  },
};
