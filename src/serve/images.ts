import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Config } from "../config.ts";
import { walkSorted } from "../lib/files.ts";
import { createBudget } from "../media/budget.ts";
import { encodeRenditions, weightOf } from "../media/encode.ts";
import { type ImageFacts, inspectFile } from "../media/inspect.ts";
import { planVariants, type Size } from "../media/variants.ts";
import { type Scaling, slotOf } from "../routes/slots.ts";
import type { Routes } from "../routes/table.ts";
import { nearestSlot } from "../store/catalogue.ts";
import type { MediaEntry, Rendition } from "../store/media.ts";

/** The picture that answers a request: a file of the archive, or one made just now. */
export type ImageAnswer =
  | { file: string }
  | { bytes: Buffer; made: { original: string; slot: string } };

/** Answers image requests from the files of the archive alone. */
export interface Images {
  /** Undefined where the archive has nothing of this image. `root` is the publish root. */
  find(root: string, id: string, scaling: Scaling): Promise<ImageAnswer | undefined>;
}

/** Pictures made at the same time, and their pixels. */
const slots = 2;
const pixels = 100_000_000;
/** Made pictures that are kept in memory. */
const remembered = 32;

/**
 * Precomputed renditions first; a size that there is none of is made from the original where originals are
 * published and `media` says how; otherwise the nearest precomputed one answers, as in the static mirror.
 */
export function createImages(routes: Routes, media: Config["media"] | undefined): Images {
  const budget = createBudget(slots, pixels);
  const made = new Map<string, Promise<Buffer | undefined>>();

  function scaled(original: string, scaling: Scaling): Promise<Buffer | undefined> {
    const { size, mtimeMs } = statSync(original);
    const key = JSON.stringify([original, size, mtimeMs, slotOf(scaling)]);
    const known = made.get(key);
    if (known !== undefined) return known;
    const result = make(original, scaling).catch(() => undefined);
    made.set(key, result);
    if (made.size > remembered) made.delete(made.keys().next().value as string);
    return result;
  }

  /** @throws DecodeError, the file system's errors */
  async function make(original: string, scaling: Scaling): Promise<Buffer | undefined> {
    if (media === undefined) return undefined;
    const { image } = await inspectFile(original);
    if (image === undefined) return undefined;
    const plan = planOf(image, scaling, media);
    if (plan === undefined) return undefined;
    return budget.run(weightOf(image), async () => {
      for await (const { bytes } of encodeRenditions(original, image, [plan], media)) return bytes;
      return undefined;
    });
  }

  return {
    async find(root, id, scaling) {
      const fileOf = (slot: string): string => join(root, routes.fileOfImage(id, slot, "jpeg"));
      const slot = slotOf(scaling);
      if (existsSync(fileOf(slot))) return { file: fileOf(slot) };
      const download = routes.fileOf({ route: "download", id });
      const original = download && join(root, download);
      if (original !== undefined && existsSync(original)) {
        const bytes = await scaled(original, scaling);
        if (bytes !== undefined) return { bytes, made: { original, slot } };
      }
      const entry = await entryFromFiles(root, id, routes, original);
      const nearest = entry && nearestSlot(entry, scaling, "jpeg");
      return nearest === undefined ? undefined : { file: fileOf(nearest) };
    },
  };
}

function planOf(image: ImageFacts, scaling: Scaling, media: Config["media"]) {
  const { width, height, scale } = scaling;
  const variants = slotOf(scaling).includes("thumb") ? [] : [{ width, height, scale }];
  const plans = planVariants(image, { ...media, variants, formats: ["jpeg"] });
  return plans.find((plan) => plan.slots.includes(slotOf(scaling)));
}

/** What the media index would say of an image, as far as the published files tell. */
async function entryFromFiles(
  root: string,
  id: string,
  routes: Routes,
  original: string | undefined,
): Promise<MediaEntry | undefined> {
  const renditions: Rendition[] = [];
  for (const slot of slotsOf(root, id, routes)) {
    const size = await sizeOf(join(root, routes.fileOfImage(id, slot, "jpeg")));
    if (size !== undefined) renditions.push({ slot, format: "jpeg", blob: "", bytes: 0, ...size });
  }
  if (renditions.length === 0) return undefined;
  const largest = renditions.reduce((a, b) => (b.width * b.height > a.width * a.height ? b : a));
  const whole = original === undefined ? undefined : await sizeOf(original);
  const { width, height } = whole ?? dimensionsOf(root, id, routes) ?? largest;
  return {
    kind: "images",
    id,
    record: "",
    recipe: "",
    original: { blob: "", bytes: 0, type: "", extension: "", width, height },
    renditions,
  };
}

function slotsOf(root: string, id: string, routes: Routes): string[] {
  const found = existsSync(join(root, routes.fileOfImage(id, "web", "jpeg"))) ? ["web"] : [];
  const folder = join(root, routes.fileOfImage(id, "any", "jpeg"), "..");
  if (!existsSync(folder)) return found;
  for (const path of walkSorted(folder)) {
    if (path.endsWith(".jpg")) found.push(path.slice(0, -".jpg".length));
  }
  return found;
}

async function sizeOf(path: string): Promise<Size | undefined> {
  if (!existsSync(path)) return undefined;
  const { image } = await inspectFile(path);
  return image && { width: image.width, height: image.height };
}

/** Size of the original as its JSON says. */
function dimensionsOf(root: string, id: string, routes: Routes): Size | undefined {
  const path = routes.fileOf({ route: "single", index: "images", id });
  if (path === undefined || !existsSync(join(root, path))) return undefined;
  const { data } = JSON.parse(readFileSync(join(root, path), "utf8")) as {
    data?: { dimensions?: Partial<Size> };
  };
  const { width, height } = data?.dimensions ?? {};
  return width && height ? { width, height } : undefined;
}
