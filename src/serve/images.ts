import { statSync } from "node:fs";
import { join } from "node:path";
import { createBudget } from "../lib/concurrency.ts";
import { keyOf } from "../lib/digest.ts";
import { encodeRenditions } from "../media/encode.ts";
import { inspectFile } from "../media/inspect.ts";
import { pixelsOf, planVariant } from "../media/variants.ts";
import type { MirrorDescription } from "../routes/description.ts";
import type { Scaling } from "../routes/slots.ts";
import { createTable } from "../routes/table.ts";
import type { HandlerOptions, MadeImage } from "./archive.ts";

/** Images made at the same time, and their pixels. */
const slots = 2;
const pixels = 100_000_000;
/** Bytes of made images that are kept in memory. */
const remembered = 64 << 20;

/** All that a made image depends on. */
interface Recipe {
  original: string;
  /** Changes with the original. */
  state: readonly number[];
  scaling: Scaling;
  media: MirrorDescription["media"];
}

/**
 * Makes images from the published originals below a publish root, at most two at a time, and remembers the latest.
 * What it makes is what a rendition of this size would be; undefined where there is no original that can be decoded.
 */
export function createImageMaker(root: string): NonNullable<HandlerOptions["makeImage"]> {
  const budget = createBudget(slots, pixels);

  async function make({ original, scaling, media }: Recipe): Promise<Uint8Array | undefined> {
    const { image } = await inspectFile(original);
    if (image === undefined) return undefined;
    const settings = { ...media, formats: ["jpeg" as const] };
    const plan = planVariant(image, scaling, settings);
    if (plan.formats.length === 0) return undefined;
    return budget.run(pixelsOf(image), async () => {
      const task = { path: original, image, plans: [plan], settings };
      for await (const { bytes } of encodeRenditions(task)) return bytes;
      return undefined;
    });
  }

  const made = new Map<string, MadeImage>();
  let kept = 0;

  async function imageOf(recipe: Recipe): Promise<MadeImage | undefined> {
    const etag = keyOf(JSON.stringify(recipe));
    const known = made.get(etag);
    if (known !== undefined) return known;
    const bytes = await make(recipe).catch(() => undefined);
    if (bytes === undefined) return undefined;
    const image = { bytes, etag, type: "image/jpeg" };
    if (!made.has(etag)) kept += bytes.length;
    made.set(etag, image);
    for (const [oldest, other] of made) {
      if (kept <= remembered) break;
      made.delete(oldest);
      kept -= other.bytes.length;
    }
    return image;
  }

  return async (id, scaling, { rules, originals, media }) => {
    const table = createTable(rules);
    for (const ending of originals) {
      const original = join(root, table.fileOfOriginal(id, ending));
      const stat = statSync(original, { throwIfNoEntry: false });
      if (stat === undefined) continue;
      const state = [stat.ino, stat.size, stat.mtimeMs];
      return imageOf({ original, state, scaling, media });
    }
    return undefined;
  };
}
