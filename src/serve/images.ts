import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { createBudget } from "../lib/concurrency.ts";
import { keyOf } from "../lib/digest.ts";
import { encodeRenditions } from "../media/encode.ts";
import { inspectFile } from "../media/inspect.ts";
import { pixelsOf, planVariant } from "../media/variants.ts";
import type { MirrorDescription } from "../routes/description.ts";
import { type Scaling, slotOf } from "../routes/slots.ts";
import { createTable } from "../routes/table.ts";
import type { HandlerOptions, MadeImage } from "./archive.ts";

/** Images made at the same time, and their pixels. */
const slots = 2;
const pixels = 100_000_000;
/** Bytes of made images that are kept in memory. */
const remembered = 64 << 20;

/**
 * Makes images from the published originals below a publish root, at most two at a time, and remembers the latest.
 * What it makes is what a rendition of this size would be; undefined where there is no original that can be decoded.
 */
export function createImageMaker(root: string): NonNullable<HandlerOptions["makeImage"]> {
  const budget = createBudget(slots, pixels);
  const made = new Map<string, { image: Promise<MadeImage | undefined>; bytes: number }>();
  let kept = 0;

  async function make(
    original: string,
    scaling: Scaling,
    media: MirrorDescription["media"],
  ): Promise<Uint8Array | undefined> {
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

  /** Counts what an image takes, and drops the oldest ones that are done until it fits. */
  function keep(etag: string, bytes: number): void {
    const entry = made.get(etag);
    if (entry === undefined) return;
    entry.bytes = bytes;
    kept += bytes;
    for (const [oldest, other] of made) {
      if (kept <= remembered) return;
      if (other.bytes === 0) continue;
      made.delete(oldest);
      kept -= other.bytes;
    }
  }

  return async (id, scaling, { rules, originals, media }) => {
    const table = createTable(rules);
    const original = originals
      .map((ending) => join(root, table.fileOfOriginal(id, ending)))
      .find((path) => existsSync(path));
    if (original === undefined) return undefined;
    const { size, mtimeMs, ino } = statSync(original);
    const etag = keyOf(original, ino, size, mtimeMs, slotOf(scaling), JSON.stringify(media));
    const known = made.get(etag);
    if (known !== undefined) return known.image;
    const image = make(original, scaling, media).then(
      (bytes) => bytes && { bytes, etag, type: "image/jpeg" },
      () => undefined,
    );
    made.set(etag, { image, bytes: 0 });
    image.then((result) => keep(etag, result?.bytes.length ?? 1));
    return image;
  };
}
