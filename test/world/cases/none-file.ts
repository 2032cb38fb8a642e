import type { WorldCase } from "../case.ts";

export const worldCase: WorldCase = {
  says: "pictures say none and are as they are",
  source: "a word that is no coding of the IANA registry",
  change(world) {
    for (const file of Object.values(world.files)) {
      file.headers = { ...file.headers, "content-encoding": "none" };
    }
  },
  pictures: 1,
};
