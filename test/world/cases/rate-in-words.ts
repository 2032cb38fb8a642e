import type { WorldCase } from "../case.ts";
import { changeHeaders } from "../world.ts";

export const worldCase: WorldCase = {
  says: "rate headers are no numbers",
  source: "GitLab, Application rate limits: headers of services without a limit",
  change(world) {
    changeHeaders(world, {
      "content-type": "application/json",
      "x-ratelimit-remaining": "unlimited",
      "retry-after": "soon",
    });
  },
  pictures: 1,
};
