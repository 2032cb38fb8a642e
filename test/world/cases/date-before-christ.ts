import type { WorldCase } from "../case.ts";

export const worldCase: WorldCase = {
  says: "an article was created in the year -1",
  source: "php.net, DateTimeInterface::format: the zero date of MySQL becomes -0001-11-30",
  change(world) {
    Object.assign(world.articles[1] ?? {}, { created_at: "-0001-11-30T00:00:00.000000Z" });
  },
  shows: ["Odd article"],
};
