import type { WorldCase } from "../case.ts";
import { changeLists } from "../world.ts";

export const worldCase: WorldCase = {
  says: "lists say next in meta.pagination alone",
  source: "League Fractal, IlluminatePaginatorAdapter",
  change(world) {
    changeLists(world, (list) => {
      const { total, per_page, current_page, last_page: total_pages } = list.meta;
      Object.assign(list, {
        links: undefined,
        meta: { pagination: { total, per_page, current_page, total_pages } },
      });
    });
  },
  pictures: 1,
};
