import type { WorldCase } from "../case.ts";

export const worldCase: WorldCase = {
  says: "pictures have no dimensions and no size",
  source: "JSON of columns that may be NULL",
  change(world) {
    for (const item of world.images) Object.assign(item, { dimensions: null, filesize: null });
  },
  pictures: 1,
};
