import type { WorldCase } from "../case.ts";

export const worldCase: WorldCase = {
  says: "times are seconds since 1970",
  source: "time_t of POSIX",
  change(world) {
    for (const item of world.articles) Object.assign(item, { published_at: 1714644000 });
  },
  shows: ["2 May 2024"],
};
