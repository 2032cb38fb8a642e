import type { MediaEntry, Rendition } from "../store/media.ts";
import type { Media } from "../store/records.ts";
import { DecoderCrash } from "./decoder.ts";
import { DecoderFailure } from "./decoders.ts";
import { DecodeError } from "./encode.ts";
import type { FileFacts } from "./facts.ts";
import { identifyFile } from "./inspect.ts";
import { type Recipes, tryAgain, type WantedItem } from "./jobs.ts";
import { expectedBytes, type Fetched } from "./original.ts";
import { AbsentError } from "./original-error.ts";

/*
 * What becomes of a file. "Kept" is the original in the store. A problem is a gap: the origin has a file, and we have
 * not. "Absent" is a remark: the origin has none. Both leave the previous file of an item as it was.
 *
 * | File                                             | Original | Renditions         | Said    |
 * |--------------------------------------------------|----------|--------------------|---------|
 * | image that decodes to its end                    | kept     | all                |         |
 * | … with a harmless warning of the decoder         | kept     | all                | remark  |
 * | … of another size in pixels than its record says | kept     | all                | remark  |
 * | … of another size in bytes, twice                | kept     | all                | remark  |
 * | image without a download link: its web version   | kept     | all                | remark  |
 * | animated GIF, WebP or AVIF; TIFF of several pages| kept     | of the first frame | remark  |
 * | SVG                                              | kept     | drawn, ≤ 4096 px   | remark  |
 * | baseline JPEG above media.limitPixels            | kept     | the small ones     | remark  |
 * | other image above media.limitPixels              | kept     | none               | remark  |
 * | image at which the decoder crashes, hangs, fails | kept     | none, tried again  | remark  |
 * | image type that libvips here does not read       | kept     | none               | remark  |
 * | image cut short or damaged, the same twice       | kept     | none               | remark  |
 * | JPEG that ends in zeros, without its end marker  | as above | none               | remark  |
 * | WebP, TIFF without compression that ends so      | kept     | all                |         |
 * | image cut short, another one each time           |          |                    | problem |
 * | text or HTML as an image, not of its record's    |          |                    | problem |
 * |   size: the origin has said something else       |          |                    |         |
 * | video, audio file, document                      | kept     | none               |         |
 * | … whose size differs from its record, constantly | kept     | none               | remark  |
 * | … whose size differs, another one each time      |          |                    | problem |
 * | … of unknown size, ended by the connection, and  |          |                    | problem |
 * |   another one each time                          |          |                    |         |
 * | … of another main type than its kind             | kept     | none               | remark  |
 * | HTML or JSON as video or audio file, not of its  |          |                    | problem |
 * |   record's size                                  |          |                    |         |
 * | … as document, another one each time             |          |                    | problem |
 * | … as document, the same twice                    | kept     | none               | remark  |
 * | empty file, or nothing but zeros, twice          |          |                    | absent  |
 * | not found (404, 410) by a fresh link, twice      |          |                    | absent  |
 * | a record that names no file: null where one      |          |                    | absent  |
 * |   usually stands                                 |          |                    |         |
 * | a damaged picture where a whole one is held      |          |                    | absent  |
 *
 * Zeros from somewhere in a picture to its end are an error to the decoders of PNG, GIF (but for its last block, of at
 * most 255 bytes), AVIF and compressed TIFF. To those of JPEG, WebP and plain TIFF they are pixels. JPEG has a marker
 * at its end; good WebP files can end in kilobytes of zeros, and black pixels are zeros, so that nothing tells there.
 */

/** A file that cannot stand for its item; the message says why. */
export class FileError extends Error {
  /** Whether the file is as it should be, only not for us: another download will not help. */
  readonly final: boolean;

  constructor(message: string, options: ErrorOptions & { final?: boolean } = {}) {
    super(message, options);
    this.final = options.final ?? false;
  }
}

/** Why an image has no renditions. */
export interface Flaw {
  reason: string;
  /** Whether the file is no whole picture, as one is that was cut on its way. */
  damaged: boolean;
  /** Whether the reason may be this machine's, so that the next run tries again. */
  passing?: boolean;
}

/** What was made of the bytes of an image, whichever item they belong to. */
export interface Made {
  facts: FileFacts;
  renditions: Rendition[];
  remarks: string[];
  /** Whether media.limitPixels was in the way. */
  limited?: boolean;
  /** Only where there are no renditions. */
  flaw?: Flaw;
}

/** A file on disk and what is known of it. */
export interface SourceFile {
  path: string;
  /** Content type that the answer gave. */
  type?: string | undefined;
}

/** A failure of the decoder as a flaw of the file it was given. @throws any other error as it is */
export function flawOf(error: unknown): Flaw {
  if (error instanceof DecoderCrash) {
    const reason = `the image decoder crashed (${error.message})`;
    return { reason, damaged: false, passing: true };
  }
  if (error instanceof DecoderFailure) {
    const reason = `the image decoder failed: ${error.message}`;
    return { reason, damaged: false, passing: true };
  }
  if (!(error instanceof DecodeError)) throw error;
  const { message, tooLarge } = error;
  const reason = tooLarge ? message : `cannot be decoded completely: ${message}`;
  return { reason, damaged: !tooLarge };
}

/** What is known of a file that is no image: its type and its size. */
export async function lookAtFile(file: SourceFile): Promise<Made> {
  return { facts: await identifyFile(file.path, file.type), renditions: [], remarks: [] };
}

