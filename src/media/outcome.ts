import type { Config } from "../config.ts";
import type { Blobs } from "../store/blobs.ts";
import type { MediaEntry, Rendition } from "../store/media.ts";
import type { Media } from "../store/records.ts";
import type { Budget } from "./budget.ts";
import { DecodeError, type Encoded, encodeRenditions, weightOf } from "./encode.ts";
import { type FileFacts, inspectFile } from "./inspect.ts";
import type { WantedItem } from "./jobs.ts";
import { expectedBytes } from "./original.ts";
import { planVariants } from "./variants.ts";

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
 * | image above media.limitPixels                    |          |                    | problem |
 * | image type that libvips here does not read       |          |                    | problem |
 * | HTML, or any other type, as an image             |          |                    | problem |
 * | video, audio file, document                      | kept     | none               |         |
 * | … whose size differs from its record, constantly | kept     | none               | remark  |
 * | … whose size differs, another one each time      |          |                    | problem |
 * | … of another main type than its kind             | kept     | none               | remark  |
 * | HTML or JSON as video, audio file or document    |          |                    | problem |
 * |   (a document that has the record's size is kept)|          |                    |         |
 * | empty file                                       |          |                    | problem |
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

/**
 * Makes and stores all renditions of an image file.
 *
 * @throws FileError when it is no image that can be decoded whole
 */
export async function makeRenditions(
  file: SourceFile,
  media: Config["media"],
  blobs: Pick<Blobs, "put">,
  budget: Budget,
): Promise<Made> {
  const facts = await inspectFile(file.path, file.type);
  const { image } = facts;
  if (image === undefined) throw noImage(facts);
  const remarks = imageRemarks(facts);
  const renditions: Rendition[] = [];
  try {
    await budget.run(weightOf(image), async () => {
      const plans = planVariants(image, media);
      const warn = (warning: string): void => void remarks.push(`the decoder warns: ${warning}`);
      const encoded: Encoded[] = [];
      for await (const one of encodeRenditions(file.path, image, plans, media, warn)) {
        encoded.push(one);
      }
      const digests = await blobs.put(encoded.map(({ bytes }) => bytes));
      for (const [n, { plan, format, bytes }] of encoded.entries()) {
        const { slots, width, height } = plan;
        const blob = digests[n] as string;
        for (const slot of slots) {
          renditions.push({ slot, format, blob, bytes: bytes.length, width, height });
        }
      }
      sortRenditions(
        renditions,
        plans.flatMap(({ slots }) => slots),
      );
    });
  } catch (error) {
    if (error instanceof DecodeError) {
      const { message, tooLarge } = error;
      const reason = tooLarge ? message : `cannot be decoded whole: ${message}`;
      throw new FileError(reason, { cause: error, final: tooLarge });
    }
    throw error;
  }
  return { facts, renditions, remarks };
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
  const facts = await inspectFile(file.path, file.type);
  if (facts.bytes === 0) throw new FileError("the file is empty");
  const exact = facts.bytes === expectedBytes(item, record);
  if (isPage(facts) && !(item.kind === "documents" && exact)) {
    throw new FileError(`the origin answered ${facts.type} instead of a file`);
  }
  if (!file.settled) {
    throw new FileError(
      `${facts.bytes} bytes, the record says ${record.bytes}, and each download gives another size`,
    );
  }
  const main = facts.type.split("/")[0];
  const fits = item.kind === "documents" || main === "video" || main === "audio";
  const remarks = fits ? [] : [`the file is ${facts.type}`];
  return { facts: { ...facts, image: undefined }, renditions: [], remarks };
}

/** The media index's entry of an item. */
export function entryOf(
  item: WantedItem,
  record: Media,
  blob: string,
  recipe: string,
  { facts, renditions, remarks }: Made,
): MediaEntry {
  const { type, extension, bytes, image } = facts;
  const all = [...remarks, ...recordRemarks(item, record, facts)];
  return {
    kind: item.kind,
    id: item.id,
    record: item.record,
    recipe,
    original: {
      blob,
      bytes,
      type,
      extension,
      ...(image === undefined ? {} : { width: image.width, height: image.height }),
    },
    renditions,
    ...(all.length === 0 ? {} : { remark: all.join("; ") }),
  };
}

function noImage(facts: FileFacts): FileError {
  const { type } = facts;
  if (facts.bytes === 0) return new FileError("the file is empty");
  if (isPage(facts)) return new FileError(`the origin answered ${type} instead of an image`);
  if (facts.damage !== undefined) return new FileError(`cannot be decoded: ${facts.damage}`);
  if (!type.startsWith("image/")) return new FileError(`the file is no image but ${type}`);
  return new FileError(`${type} cannot be decoded here`, { final: true });
}

function isPage({ type }: FileFacts): boolean {
  return type === "text/html" || type === "application/json" || type === "application/xhtml+xml";
}

function imageRemarks({ image, type }: FileFacts): string[] {
  if (image?.svg) return ["SVG, drawn as a picture; the original can carry scripts"];
  if (image === undefined || image.pages <= 1) return [];
  const [, format] = type.split("/");
  const what = image.animated ? `animated ${format}` : format;
  return [
    `${what}, renditions show the first of ${image.pages} ${image.animated ? "frames" : "pages"}`,
  ];
}

function recordRemarks(item: WantedItem, record: Media, facts: FileFacts): string[] {
  const remarks: string[] = [];
  if (item.kind === "images" && record.download === null) {
    remarks.push("no download link, the web version stands for the original");
  }
  const expected = expectedBytes(item, record);
  if (expected !== undefined && expected !== facts.bytes) {
    remarks.push(`${facts.bytes} bytes, the record says ${expected}`);
  }
  const { image } = facts;
  const { width, height } = record;
  if (image !== undefined && record.download !== null && width && height) {
    const same = image.width === width && image.height === height;
    // Some services give the sides as they are stored, before the orientation is applied.
    const turned = image.width === height && image.height === width;
    if (!same && !turned && !image.svg) {
      remarks.push(`${image.width} × ${image.height} pixels, the record says ${width} × ${height}`);
    }
  }
  return remarks;
}

/** Into the order of the configuration, JPEG first, so that the entry does not depend on the order of work. */
function sortRenditions(renditions: Rendition[], slots: string[]): void {
  const place = new Map(slots.map((slot, index) => [slot, index]));
  const rank = ({ slot }: Rendition): number => place.get(slot) ?? 0;
  renditions.sort((a, b) => rank(a) - rank(b));
}
