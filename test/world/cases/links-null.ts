import type { WorldCase } from "../case.ts";
import { changeLists } from "../world.ts";

export const worldCase: WorldCase = {
  says: "lists have no links",
  source: "Laravel, simplePaginate and custom paginationInformation",
  change(world) {
    changeLists(world, (list) => Object.assign(list, { links: null }));
  },
  pictures: 1,
};
