import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import type { WorldCase } from "../case.ts";
import { colour, filesOf, gallery, id, imageOf } from "../world.ts";

const foreign = id(71);

export const worldCase: WorldCase = {
  says: "a picture of another organisation is attached to a gallery alone",
  source: 'the API document: the index of images has those of the "Organisation"',
  async change(world) {
    const bytes = await colour("#8d99ae");
    world.images.push(imageOf(world.base, foreign, bytes, { organisation_id: id(98) }));
    Object.assign(world.files, filesOf(foreign, bytes, "image/png"));
    world.unlisted = [foreign];
    world.attached[`galleries/${gallery}/images`]?.push(foreign);
    const counts = { images: 3, videos: 0, documents: 0, audio: 0 };
    Object.assign(world.galleries[0] ?? {}, { attachments: counts });
  },
  lacks: [foreign],
  withoutFile: [foreign],
  also({ out }) {
    const { remarks } = JSON.parse(readFileSync(join(out, "report.json"), "utf8"));
    const told = remarks.filter(({ hint = "" }) => hint.includes("media.unproved"));
    expect(told).toEqual([
      expect.objectContaining({
        subject: `image ${foreign}`,
        reason: expect.stringContaining(`attached to galleries/${gallery} "`),
      }),
    ]);
  },
};
