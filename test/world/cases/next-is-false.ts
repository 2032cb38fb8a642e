import type { WorldCase } from "../case.ts";
import { changeLists } from "../world.ts";

export const worldCase: WorldCase = {
  says: "there is no next page, which is false",
  source: "Kaminari and hand-written envelopes of Rails: next_page || false",
  change(world) {
    changeLists(world, ({ links }) => Object.assign(links, { next: false, prev: false }));
  },
  shows: ["Odd article"],
  pictures: 1,
};
