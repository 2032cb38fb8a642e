import { expect } from "vitest";
import type { WorldCase } from "../case.ts";
import { attachForeign, foreign, toldOf } from "../others.ts";
import { gallery } from "../world.ts";

export const worldCase: WorldCase = {
  says: "a picture of another organisation is attached to a gallery alone",
  source: 'the API document: the index of images has those of the "Organisation"',
  change: (world) => attachForeign(world, []),
  lacks: [foreign],
  withoutFile: [foreign],
  also({ out }) {
    expect(toldOf(out)).toEqual([
      expect.objectContaining({
        subject: `image ${foreign}`,
        reason: expect.stringContaining(`attached to galleries/${gallery} "`),
      }),
    ]);
  },
};
