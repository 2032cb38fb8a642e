import type { WorldCase } from "../case.ts";

export const worldCase: WorldCase = {
  says: "a title runs from right to left",
  source: "HTML, the dir attribute",
  change(world) {
    Object.assign(world.articles[1] ?? {}, { title: "البحر والناس", slug: "البحر-والناس" });
  },
  shows: ["البحر والناس"],
};
