import { rmSync, writeFileSync } from "node:fs";
import type { Config } from "../config.ts";
import { append } from "../lib/many.ts";
import { fullSlot } from "../routes/slots.ts";
import type { BlobPlace } from "../store/blob-place.ts";
import type { MediaEntry, Rendition } from "../store/media.ts";
import { DecoderCrash, DecoderFailure, type Decoders, type RenderedFile } from "./decoders.ts";
import { aboveLimit, DecodeError, feasiblePlans, type RenderTask } from "./encode.ts";
import { frameOf, isReadable } from "./ffmpeg.ts";
import { type FileFacts, identifyFile, type RecordedSize } from "./inspect.ts";
import { type Flaw, flawRemark, type Made } from "./made.ts";
import type { Unwanted } from "./metadata.ts";
import { planAnimation, planVariants, type VariantPlan, withFullSize } from "./variants.ts";

/** A picture, and what is said of it. */
export interface SourceFile {
  /** Where it is not in the store. */
  path?: string | undefined;
  sha256: string;
  type?: string | undefined;
  recorded?: RecordedSize | undefined;
}

type OpenFile = SourceFile & { path: string };

/** What a picture is rendered with. */
export interface RenderTools {
  media: Config["media"];
  blobs: Pick<BlobPlace, "has" | "put" | "temporaryPath">;
  decoders: Decoders;
}

/**
 * Makes and stores all renditions of an image file, or says why there are none.
 *
 * @param held entry of the same bytes with the same settings: its renditions stay, or the decoder's failure
 */
export async function renderImage(
  file: OpenFile,
  tools: RenderTools,
  held?: MediaEntry,
): Promise<Made> {
  const seen = await lookWell(file, tools);
  try {
    return await renderSeen(file, seen, tools, held);
  } finally {
    if (seen.still !== undefined) rmSync(seen.still, { force: true });
  }
}

async function renderSeen(
  file: OpenFile,
  { facts, flaw, still }: Awaited<ReturnType<typeof lookWell>>,
  tools: RenderTools,
  held: MediaEntry | undefined,
): Promise<Made> {
  const { media } = tools;
  const { image } = facts;
  const setting = media.metadata;
  const what = setting === "strip" ? "all" : "location";
  const own = { blob: file.sha256, bytes: facts.bytes };
  const copy = setting === "keep" ? own : await copyWithout(what, file, facts, tools);
  const metadata = { setting, place: image?.place ?? false, copy };
  const withheld = `the original is not published, because metadata cannot be taken out of this ${facts.type}`;
  const remarks = copy === null ? [withheld] : [];
  const bare = { facts, metadata, renditions: [], remarks };
  const known = flaw ?? (held && knownFlaw(held));
  if (known !== undefined || image === undefined) return { ...bare, flaw: known ?? noImage(facts) };
  const { width, height } = image;
  // The setting keeps back the full size, also without its metadata.
  const full = media.publishOriginals;
  const clean = full && isForBrowsers(facts) ? await copyWithout("all", file, facts, tools) : null;
  const original =
    clean === null ? undefined : { format: "jpeg" as const, ...clean, width, height };
  const all = planVariants(image, media, full && original === undefined);
  const stills = feasiblePlans(image, all, media.limitPixels);
  const limited = stills.length < all.length;
  const tooLarge = aboveLimit(image, media.limitPixels);
  if (stills.length === 0) return { ...bare, limited, flaw: { reason: tooLarge, damaged: false } };
  const needsFfmpeg = isReadable(facts.type);
  const { ffmpeg: program } = media;
  const moves = program !== null || !needsFfmpeg;
  const plans = [...stills, ...(moves ? planAnimation(image, media) : [])];
  const source = { path: file.path, type: facts.type };
  const ffmpeg = program !== null && needsFfmpeg ? { program, ...source } : undefined;
  try {
    const { made, warnings, thumbHash } = held?.renditions.length
      ? { made: withoutOriginal(held), warnings: warningsOf(held), thumbHash: held.thumbHash }
      : await carryOut({ path: still ?? file.path, image, plans, settings: media, ffmpeg }, tools);
    const renditions = full ? withFullSize(made, original) : made;
    const frames = plans.find((plan) => plan.frames)?.frames;
    append(remarks, [...imageRemarks(facts, frames), ...warnings]);
    if (limited) remarks.push(`small renditions only: ${tooLarge}`);
    return { ...bare, renditions, thumbHash, limited };
  } catch (error) {
    return { ...bare, limited, flaw: flawOf(error) };
  }
}

/** What a file is. Of a sequence that libvips does not read, the picture `still` stands for it, where there is ffmpeg. */
async function lookWell(
  file: OpenFile,
  { media: { ffmpeg: program }, blobs, decoders }: RenderTools,
) {
  const { facts, flaw } = await look(file, decoders);
  const { type, frames: pages } = facts;
  if (facts.image !== undefined || !pages || program === null) return { facts, flaw };
  const frame = await frameOf({ program, type, path: file.path }).catch(() => undefined);
  if (frame === undefined) return { facts, flaw };
  const still = blobs.temporaryPath();
  writeFileSync(still, frame);
  const { image } = (await look({ ...file, path: still }, decoders)).facts;
  if (image === undefined) return { facts, flaw, still };
  const moving = { ...facts, damage: undefined, image: { ...image, animated: true, pages } };
  return { facts: moving, flaw: undefined, still };
}

