import type { WorldCase } from "../case.ts";
import { odd } from "../world.ts";

export const worldCase: WorldCase = {
  says: "a body is plain text",
  source: "a field without an editor",
  change(world) {
    world.bodies[odd] = "Plain text with 3 < 4 & more.";
  },
  shows: ["Plain text with 3 < 4 & more."],
};
