import type { WorldCase } from "../case.ts";
import { picture } from "../world.ts";

export const worldCase: WorldCase = {
  says: "an article has one URL as its thumbnail",
  source: "the API document: index items can carry a single URL string",
  change(world) {
    Object.assign(world.articles[1] ?? {}, {
      links: {
        view: null,
        thumbnail: `${world.base}/images/${picture}.jpg?expires=4102444800&thumb=1&signature=0123abcd`,
      },
    });
  },
  pictures: 1,
};
