import type { WorldCase } from "../case.ts";

export const worldCase: WorldCase = {
  says: "pictures have another size than their records say",
  source: "an original that was replaced without its record",
  change(world) {
    for (const item of world.images) item.filesize = 7;
  },
  pictures: 1,
};
