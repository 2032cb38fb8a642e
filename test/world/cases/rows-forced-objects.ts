import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import type { WorldCase } from "../case.ts";
import { changeLists } from "../world.ts";

export const worldCase: WorldCase = {
  says: "empty lists are empty objects",
  source: "PHP: JSON_FORCE_OBJECT",
  change(world) {
    changeLists(world, (list) => {
      if (list.data.length === 0) list.data = {} as never;
    });
  },
  shows: ["Odd article"],
  pictures: 1,
  also({ out }) {
    // The list is there, and empty.
    const text = readFileSync(join(out, "public/api/v1/videos/index.json"), "utf8");
    expect(JSON.parse(text)).toMatchObject({ data: [], meta: { total: 0 } });
  },
};
