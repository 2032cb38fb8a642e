import type { WorldCase } from "../case.ts";

export const worldCase: WorldCase = {
  says: "flags are 0, 1 and texts of them",
  source: "MySQL 8.4 Reference Manual, 13.1.1: BOOL is TINYINT(1)",
  change(world) {
    for (const [at, item] of world.images.entries()) item.private = at === 0 ? 0 : "0";
    Object.assign(world.articles[1] ?? {}, { private: "0", featured: 1 });
  },
  pictures: 1,
};
