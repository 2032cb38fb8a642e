import { isPage } from "../api/body.ts";
import { append } from "../lib/many.ts";
import type { MediaEntry } from "../store/media.ts";
import type { Media } from "../store/records.ts";
import type { FileFacts } from "./inspect.ts";
import { type Job, type Recipes, tryAgain, type WantedItem } from "./jobs.ts";
import { flawRemark, type Made } from "./made.ts";
import { extensionIn } from "./magic.ts";
import { AbsentError, type Fetched, OriginalError } from "./original.ts";

/*
 * What becomes of a file. A problem is a gap: the origin has a file, and we do not. "Absent" is a remark: the origin
 * has none. Both leave the previous file of an item as it was.
 *
 * | File                                                              | Kept                 | Said    |
 * |-------------------------------------------------------------------|----------------------|---------|
 * | whole, as its record says                                         | yes                  |         |
 * | whole or the same twice, of another size or type than its record  | yes                  | remark  |
 * | image that cannot be decoded, or is above media.limitPixels       | renditions of its    |         |
 * |                                                                   | web version, if any  | remark  |
 * | baseline JPEG above media.limitPixels                             | the small renditions | remark  |
 * | animation, TIFF of several pages, SVG                             | the first frame      | remark  |
 * | damaged or of another size, and another one each time             |                      | problem |
 * | cut or damaged, and of another size than its record's             |                      | problem |
 * | page or text in the place of a file, but not of its record's size |                      | problem |
 * | page as a document, the same twice                                | yes                  | remark  |
 * | empty or zeros twice; 404 or 410 twice; a record without a link   |                      | absent  |
 * | damaged, where a whole picture is held                            |                      | absent  |
 */

/** Whether the web version of an image takes the place of its original, because its record names no download. */
export function isWebVersion({ kind }: WantedItem, { download }: Media): boolean {
  return kind === "images" && download === null;
}

/** Size of the original as the record says; undefined where it does not say or where the file is another one. */
function expectedBytes(item: WantedItem, record: Media): number | undefined {
  return record.bytes === 0 || isWebVersion(item, record) ? undefined : record.bytes;
}

/** Whether a record may give a file's size in whole kilobytes or megabytes. */
function isRounded(size: number, bytes: number): boolean {
  return [1_000, 1_024, 1_000_000, 1 << 20].some(
    (unit) => size % unit === 0 && Math.abs(size - bytes) < unit,
  );
}

/** Why a file may not be the one that the origin has of its item. */
export interface Doubt {
  /** `open`: of unknown size, and only the end of the connection tells that it is whole. */
  kind: "empty" | "page" | "cut" | "damaged" | "size" | "open";
  reason: string;
}

/**
 * Why to download a file once more: it may have been cut or exchanged on its way.
 *
 * @param sizesTell whether the sizes in this origin's records say anything; asked for seldom
 */
export function doubtOf(
  item: WantedItem,
  record: Media,
  { facts, flaw, blank, cut = false }: Made,
  { openEnded }: Pick<Fetched, "openEnded">,
  sizesTell: () => boolean,
): Doubt | undefined {
  const expected = expectedBytes(item, record);
  const isExact = facts.bytes === expected;
  const isImage = item.kind === "images";
  if (blank) {
    const what = facts.bytes === 0 ? "empty" : "nothing but zeros";
    return { kind: "empty", reason: `the origin's file is ${what}` };
  }
  if (!isExact && (isPage(facts) || (isImage && facts.type.startsWith("text/")))) {
    const wanted = isImage ? "an image" : "a file";
    return { kind: "page", reason: `the origin answered ${facts.type} instead of ${wanted}` };
  }
  const size = `${facts.bytes} bytes, the record says ${record.bytes || "nothing"}`;
  const isBroken = cut || (flaw?.damaged === true && facts.type.startsWith("image/"));
  const isOther = expected !== undefined && !isExact && !isRounded(expected, facts.bytes);
  if (isBroken && isOther && sizesTell()) {
    return {
      kind: "cut",
      reason: `${flaw?.reason ?? "it breaks off before its end"}, and ${size}`,
    };
  }
  const isUnknown = isExact && !facts.type.startsWith("image/");
  if (flaw?.damaged && !isUnknown) return { kind: "damaged", reason: flaw.reason };
  // A picture that decodes to its end is whole.
  const isOpen = expected === undefined && !isImage && openEnded;
  if (!isOpen && (expected === undefined || isExact)) return undefined;
  return { kind: isOpen ? "open" : "size", reason: size };
}

