import type { WorldCase } from "../case.ts";

export const worldCase: WorldCase = {
  says: "objects have members that nobody documented",
  source: "the API document: never fail on an unknown field",
  change(world) {
    for (const item of [...world.articles, ...world.images, ...world.tags]) {
      Object.assign(item, { __typename: "X", "": 1, deep: { a: [{ b: null }] } });
    }
  },
  pictures: 1,
};
