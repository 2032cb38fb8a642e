import type { WorldCase } from "../case.ts";

export const worldCase: WorldCase = {
  says: "pictures say aws-chunked and are as they are",
  source: "Amazon S3, SigV4 streaming: SDKs store it as Content-Encoding",
  change(world) {
    for (const file of Object.values(world.files)) {
      file.headers = { ...file.headers, "content-encoding": "aws-chunked" };
    }
  },
  pictures: 1,
};
