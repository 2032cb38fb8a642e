import { expect } from "vitest";
import type { WorldCase } from "../case.ts";
import { attachForeign, foreign, toldOf } from "../others.ts";

export const worldCase: WorldCase = {
  says: "a picture of another organisation is attached to two articles and a gallery",
  source: 'the API document: the index of images has those of the "Organisation"',
  change: (world) => attachForeign(world, [1, 2]),
  pictures: 1,
  lacks: [foreign],
  withoutFile: [foreign],
  also({ out }) {
    const told = toldOf(out);
    expect(told).toHaveLength(1);
    expect(told[0]?.reason).toMatch(/^attached to articles\/\S+ "/);
  },
};
