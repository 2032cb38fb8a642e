import type { WorldCase } from "../case.ts";
import { changeTexts } from "../world.ts";

export const worldCase: WorldCase = {
  says: "answers are in the charset that they name",
  source: "Apache, AddDefaultCharset; RFC 9110, 8.3.2",
  change(world) {
    Object.assign(world.articles[1] ?? {}, { title: "Über die Küste" });
    changeTexts(
      world,
      (text) => Buffer.from(text, "latin1"),
      "application/json; charset=iso-8859-1",
    );
  },
  shows: ["Über die Küste"],
};
