import { rmSync } from "node:fs";
import type { MediaEntry, Rendition } from "../store/media.ts";
import type { MediaContext } from "./context.ts";
import { DecoderCrash, DecoderFailure, type Decoders, type RenderedFile } from "./decoders.ts";
import { aboveLimit, DecodeError, feasiblePlans } from "./encode.ts";
import { type FileFacts, type ImageFacts, identifyFile } from "./inspect.ts";
import type { Flaw, Made } from "./outcome.ts";
import { planVariants, type VariantPlan, withFullSize } from "./variants.ts";

export interface SourceFile {
  path: string;
  sha256: string;
  type?: string | undefined;
}

/**
 * Makes and stores all renditions of an image file, or says why there are none.
 *
 * @param held entry whose renditions were made of the same bytes with the same settings: they stay
 */
export async function renderImage(
  file: SourceFile,
  context: MediaContext,
  held?: MediaEntry,
): Promise<Made> {
  const { media } = context.config;
  const { facts, flaw } = await look(file, context.decoders);
  const { image } = facts;
  const bare = { facts, renditions: [], remarks: [] };
  if (flaw !== undefined || image === undefined) return { ...bare, flaw: flaw ?? noImage(facts) };
  const { width, height } = image;
  const original = isForBrowsers(facts)
    ? { format: "jpeg" as const, blob: file.sha256, bytes: facts.bytes, width, height }
    : undefined;
  // The setting keeps back the full size, also without its metadata.
  const full = media.publishOriginals;
  const all = planVariants(image, media, full && original === undefined);
  const plans = feasiblePlans(image, all, media.limitPixels);
  const limited = plans.length < all.length;
  const tooLarge = aboveLimit(image, media.limitPixels);
  if (plans.length === 0) return { ...bare, limited, flaw: { reason: tooLarge, damaged: false } };
  try {
    const { made, warnings, thumbHash } = held
      ? { made: held.renditions, warnings: warningsOf(held), thumbHash: held.thumbHash }
      : await carryOut(plans, { ...file, image }, context);
    const renditions = full ? withFullSize(made, original) : made;
    const remarks = [...imageRemarks(facts), ...warnings];
    if (limited) remarks.push(`small renditions only: ${tooLarge}`);
    return { facts, renditions, thumbHash, remarks, limited };
  } catch (error) {
    return { ...bare, limited, flaw: flawOf(error) };
  }
}

/** What a file is. If the decoder fails, only its ends are read. */
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
  { config, store, decoders }: MediaContext,
): Promise<{ made: Rendition[]; warnings: string[]; thumbHash: string | undefined }> {
  const { blobs } = store;
  const targets = plans.flatMap(({ formats }) => formats.map(() => blobs.temporaryPath()));
  try {
    const task = { path, image, plans, settings: config.media, targets };
    const { files, warnings, thumbHash } = await decoders.render(task);
    for (const [n, { blob, bytes }] of files.entries()) {
      if (!blobs.has(blob, bytes)) blobs.adopt(targets[n] as string, blob);
    }
    return { made: renditionsOf(plans, files), warnings: warnings.map(warningRemark), thumbHash };
  } finally {
    for (const target of targets) rmSync(target, { force: true });
  }
}

/** Whether a picture is a JPEG that every browser shows upright and in its colours as it is. */
function isForBrowsers({ type, image }: FileFacts): boolean {
  if (type !== "image/jpeg" || image === undefined || image.turned) return false;
  return image.space === "srgb" || image.space === "b-w";
}

/** In the order of the plans. The files come in the order of work. */
function renditionsOf(plans: readonly VariantPlan[], files: readonly RenderedFile[]): Rendition[] {
  return plans.flatMap(({ slots, width, height }, plan) => {
    const made = files.filter((file) => file.plan === plan);
    return slots.flatMap((slot) =>
      made.map(({ format, blob, bytes }) => ({ slot, format, blob, bytes, width, height })),
    );
  });
}

/** The flaw of a file that the decoder failed on. @throws any other error as it is */
export function flawOf(error: unknown): Flaw {
  const passing = (reason: string): Flaw => ({ reason, damaged: false, passing: true });
  if (error instanceof DecoderCrash) return passing(`the image decoder crashed (${error.message})`);
  if (error instanceof DecoderFailure) return passing(`the image decoder failed: ${error.message}`);
  if (!(error instanceof DecodeError)) throw error;
  const { message, tooLarge } = error;
  const reason = tooLarge ? message : `cannot be decoded completely: ${message}`;
  return { reason, damaged: !tooLarge };
}

/** Why a file without facts of an image has no renditions. */
function noImage({ type, damage }: FileFacts): Flaw {
  if (damage !== undefined) return { reason: `cannot be decoded: ${damage}`, damaged: true };
  const isImage = type.startsWith("image/");
  if (isImage) return { reason: `${type} cannot be decoded here`, damaged: false };
  return { reason: `the file is ${type}, not an image`, damaged: true };
}

/** Remarks on a picture of which renditions show only a part. */
function imageRemarks({ image, type }: FileFacts): string[] {
  if (image?.svg) return ["SVG, drawn as an image; the original can contain scripts"];
  if (image === undefined || image.pages <= 1) return [];
  const [, format] = type.split("/");
  const [what, parts] = image.animated ? [`animated ${format}`, "frames"] : [format, "pages"];
  return [`${what}, renditions show the first of ${image.pages} ${parts}`];
}

const warns = "the decoder warns: ";

function warningRemark(warning: string): string {
  return `${warns}${warning.replaceAll(";", ",")}`;
}

/** The warnings that are among the remarks of an entry. */
function warningsOf({ remark = "" }: Pick<MediaEntry, "remark">): string[] {
  return remark.split("; ").filter((part) => part.startsWith(warns));
}
