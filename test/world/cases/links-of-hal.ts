import type { WorldCase } from "../case.ts";
import { changeLists } from "../world.ts";

export const worldCase: WorldCase = {
  says: "links of pages are objects",
  source: "JSON:API 1.1, link objects; HAL, section 5",
  change(world) {
    changeLists(world, (list) => {
      const { first, last } = list.links;
      list.links = { first: { href: first }, last: { href: last }, prev: {}, next: { href: null } };
    });
  },
  shows: ["Odd article"],
  pictures: 1,
};
