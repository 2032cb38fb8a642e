import type { WorldCase } from "../case.ts";

export const worldCase: WorldCase = {
  says: "pictures are sent as application/octet-stream",
  source: "Amazon S3: binary/octet-stream where an upload named no type",
  change(world) {
    for (const file of Object.values(world.files))
      file.headers = { "content-type": "binary/octet-stream" };
  },
  pictures: 1,
};
