import type { WorldCase } from "../case.ts";

export const worldCase: WorldCase = {
  says: "times are objects of Carbon",
  source: "php.net, json_encode of a DateTime: date, timezone_type and timezone",
  change(world) {
    const time = {
      date: "2024-05-02 10:00:00.000000",
      timezone_type: 3,
      timezone: "Europe/Vienna",
    };
    for (const item of world.articles)
      Object.assign(item, { published_at: time, created_at: time });
  },
  shows: ["2 May 2024"],
};
