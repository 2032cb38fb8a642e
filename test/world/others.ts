import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Json, World } from "./world.ts";
import { colour, filesOf, gallery, id, imageOf } from "./world.ts";

/** A picture of another organisation, which no index lists. */
export const foreign = id(71);

/** Attaches it to articles, by their numbers, and to the gallery. */
export async function attachForeign(world: World, articles: readonly number[]): Promise<void> {
  const bytes = await colour("#8d99ae");
  world.images.push(imageOf(world.base, foreign, bytes, { organisation_id: id(98) }));
  Object.assign(world.files, filesOf(foreign, bytes, "image/png"));
  world.unlisted = [foreign];
  const attach = (list: string, item: Json | undefined): void => {
    world.attached[list] = [...(world.attached[list] ?? []), foreign];
    const images = world.attached[list].length;
    Object.assign(item ?? {}, { attachments: { images, videos: 0, documents: 0, audio: 0 } });
  };
  for (const number of articles) {
    const article = world.articles.find((one) => one.id === id(number));
    attach(`articles/${id(number)}/images`, article);
  }
  attach(`galleries/${gallery}/images`, world.galleries[0]);
}

/** What the report says of pictures that nothing proves public. */
export function toldOf(out: string): { subject: string; reason: string }[] {
  const { remarks } = JSON.parse(readFileSync(join(out, "report.json"), "utf8"));
  return remarks.filter(({ hint = "" }) => hint.includes("media.unproved"));
}
