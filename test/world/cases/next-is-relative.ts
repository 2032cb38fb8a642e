import type { WorldCase } from "../case.ts";
import { changeLists } from "../world.ts";

export const worldCase: WorldCase = {
  says: "links of lists are relative",
  source: "RFC 8288, 3.1: a target may be a relative reference",
  change(world) {
    changeLists(world, ({ links }) => Object.assign(links, { first: "?page=1", last: "?page=1" }));
  },
  pictures: 1,
};
