import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import type { WorldCase } from "../case.ts";
import { colour, filesOf, id, imageOf, odd } from "../world.ts";

const foreign = [id(71), id(72)];

export const worldCase: WorldCase = {
  says: "pictures of another organisation are attached to an article, and in no index of this token",
  source: 'the API document: the index of images has those of the "Organisation"',
  async change(world) {
    const bytes = await colour("#8d99ae");
    for (const one of foreign) {
      world.images.push(imageOf(world.base, one, bytes, { organisation_id: id(98) }));
      Object.assign(world.files, filesOf(one, bytes, "image/png"));
    }
    world.unlisted = foreign;
    // The second one is attached twice, and told once.
    world.attached[`articles/${odd}/images`]?.push(...foreign);
    world.attached[`galleries/${id(3)}/images`]?.push(id(72));
    for (const item of [world.articles[1], world.galleries[0]]) {
      Object.assign(item ?? {}, { attachments: { images: 3, videos: 0, documents: 0, audio: 0 } });
    }
  },
  pictures: 1,
  lacks: foreign,
  withoutFile: foreign,
  also({ out }) {
    const { remarks } = JSON.parse(readFileSync(join(out, "report.json"), "utf8"));
    const why = "but in no index: not published, because nothing proves that it is public";
    expect(remarks.filter(({ hint = "" }) => hint.includes("media.unproved"))).toEqual(
      foreign.map((one) => ({
        subject: `image ${one}`,
        reason: `attached to articles/${odd} "Odd article", ${why}`,
        hint: 'media.unproved "publish" shows it',
      })),
    );
    const page = readFileSync(join(out, "report.md"), "utf8");
    expect(page).toContain(`image: attached to articles/{id}, ${why}`);
    expect(page).not.toContain("Odd article");
  },
};
