import type { MediaEntry, Rendition } from "../store/media.ts";
import type { Media } from "../store/records.ts";
import { DecoderCrash } from "./decoder.ts";
import { DecoderFailure } from "./decoders.ts";
import { DecodeError } from "./encode.ts";
import type { FileFacts } from "./facts.ts";
import { identifyFile } from "./inspect.ts";
import type { WantedItem } from "./jobs.ts";
import { expectedBytes, type Fetched } from "./original.ts";

/*
 * What becomes of a file. "Kept" is the original in the store; a problem leaves the previous entry as it was.
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
 * | image cut short or damaged                       |          |                    | problem |
 * | JPEG that ends in zeros, without its end marker  |          |                    | problem |
 * | WebP, TIFF without compression that ends so      | kept     | all                |         |
 * | image above media.limitPixels                    |          |                    | problem |
 * | image at which the decoder crashes, hangs, fails |          |                    | problem |
 * | image type that libvips here does not read       |          |                    | problem |
 * | HTML, or any other type, as an image             |          |                    | problem |
 * | video, audio file, document                      | kept     | none               |         |
 * | … whose size differs from its record, constantly | kept     | none               | remark  |
 * | … whose size differs, another one each time      |          |                    | problem |
 * | … of unknown size, ended by the connection, and  |          |                    | problem |
 * |   another one each time                          |          |                    |         |
 * | … of another main type than its kind             | kept     | none               | remark  |
 * | HTML or JSON as video, audio file or document    |          |                    | problem |
 * |   (a document that has the record's size is kept)|          |                    |         |
 * | empty file                                       |          |                    | problem |
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

/** What was made of the bytes of an image, whichever item they belong to. */
export interface Made {
  facts: FileFacts;
  renditions: Rendition[];
  remarks: string[];
}

/** A file on disk and what is known of it. */
export interface SourceFile {
  path: string;
  /** Content type that the answer gave. */
  type?: string | undefined;
}

/** A failure of the decoder as one of the file it was given; any other as it is. */
export function asFileError(error: unknown): unknown {
  if (error instanceof DecoderCrash) {
    const reason = `the image decoder crashed (${error.message})`;
    return new FileError(reason, { cause: error, final: true });
  }
  if (error instanceof DecoderFailure) {
    const reason = `the image decoder failed: ${error.message}`;
    return new FileError(reason, { cause: error, final: true });
  }
  if (!(error instanceof DecodeError)) return error;
  const { message, tooLarge } = error;
  const reason = tooLarge ? message : `cannot be decoded whole: ${message}`;
  return new FileError(reason, { cause: error, final: tooLarge });
}

/**
 * Looks at a file that is no image: its type, and whether it can be what its record describes.
 *
 * @throws FileError
 */
export async function examineFile(
  item: Pick<WantedItem, "kind">,
  record: Media,
  file: SourceFile & { settled: boolean },
): Promise<Made> {
  const facts = await identifyFile(file.path, file.type);
  if (facts.bytes === 0) throw new FileError("the file is empty");
  const exact = facts.bytes === expectedBytes(item, record);
  if (isPage(facts) && !(item.kind === "documents" && exact)) {
    throw new FileError(`the origin answered ${facts.type} instead of a file`);
  }
  if (!file.settled) {
    const size = `${facts.bytes} bytes, the record says ${record.bytes || "nothing"}`;
    // It was asked for twice already.
    throw new FileError(`${size}, and each download gives another file`, { final: true });
  }
  return { facts, renditions: [], remarks: [] };
}

/** The media index's entry of an item. */
export function entryOf(
  item: WantedItem,
  record: Media,
  { sha256, validators }: Pick<Fetched, "sha256"> & Pick<MediaEntry, "validators">,
  recipe: string,
  { facts, renditions, remarks }: Made,
): MediaEntry {
  const { type, extension, bytes, image } = facts;
  const doubts = doubtsOf(item, record, facts);
  const all = [...remarks, ...linkRemarks(item, record), ...doubts];
  return {
    kind: item.kind,
    id: item.id,
    record: item.record,
    recipe,
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
    ...(doubts.length === 0 ? {} : { doubtful: true }),
  };
}

/** Why a file cannot stand for an image that has no facts as one. */
export function noImage(facts: FileFacts): FileError {
  const { type } = facts;
  if (facts.bytes === 0) return new FileError("the file is empty");
  if (isPage(facts)) return new FileError(`the origin answered ${type} instead of an image`);
  if (facts.damage !== undefined) return new FileError(`cannot be decoded: ${facts.damage}`);
  if (!type.startsWith("image/")) return new FileError(`the file is no image but ${type}`);
  return new FileError(`${type} cannot be decoded here`, { final: true });
}

function isPage({ type }: Pick<FileFacts, "type">): boolean {
  return type === "text/html" || type === "application/json" || type === "application/xhtml+xml";
}

/** What is to be said of a picture that is shown otherwise than it is. */
export function imageRemarks({ image, type }: FileFacts): string[] {
  if (image?.svg) return ["SVG, drawn as a picture; the original can carry scripts"];
  if (image === undefined || image.pages <= 1) return [];
  const [, format] = type.split("/");
  const what = image.animated ? `animated ${format}` : format;
  return [
    `${what}, renditions show the first of ${image.pages} ${image.animated ? "frames" : "pages"}`,
  ];
}

function linkRemarks({ kind }: WantedItem, { download }: Media): string[] {
  if (kind !== "images" || download !== null) return [];
  return ["no download link, the web version stands for the original"];
}

/** What of a file is other than its record says. */
function doubtsOf(item: WantedItem, record: Media, facts: FileFacts): string[] {
  const doubts: string[] = [];
  if ((item.kind === "videos" || item.kind === "audio") && !/^(?:video|audio)\//.test(facts.type)) {
    doubts.push(`the file is ${facts.type}`);
  }
  const expected = expectedBytes(item, record);
  if (expected !== undefined && expected !== facts.bytes) {
    doubts.push(`${facts.bytes} bytes, the record says ${expected}`);
  }
  const { image } = facts;
  const { width, height } = record;
  if (image !== undefined && record.download !== null && width && height) {
    const same = image.width === width && image.height === height;
    // Some services give the sides as they are stored, before the orientation is applied.
    const turned = image.width === height && image.height === width;
    if (!same && !turned && !image.svg) {
      doubts.push(`${image.width} × ${image.height} pixels, the record says ${width} × ${height}`);
    }
  }
  return doubts;
}
