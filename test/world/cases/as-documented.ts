import type { WorldCase } from "../case.ts";

export const worldCase: WorldCase = {
  says: "all is as documented",
  source: "the API document",
  change() {},
  shows: ["Odd article", "The odd text."],
  pictures: 1,
};
