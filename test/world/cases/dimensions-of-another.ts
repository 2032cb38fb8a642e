import type { WorldCase } from "../case.ts";

export const worldCase: WorldCase = {
  says: "pictures have other dimensions than their records say",
  source: "an original that was replaced without its record",
  change(world) {
    for (const item of world.images) item.dimensions = { width: 6400, height: 4800 };
  },
  pictures: 1,
};
