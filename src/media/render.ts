import { rmSync } from "node:fs";
import type { Config } from "../config.ts";
import type { Blobs } from "../store/blobs.ts";
import type { MediaEntry, Rendition } from "../store/media.ts";
import type { FileFacts, ImageFacts, RenderedFile } from "./decoder-messages.ts";
import type { Decoders } from "./decoders.ts";
import { aboveLimit, feasiblePlans } from "./encode.ts";
import { identifyFile } from "./inspect.ts";
import {
  type Flaw,
  flawOf,
  imageRemarks,
  type Made,
  noImage,
  warningRemark,
  warningsOf,
} from "./outcome.ts";
import { planVariants, type VariantPlan, withFullSize } from "./variants.ts";

export interface SourceFile {
  path: string;
  sha256: string;
  type?: string | undefined;
}

export interface Workshop {
  media: Config["media"];
  blobs: Pick<Blobs, "temporaryPath" | "has" | "adopt">;
  decoders: Pick<Decoders, "inspect" | "render">;
}

/**
 * Makes and stores all renditions of an image file, or says why there are none.
 *
 * @param held entry whose renditions were made of the same bytes with the same settings: they stay
 */
export async function renderImage(
  file: SourceFile,
  workshop: Workshop,
  held?: MediaEntry,
): Promise<Made> {
  const { media, decoders } = workshop;
  const { facts, flaw } = await look(file, decoders);
  const { image } = facts;
  const bare = { facts, renditions: [], remarks: [] };
  if (flaw !== undefined || image === undefined) return { ...bare, flaw: flaw ?? noImage(facts) };
  const { width, height } = image;
  const original = isForBrowsers(facts)
    ? { format: "jpeg" as const, blob: file.sha256, bytes: facts.bytes, width, height }
    : undefined;
  // A full size without its metadata would still be what the setting keeps back.
  const full = media.publishOriginals;
  const all = planVariants(image, media, full && original === undefined);
  const plans = feasiblePlans(image, all, media.limitPixels);
  const limited = plans.length < all.length;
  const tooLarge = aboveLimit(image, media.limitPixels);
  if (plans.length === 0) return { ...bare, limited, flaw: { reason: tooLarge, damaged: false } };
  try {
    const { made, warnings } = held
      ? { made: held.renditions, warnings: warningsOf(held) }
      : await carryOut(plans, { ...file, image }, workshop);
    const renditions = full ? withFullSize(made, original) : made;
    const remarks = [...imageRemarks(facts), ...warnings];
    if (limited) remarks.push(`small renditions only: ${tooLarge}`);
    return { facts, renditions, remarks, limited };
  } catch (error) {
    return { ...bare, limited, flaw: flawOf(error) };
  }
}

/** What a file is; by its ends alone where the decoder fails. */
async function look(
  file: SourceFile,
  decoders: Pick<Decoders, "inspect">,
): Promise<{ facts: FileFacts; flaw?: Flaw }> {
  try {
    return { facts: await decoders.inspect(file.path, file.type) };
  } catch (error) {
    const flaw = flawOf(error);
    return { facts: await identifyFile(file.path, file.type), flaw };
  }
}

async function carryOut(
  plans: VariantPlan[],
  { path, image }: SourceFile & { image: ImageFacts },
  { media, blobs, decoders }: Workshop,
): Promise<{ made: Rendition[]; warnings: string[] }> {
  const targets = plans.flatMap(({ formats }) => formats.map(() => blobs.temporaryPath()));
  try {
    const settings = { quality: media.quality, limitPixels: media.limitPixels };
    const task = { path, image, plans, settings, targets };
    const { files, warnings } = await decoders.render(task);
    for (const [n, { blob, bytes }] of files.entries()) {
      if (!blobs.has(blob, bytes)) blobs.adopt(targets[n] as string, blob);
    }
    return { made: renditionsOf(plans, files), warnings: warnings.map(warningRemark) };
  } finally {
    for (const target of targets) rmSync(target, { force: true });
  }
}

/** Whether a picture is a JPEG that every browser shows upright and in its colours as it is. */
function isForBrowsers({ type, image }: FileFacts): boolean {
  if (type !== "image/jpeg" || image === undefined || image.turned) return false;
  return image.space === "srgb" || image.space === "b-w";
}

/** In the order of the plans, whatever the order of work was. */
function renditionsOf(plans: readonly VariantPlan[], files: readonly RenderedFile[]): Rendition[] {
  return plans.flatMap(({ slots, width, height }, plan) => {
    const made = files.filter((file) => file.plan === plan);
    return slots.flatMap((slot) =>
      made.map(({ format, blob, bytes }) => ({ slot, format, blob, bytes, width, height })),
    );
  });
}
