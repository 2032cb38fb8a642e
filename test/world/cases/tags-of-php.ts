import type { WorldCase } from "../case.ts";

export const worldCase: WorldCase = {
  says: "tags are an object with gaps in its keys",
  source: "php.net, json_encode: an array that is no list becomes an object",
  change(world) {
    Object.assign(world.articles[1] ?? {}, { tags: { "1": "sea" } });
  },
  shows: ["Sea"],
};