/**
 * Makes sure that a file is the origin's of its item, as far as can be told.
 *
 * @param file `again`: an earlier download looked wrong, too; `same`: it gave the same bytes; `blank`: all are zeros
 * @throws FileError, AbsentError
 */
export function checkFile(
  item: Pick<WantedItem, "kind">,
  record: Media,
  { facts, flaw }: Made,
  { settled, again, same, blank }: Record<"settled" | "again" | "same" | "blank", boolean>,
): void {
  const expected = expectedBytes(item, record);
  const exact = facts.bytes === expected;
  const image = item.kind === "images";
  if (facts.bytes === 0 || blank) {
    const what = facts.bytes === 0 ? "empty" : "nothing but zeros";
    if ((expected === undefined || exact) && !again) throw new FileError(`the file is ${what}`);
    throw new AbsentError(`the origin's file is ${what}`, { asked: true });
  }
  // A document can be a page; what the origin says in place of a file differs or ends.
  const isDocument = item.kind === "documents" && same;
  if (!exact && !isDocument && (isPage(facts) || (image && facts.type.startsWith("text/")))) {
    const message = `the origin answered ${facts.type} instead of ${image ? "an image" : "a file"}`;
    // Where the record gives a size, it was asked for twice already.
    throw new FileError(message, { final: expected !== undefined });
  }
  // A picture that decodes to its end is whole.
  if (!settled && (!image || flaw?.damaged)) {
    const size = `${facts.bytes} bytes, the record says ${record.bytes || "nothing"}`;
    // It was asked for twice already.
    throw new FileError(`${size}, and each download gives a different file`, { final: true });
  }
  if (!flaw?.damaged || (expected !== undefined && !exact)) return;
  // It can have suffered on its way.
  if (!again) throw new FileError(flaw.reason);
  if (!same) {
    throw new FileError(`${flaw.reason}, and each download gives a different file`, {
      final: true,
    });
  }
}

/** The media index's entry of an item. */
export function entryOf(
  item: WantedItem,
  record: Media,
  { sha256, validators }: Pick<Fetched, "sha256"> & Pick<MediaEntry, "validators">,
  recipes: Recipes,
  { facts, renditions, remarks, limited, flaw }: Made,
): MediaEntry {
  const { type, extension, bytes, image } = facts;
  const differences = differencesOf(item, record, facts);
  const flaws = flaw === undefined ? [] : [`kept without renditions: ${flaw.reason}`];
  const all = [...flaws, ...remarks, ...linkRemarks(item, record), ...differences];
  return {
    kind: item.kind,
    id: item.id,
    record: item.record,
    recipe: flaw?.passing ? tryAgain : limited ? recipes.limited : recipes.plain,
    original: {
      blob: sha256,
      bytes,
      type,
      extension,
      ...(image === undefined ? {} : { width: image.width, height: image.height }),
    },
    renditions,
    ...(validators === undefined ? {} : { validators }),
    ...(all.length === 0 ? {} : { remark: all.join("; ") }),
    ...(differences.length === 0 ? {} : { doubtful: true }),
  };
}

/** Why there are no renditions of a file that has no facts of an image. */
export function noImage({ type, damage }: FileFacts): Flaw {
  if (damage !== undefined) return { reason: `cannot be decoded: ${damage}`, damaged: true };
  if (type.startsWith("image/"))
    return { reason: `${type} cannot be decoded here`, damaged: false };
  return { reason: `the file is ${type}, not an image`, damaged: true };
}

export function isPage({ type }: Pick<FileFacts, "type">): boolean {
  return type === "text/html" || type === "application/json" || type === "application/xhtml+xml";
}

/** What is to be said of a picture that is shown otherwise than it is. */
export function imageRemarks({ image, type }: FileFacts): string[] {
  if (image?.svg) return ["SVG, drawn as an image; the original can contain scripts"];
  if (image === undefined || image.pages <= 1) return [];
  const [, format] = type.split("/");
  const what = image.animated ? `animated ${format}` : format;
  return [
    `${what}, renditions show the first of ${image.pages} ${image.animated ? "frames" : "pages"}`,
  ];
}

function linkRemarks({ kind }: WantedItem, { download }: Media): string[] {
  if (kind !== "images" || download !== null) return [];
  return ["no download link; the web version replaces the original"];
}

/** What of a file is other than its record says. */
function differencesOf(item: WantedItem, record: Media, facts: FileFacts): string[] {
  const differences: string[] = [];
  if ((item.kind === "videos" || item.kind === "audio") && !/^(?:video|audio)\//.test(facts.type)) {
    differences.push(`the file is ${facts.type}`);
  }
  if (item.kind === "documents" && isPage(facts)) differences.push(`the file is ${facts.type}`);
  const expected = expectedBytes(item, record);
  if (expected !== undefined && expected !== facts.bytes) {
    differences.push(`${facts.bytes} bytes, the record says ${expected}`);
  }
  const { image } = facts;
  const { width, height } = record;
  if (image !== undefined && record.download !== null && width && height) {
    const same = image.width === width && image.height === height;
    // Some services give the sides as they are stored, before the orientation is applied.
    const turned = image.width === height && image.height === width;
    if (!same && !turned && !image.svg) {
      differences.push(
        `${image.width} × ${image.height} pixels, the record says ${width} × ${height}`,
      );
    }
  }
  return differences;
}
