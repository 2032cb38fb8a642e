import type { WorldCase } from "../case.ts";
import { odd } from "../world.ts";

export const worldCase: WorldCase = {
  says: "a body is null",
  source: "JSON of a column that may be NULL",
  change(world) {
    world.bodies[odd] = null;
  },
  shows: ["Odd article"],
};
