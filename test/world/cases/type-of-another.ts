import type { WorldCase } from "../case.ts";

export const worldCase: WorldCase = {
  says: "a PNG is sent as image/jpeg",
  source: "a CMS that names types by the extension of the upload",
  change(world) {
    for (const file of Object.values(world.files)) file.headers = { "content-type": "image/jpeg" };
  },
  pictures: 1,
};
