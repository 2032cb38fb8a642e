import type { WorldCase } from "../case.ts";
import type { Answer } from "../world.ts";

export const worldCase: WorldCase = {
  says: "the first answers are a page that tells of maintenance",
  source: "WordPress, .maintenance; Laravel, artisan down",
  change(world) {
    let left = 3;
    const page: Answer = {
      headers: { "content-type": "text/html" },
      body: "<!doctype html><title>Back soon</title>",
    };
    world.alter = (answer) => (left-- > 0 ? page : answer);
  },
  pictures: 1,
};
