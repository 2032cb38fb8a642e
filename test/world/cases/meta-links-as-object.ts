import type { WorldCase } from "../case.ts";
import { changeLists } from "../world.ts";

export const worldCase: WorldCase = {
  says: "meta.links is an object",
  source: "Laravel League Fractal, ArraySerializer: links by name",
  change(world) {
    changeLists(world, ({ meta }) => Object.assign(meta, { links: { prev: null, next: null } }));
  },
  pictures: 1,
};