/**
 * Decides whether a file is kept after its second download.
 *
 * @param same whether both downloads gave the same file
 * @param doubt about the second one
 * @throws OriginalError where the origin has another file
 * @throws AbsentError where the origin has no file, or one that is worse than the held one
 */
export function settleDoubt(
  { item, entry: held }: Pick<Job, "item" | "entry">,
  record: Media,
  { made, same }: { made: Made; same: boolean },
  doubt: Doubt | undefined,
): void {
  if (doubt === undefined) return;
  const { kind, reason } = doubt;
  const { facts } = made;
  if (kind === "empty") throw new AbsentError(reason, { asked: true });
  if (kind === "cut") throw new OriginalError(reason);
  if (kind === "page") {
    // A document can be a page. A message in its place differs the next time.
    if (item.kind !== "documents" || !same) throw new OriginalError(reason);
    if (held && !isPage(held.original)) {
      throw new OriginalError(`the origin answered ${facts.type} instead of the file it had`);
    }
  }
  const isWhole = item.kind === "images" && kind === "size";
  if (!same && !isWhole) {
    throw new OriginalError(`${reason}, and each download gives a different file`);
  }
  // A file of another kind is kept if it has its record's size.
  const isOther = facts.bytes === record.bytes && !facts.type.startsWith("image/");
  if (kind !== "damaged" || isOther || !held?.renditions.length) return;
  throw new AbsentError(`the origin's file is now damaged: ${reason}`, { asked: true });
}

const noDownload = "no download link; the web version replaces the original";

/** The media index's entry of an item. */
export function entryOf(
  item: WantedItem,
  record: Media,
  { sha256, name, validators }: Pick<Fetched, "sha256" | "name" | "validators">,
  recipes: Recipes,
  { facts, renditions, thumbHash, metadata, remarks, limited, flaw }: Made,
): MediaEntry {
  const { type, extension, bytes, image, movie } = facts;
  const differences = differencesOf(item, record, facts);
  const isLimited = limited || flaw?.limited;
  const whole = image?.animated && flaw === undefined ? recipes.animated : recipes.plain;
  const all = flaw === undefined ? [] : [flawRemark(flaw.reason.replaceAll(";", ","))];
  append(all, remarks);
  if (isWebVersion(item, record)) all.push(noDownload);
  append(all, differences);
  return {
    kind: item.kind,
    id: item.id,
    record: item.record,
    recipe: flaw?.passing ? tryAgain : isLimited ? recipes.limited : whole,
    original: {
      ...{ blob: sha256, bytes, type, name },
      extension: extension === "bin" ? extensionIn(name) : extension,
      ...movie,
      ...(image && { width: image.width, height: image.height }),
    },
    renditions,
    metadata,
    thumbHash,
    validators,
    remark: all.length > 0 ? all.join("; ") : undefined,
    doubtful: differences.length > 0 || undefined,
  };
}

/** Whether a file was kept that is whole, but of another size than its record's. */
export function hasWrongSize({ remark = "" }: Partial<MediaEntry> = {}): boolean {
  return remark.includes(" bytes, the record says ") && !remark.includes(flawRemark(""));
}

function differencesOf(item: WantedItem, record: Media, facts: FileFacts): string[] {
  const differences: string[] = [];
  const isPlayed = item.kind === "videos" || item.kind === "audio";
  const isOther = isPlayed
    ? !/^(?:video|audio)\//.test(facts.type)
    : item.kind === "documents" && isPage(facts);
  if (isOther) differences.push(`the file is ${facts.type}`);
  const expected = expectedBytes(item, record);
  if (expected !== undefined && expected !== facts.bytes) {
    differences.push(`${facts.bytes} bytes, the record says ${expected}`);
  }
  const { width, height } = record;
  const { image } = facts;
  if (image === undefined || image.svg || isWebVersion(item, record)) return differences;
  const is = `${image.width} × ${image.height}`;
  // Some services give the sides as they are stored, before the orientation is applied.
  const isSaid = [`${width} × ${height}`, `${height} × ${width}`].includes(is);
  if (width && height && !isSaid) {
    differences.push(`${is} pixels, the record says ${width} × ${height}`);
  }
  return differences;
}
