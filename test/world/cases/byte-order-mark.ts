import type { WorldCase } from "../case.ts";
import { changeTexts } from "../world.ts";

export const worldCase: WorldCase = {
  says: "answers begin with a byte order mark",
  source: "RFC 8259, 8.1: parsers may ignore it",
  change(world) {
    changeTexts(world, (text) => Buffer.from(`\uFEFF${text}`));
  },
  pictures: 1,
};
