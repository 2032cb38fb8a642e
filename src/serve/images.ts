import { randomUUID } from "node:crypto";
import { readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createBudget } from "../lib/concurrency.ts";
import { keyOf } from "../lib/digest.ts";
import { createDecoders, DecoderCrash, DecoderFailure } from "../media/decoders.ts";
import { DecodeError } from "../media/encode.ts";
import { planVariant } from "../media/variants.ts";
import type { MirrorDescription } from "../routes/description.ts";
import type { Scaling } from "../routes/slots.ts";
import { createTable } from "../routes/table.ts";
import type { HandlerOptions, MadeImage } from "./archive.ts";

/** Images made at the same time, each in a process of its own. */
const slots = 2;
/** Requests whose images are made or wait for it. A browser asks a server for six at a time. */
const mostAsked = 32;
/** No image that a reader waits for takes longer, in milliseconds. */
const limitMs = 60_000;
/** Bytes of made images that are kept in memory. */
const remembered = 64 << 20;

/** All that a made image depends on; `state` changes with the original. */
type Recipe = Pick<MirrorDescription, "media"> & { state: string; scaling: Scaling };

/**
 * Makes images from published originals, at most two at a time, and remembers the latest. What it makes is what a
 * rendition of this size would be; undefined where there is no original that can be decoded, "busy" where too many
 * requests wait. A request that is given up costs no more work.
 */
export function createImageMaker() {
  const decoders = createDecoders({ slots, limitMs });
  const queue = createBudget(slots, slots);
  const made = new Map<string, MadeImage>();
  let [kept, asked] = [0, 0];
  /** States of originals that could not be decoded: other sizes would fail as well. */
  const undecodable = new Set<string>();

  async function make(original: string, { scaling, media }: Recipe, signal: AbortSignal) {
    const { image } = await decoders.inspect(original, {}, signal);
    if (image === undefined) return undefined;
    const settings = { ...media, formats: ["jpeg" as const] };
    const plans = [planVariant(image, scaling, settings)];
    if (plans[0]?.formats.length === 0) return undefined;
    const target = join(tmpdir(), `stillpress-${randomUUID()}.jpg`);
    try {
      await decoders.render({ path: original, image, plans, settings, targets: [target] }, signal);
      return readFileSync(target);
    } finally {
      rmSync(target, { force: true });
    }
  }

  async function imageOf(original: string, recipe: Recipe, signal: AbortSignal, etag: string) {
    const known = made.get(etag);
    if (known !== undefined || signal.aborted || undecodable.has(recipe.state)) return known;
    const bytes = await make(original, recipe, signal).catch((error: unknown) => {
      const isCrash = error instanceof DecoderCrash || error instanceof DecoderFailure;
      const isDamage = error instanceof DecodeError && !error.tooLarge;
      if (isCrash || isDamage) undecodable.add(recipe.state);
    });
    if (!bytes) return undefined;
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

  const makeImage: NonNullable<HandlerOptions["makeImage"]> = async (id, scaling, about, from) => {
    const { rules, originals, media } = about;
    for (const ending of originals) {
      const path = createTable(rules).fileOfOriginal(id, ending);
      const { disk, etag } = (await from.files.open(path)) ?? {};
      if (disk === undefined) continue;
      const recipe = { state: `${path} ${etag}`, scaling, media };
      const key = keyOf(JSON.stringify(recipe));
      const known = made.get(key);
      if (known !== undefined) return known;
      if (asked >= mostAsked) return "busy";
      asked++;
      return queue.run(1, () => imageOf(disk, recipe, from.signal, key)).finally(() => asked--);
    }
    return undefined;
  };
  return { makeImage, close: decoders.close };
}
