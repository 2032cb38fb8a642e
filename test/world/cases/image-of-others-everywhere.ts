import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import type { WorldCase } from "../case.ts";
import { colour, filesOf, gallery, id, imageOf } from "../world.ts";

const foreign = id(71);

export const worldCase: WorldCase = {
  says: "a picture of another organisation is attached to two articles and a gallery",
  source: 'the API document: the index of images has those of the "Organisation"',
  async change(world) {
    const bytes = await colour("#8d99ae");
    world.images.push(imageOf(world.base, foreign, bytes, { organisation_id: id(98) }));
    Object.assign(world.files, filesOf(foreign, bytes, "image/png"));
    world.unlisted = [foreign];
    for (const number of [1, 2]) {
      const list = `articles/${id(number)}/images`;
      world.attached[list] = [...(world.attached[list] ?? []), foreign];
      const images = world.attached[list].length;
      const counts = { images, videos: 0, documents: 0, audio: 0 };
      const article = world.articles.find((one) => one.id === id(number));
      Object.assign(article ?? {}, { attachments: counts });
    }
    world.attached[`galleries/${gallery}/images`]?.push(foreign);
    const counts = { images: 3, videos: 0, documents: 0, audio: 0 };
    Object.assign(world.galleries[0] ?? {}, { attachments: counts });
  },
  pictures: 1,
  lacks: [foreign],
  withoutFile: [foreign],
  also({ out }) {
    const { remarks } = JSON.parse(readFileSync(join(out, "report.json"), "utf8"));
    const told = remarks.filter(({ hint = "" }) => hint.includes("media.unproved"));
    expect(told).toHaveLength(1);
    expect(told[0].reason).toMatch(/^attached to articles\/\S+ "/);
  },
};
