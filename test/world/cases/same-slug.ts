import type { WorldCase } from "../case.ts";

export const worldCase: WorldCase = {
  says: "two articles have one slug",
  source: "the API document: the key is the id",
  change(world) {
    Object.assign(world.articles[1] ?? {}, {
      slug: "plain-article",
      created_at: "2024-05-09T07:00:00.000000Z",
    });
  },
  shows: ["Odd article"],
};
