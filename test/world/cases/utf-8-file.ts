import type { WorldCase } from "../case.ts";

export const worldCase: WorldCase = {
  says: "pictures say utf-8 and are as they are",
  source: "a charset in the wrong header",
  change(world) {
    for (const file of Object.values(world.files)) {
      file.headers = { ...file.headers, "content-encoding": "utf-8" };
    }
  },
  pictures: 1,
};
