import type { WorldCase } from "../case.ts";

export const worldCase: WorldCase = {
  says: "pictures are sent without a type",
  source: "RFC 9110, 8.3: a sender may leave it out",
  change(world) {
    for (const file of Object.values(world.files)) file.headers = {};
  },
  pictures: 1,
};
