import type { WorldCase } from "../case.ts";

export const worldCase: WorldCase = {
  says: "pictures say gzip and are as they are",
  source: "Amazon S3 keeps whatever Content-Encoding an upload had",
  change(world) {
    for (const file of Object.values(world.files)) {
      file.headers = { ...file.headers, "content-encoding": "gzip" };
    }
  },
  pictures: 1,
};
