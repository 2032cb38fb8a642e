import type { WorldCase } from "../case.ts";
import { changeTexts } from "../world.ts";

export const worldCase: WorldCase = {
  says: "answers are in UTF-16",
  source: "Encoding Standard, 6: a byte order mark goes before a label",
  change(world) {
    Object.assign(world.articles[1] ?? {}, { title: "Über die Küste" });
    changeTexts(world, (text) => Buffer.from(`\uFEFF${text}`, "utf16le"));
  },
  shows: ["Über die Küste"],
};
