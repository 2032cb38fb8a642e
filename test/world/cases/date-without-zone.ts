import type { WorldCase } from "../case.ts";

export const worldCase: WorldCase = {
  says: "times have a space and no zone",
  source: "SQL writes timestamps so (ISO 9075)",
  change(world) {
    for (const item of world.articles) item.published_at = "2024-05-02 10:00:00";
  },
  shows: ["2 May 2024"],
};