/** What a file is. If the decoder fails, only its ends are read. */
async function look({ path, type, recorded }: OpenFile, decoders: Decoders) {
  try {
    return { facts: await decoders.inspect(path, { said: type, recorded }) };
  } catch (error) {
    const flaw = flawOf(error);
    const facts: FileFacts = await identifyFile(path, type);
    return { facts, flaw };
  }
}

/** Stores a copy of a picture without metadata; null where none can be made. */
async function copyWithout(
  what: Unwanted,
  { path }: OpenFile,
  { type }: FileFacts,
  { blobs, decoders }: RenderTools,
) {
  const target = blobs.temporaryPath();
  try {
    const copy = await decoders.strip({ path, type, what, target });
    if (copy !== null && !(await blobs.has(copy.blob, copy.bytes)))
      await blobs.put(target, copy.blob);
    return copy;
  } catch (error) {
    // What a decoder does not survive has no copy. Other errors are thrown on.
    flawOf(error);
    return null;
  } finally {
    rmSync(target, { force: true });
  }
}

/** The renditions of an entry. Older ones have the original among them. */
const withoutOriginal = ({ renditions, original }: MediaEntry): Rendition[] =>
  renditions.filter(({ slot, blob }) => slot !== fullSlot || blob !== original.blob);

async function carryOut(task: Omit<RenderTask, "targets">, { blobs, decoders }: RenderTools) {
  const { plans } = task;
  const targets = plans.flatMap(({ formats }) => formats.map(() => blobs.temporaryPath()));
  try {
    const { files, warnings, thumbHash } = await decoders.render({ ...task, targets });
    for (const [n, { blob, bytes }] of files.entries()) {
      if (!(await blobs.has(blob, bytes))) await blobs.put(targets[n] as string, blob);
    }
    const remarks = warnings.map((warning) => `${warns}${warning.replaceAll(";", ",")}`);
    return { made: renditionsOf(plans, files), warnings: remarks, thumbHash };
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

const decoder = "the image decoder";

/** The flaw that the decoder found in the same bytes with the same settings. */
function knownFlaw({ renditions, remark = "" }: MediaEntry): Flaw | undefined {
  const [, reason = ""] = new RegExp(`^${flawRemark("")}(${decoder} [^;]*)`).exec(remark) ?? [];
  if (renditions.length > 0 || reason === "") return undefined;
  return { reason, damaged: false, limited: true };
}

/** The flaw of a file that the decoder failed on. @throws any other error as it is */
export function flawOf(error: unknown): Flaw {
  const failed = { damaged: false, limited: true };
  if (error instanceof DecoderCrash) {
    // The system ends processes so when it has no more memory.
    const passing = error.message === "SIGKILL";
    return { ...failed, reason: `${decoder} crashed (${error.message})`, passing };
  }
  if (error instanceof DecoderFailure) {
    return { ...failed, reason: `${decoder} failed: ${error.message}` };
  }
  if (!(error instanceof DecodeError)) throw error;
  const { message, tooLarge } = error;
  const reason = tooLarge ? message : `cannot be decoded completely: ${message}`;
  return { reason, damaged: !tooLarge };
}

/** Why a file without facts of an image has no renditions. */
function noImage({ type, damage, frames }: FileFacts): Flaw {
  if (frames !== undefined) {
    return { reason: `an animated ${type} needs media.ffmpeg`, damaged: false, limited: true };
  }
  if (damage !== undefined) return { reason: `cannot be decoded: ${damage}`, damaged: true };
  const isImage = type.startsWith("image/");
  if (isImage) return { reason: `${type} cannot be decoded here`, damaged: false };
  return { reason: `the file is ${type}, not an image`, damaged: true };
}

/** Remarks on a picture of which renditions show only a part. */
function imageRemarks({ image, type }: FileFacts, frames = 0): string[] {
  if (image?.svg) return ["SVG, drawn as an image; the original can contain scripts"];
  if (image === undefined || image.pages <= 1) return [];
  const [, format] = type.split("/");
  const [what, parts] = image.animated ? [`animated ${format}`, "frames"] : [format, "pages"];
  const which = image.page === 0 ? "the first" : `number ${image.page + 1}`;
  const moving = frames > 0 && frames < image.pages ? `, the animation ${frames}` : "";
  return [`${what}, renditions show ${which} of ${image.pages} ${parts}${moving}`];
}

const warns = "the decoder warns: ";

/** The warnings that are among the remarks of an entry. */
function warningsOf({ remark = "" }: MediaEntry): string[] {
  return remark.split("; ").filter((part) => part.startsWith(warns));
}
