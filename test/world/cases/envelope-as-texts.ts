import type { WorldCase } from "../case.ts";
import { changeLists } from "../world.ts";

export const worldCase: WorldCase = {
  says: "the numbers of the envelope are texts",
  source: "php.net, PDO: before PHP 8.1, numbers of MySQL are fetched as strings",
  change(world) {
    changeLists(world, ({ meta }) => {
      for (const name of ["current_page", "last_page", "per_page", "total"])
        meta[name] = String(meta[name]);
    });
  },
  pictures: 1,
};
