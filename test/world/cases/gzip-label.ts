import type { WorldCase } from "../case.ts";
import { changeHeaders } from "../world.ts";

export const worldCase: WorldCase = {
  says: "answers say gzip and are not",
  source: "nginx, gunzip in front of a header that stays",
  change(world) {
    changeHeaders(world, { "content-type": "application/json", "content-encoding": "gzip" });
  },
  pictures: 1,
};
