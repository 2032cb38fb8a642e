import type { WorldCase } from "../case.ts";

export const worldCase: WorldCase = {
  says: "an article was created at 0000-00-00",
  source: "MySQL 8.4 Reference Manual, 13.2.2: the zero value of DATETIME",
  change(world) {
    Object.assign(world.articles[1] ?? {}, { created_at: "0000-00-00 00:00:00" });
  },
  shows: ["Odd article"],
  pictures: 1,
};
