import type { WorldCase } from "../case.ts";
import { odd } from "../world.ts";

export const worldCase: WorldCase = {
  says: "counts and sizes are texts",
  source: "php.net, PDO: before PHP 8.1, numbers of MySQL are fetched as strings",
  change(world) {
    for (const item of world.articles) {
      const images = item.id === odd ? "1" : "0";
      item.attachments = { images, videos: "0", documents: "0", audio: "0" };
    }
    for (const item of world.images) {
      Object.assign(item, {
        dimensions: { width: "64", height: "48" },
        filesize: String(item.filesize),
      });
    }
  },
  pictures: 1,
};
