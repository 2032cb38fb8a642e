import type { WorldCase } from "../case.ts";
import { changeLists } from "../world.ts";

export const worldCase: WorldCase = {
  says: "empty lists are empty objects",
  source: "PHP: JSON_FORCE_OBJECT",
  change(world) {
    changeLists(world, (list) => {
      if (list.data.length === 0) list.data = {} as never;
    });
  },
  shows: ["Odd article"],
  pictures: 1,
};
