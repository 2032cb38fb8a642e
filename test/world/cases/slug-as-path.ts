import type { WorldCase } from "../case.ts";

export const worldCase: WorldCase = {
  says: "a slug has slashes, dots and a question mark",
  source: "WordPress, permalinks by date",
  change(world) {
    Object.assign(world.articles[1] ?? {}, { slug: "2024/05/../odd article?" });
  },
  shows: ["Odd article"],
};
