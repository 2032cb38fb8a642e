import type { WorldCase } from "../case.ts";

export const worldCase: WorldCase = {
  says: "a title has 5,000 characters",
  source: "a form without validation",
  change(world) {
    Object.assign(world.articles[1] ?? {}, { title: "long ".repeat(1000) });
  },
  shows: ["long long"],
};
