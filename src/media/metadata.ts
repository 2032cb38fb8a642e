import { crc32 } from "node:zlib";
import { append } from "../lib/many.ts";

/** What to take out of the EXIF of a file: where a picture was taken, or everything but its orientation. */
export type Unwanted = "location" | "all";

/**
 * A picture file without metadata, the bytes of its picture untouched. Only what pixels and colours are known to need
 * stays, and of EXIF what is not unwanted: XMP, IPTC, texts and what follows the picture can hold a place in any words.
 * Undefined where the file cannot be taken apart safely.
 */
export function withoutMetadata(file: Buffer, type: string, what: Unwanted): Buffer | undefined {
  const pieces = containers[type]?.(file, what);
  return pieces && Buffer.concat([...pieces]);
}

/** Whether blocks of metadata say where a picture was taken. */
export function namesPlace(blocks: { exif?: Buffer; xmp?: Buffer; iptc?: Buffer }): boolean {
  const { exif = none, xmp = none, iptc = none } = blocks;
  const gps = directoriesOf(tiffIn(exif))?.find(({ kind }) => kind === tags.gps);
  const isPlaced = gps?.entries.some(({ tag }) => gpsPlaces.includes(tag)) ?? false;
  return isPlaced || placeInXmp(xmp) || placeInIptc(iptc);
}

const none = Buffer.alloc(0);
type Pieces = Buffer[] | undefined;
const containers: Record<string, (file: Buffer, what: Unwanted) => Pieces> = {
  "image/jpeg": jpegPieces,
  "image/png": pngPieces,
  "image/webp": webpPieces,
};

/** In UTF-8 or UTF-16. */
function placeInXmp(xmp: Buffer): boolean {
  const text = xmp.toString("latin1").replaceAll("\0", "");
  return /GPS(?:Lat|Long|Dest)|[:<](?:City|State|Country|Location)\w*[\s=>/]/.test(text);
}

/** Data sets of IPTC's second record: content location, city, sublocation, state and country. */
const iptcPlaces = [26, 27, 90, 92, 95, 100, 101];
const placeInIptc = (iptc: Buffer): boolean =>
  iptcPlaces.some((place) => iptc.includes(Buffer.from([0x1c, 2, place])));

const exifHeader = "Exif\0\0";
/** Segments of applications that colours need; see ITU T.81, B.1.1.4. EXIF lies in APP1, 0xe1. */
const jpegNeeds: Record<number, string> = { 224: "JFIF\0", 226: "ICC_PROFILE\0", 238: "Adobe" };

function jpegPieces(file: Buffer, what: Unwanted): Pieces {
  const pieces = [file.subarray(0, 2)];
  for (let at = 2; ; ) {
    // Decoders, too, pass over what lies between two segments.
    at = file.indexOf(0xff, at);
    const marker = file[at + 1];
    if (at === -1 || marker === undefined) return undefined;
    if (marker === 0xff || marker === 0) {
      at++;
      continue;
    }
    if (marker === 0xd9) return [...pieces, file.subarray(at, at + 2)];
    if (at + 4 > file.length) return undefined;
    const end = at + 2 + file.readUInt16BE(at + 2);
    const stop = marker === 0xda ? endOfScan(file, end) : end;
    if (end < at + 4 || stop > file.length) return undefined;
    append(pieces, keptSegment(marker, file.subarray(at, stop), what));
    at = stop;
  }
}

/** Where the next marker is that is no part of the pixels. */
function endOfScan(file: Buffer, from: number): number {
  for (let at = file.indexOf(0xff, from); at !== -1; at = file.indexOf(0xff, at)) {
    const next = file[at + 1] ?? 0;
    if (next !== 0 && next !== 0xff && (next & 0xf8) !== 0xd0) return at;
    at += next === 0xff ? 1 : 2;
  }
  return Number.POSITIVE_INFINITY;
}

function keptSegment(marker: number, segment: Buffer, what: Unwanted): Buffer[] {
  const starts = (name: string): boolean => segment.toString("latin1", 4, 4 + name.length) === name;
  if (marker === 0xe1) {
    const exif = starts(exifHeader) ? exifWithout(segment.subarray(4), what) : undefined;
    if (exif === undefined) return [];
    const head = Buffer.from([0xff, marker, 0, 0]);
    head.writeUInt16BE(2 + exifHeader.length + exif.length, 2);
    return [head, Buffer.from(exifHeader), exif];
  }
  const needed = jpegNeeds[marker];
  const isNeeded = needed === undefined ? marker >= 0xc0 && marker < 0xe0 : starts(needed);
  return isNeeded ? [segment] : [];
}

const pngNeeds =
  /^(?:IHDR|PLTE|IDAT|IEND|tRNS|cHRM|gAMA|iCCP|sBIT|sRGB|cICP|mDCV|cLLI|bKGD|hIST|pHYs|sPLT|acTL|fcTL|fdAT)$/;

function pngPieces(file: Buffer, what: Unwanted): Pieces {
  const pieces = [file.subarray(0, 8)];
  for (let at = 8; at + 12 <= file.length; ) {
    const end = at + 12 + file.readUInt32BE(at);
    if (end > file.length) return undefined;
    const type = file.toString("latin1", at + 4, at + 8);
    const exif = type === "eXIf" ? exifWithout(file.subarray(at + 8, end - 4), what) : undefined;
    if (exif !== undefined) {
      const chunk = Buffer.concat([Buffer.alloc(4), Buffer.from(type), exif, Buffer.alloc(4)]);
      chunk.writeUInt32BE(exif.length);
      chunk.writeUInt32BE(crc32(chunk.subarray(4, -4)), chunk.length - 4);
      pieces.push(chunk);
    } else if (pngNeeds.test(type)) pieces.push(file.subarray(at, end));
    if (type === "IEND") return pieces;
    at = end;
  }
  return undefined;
}

const webpNeeds = /^(?:VP8[ LX]|ALPH|ANIM|ANMF|ICCP)$/;

function webpPieces(file: Buffer, what: Unwanted): Pieces {
  const pieces = [file.subarray(0, 12)];
  const size = file.length < 12 ? Number.POSITIVE_INFINITY : file.readUInt32LE(4) + 8;
  if (size > file.length) return undefined;
  let exifBit = 0;
  for (let at = 12; at + 8 <= size; ) {
    const type = file.toString("latin1", at, at + 4);
    const end = at + 8 + file.readUInt32LE(at + 4);
    if (end > size) return undefined;
    const chunk = file.subarray(at + 8, end);
    const data = type === "EXIF" ? exifWithout(chunk, what) : chunk;
    if (data !== undefined && (type === "EXIF" || webpNeeds.test(type))) {
      if (type === "EXIF") exifBit = 0x08;
      const head = Buffer.from(file.subarray(at, at + 8));
      head.writeUInt32LE(data.length, 4);
      pieces.push(head, Buffer.from(data), Buffer.alloc(data.length % 2));
    }
    at = end + (end % 2);
  }
  const [, first, extended] = pieces;
  // Its first byte tells of EXIF and, in another bit, of XMP.
  if (first?.toString("latin1", 0, 4) === "VP8X" && extended?.[0] !== undefined) {
    extended[0] = (extended[0] & ~0x0c) | exifBit;
  }
  const made = Buffer.concat(pieces);
  made.writeUInt32LE(made.length - 8, 4);
  return [made];
}

const tags = { orientation: 0x0112, gps: 0x8825 };
/** Tags that lead to other directories: of EXIF, of the place, of interoperability, and further pictures. */
const leading = [0x8769, tags.gps, 0xa005, 0x014a];
/** Notes of makers, of which only these know what they hold, and other blocks: XMP, IPTC, Photoshop. */
const opaque = [0x927c, 0xc634, 0x02bc, 0x83bb, 0x8649];
/** Latitudes, longitudes, and the name of the area. */
const gpsPlaces = [2, 4, 20, 22, 28];
const typeBytes = [0, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8];
/** More than cameras write. */
const mostDirectories = 32;

interface Directory {
  at: number;
  /** The tag that leads here; 0 for those of the chain. */
  kind: number;
  entries: { tag: number; at: number; bytes: number; value: number }[];
}

const tiffIn = (exif: Buffer): Buffer =>
  exif.toString("latin1", 0, 4) === "Exif" ? exif.subarray(exifHeader.length) : exif;

/** All directories of a TIFF structure, the first one first; undefined where it is damaged. */
function directoriesOf(tiff: Buffer): Directory[] | undefined {
  const order = tiff.toString("latin1", 0, 2);
  if ((order !== "II" && order !== "MM") || tiff.length < 8) return undefined;
  const found = new Map<number, Directory>();
  const waiting: [kind: number, at: number][] = [[0, numberAt(tiff, 4, 4)]];
  // Each directory can add others.
  for (const [kind, start] of waiting) {
    if (start === 0 || found.has(start)) continue;
    const count = start + 2 > tiff.length ? Number.NaN : numberAt(tiff, start, 2);
    const end = start + 2 + count * 12;
    if (!(end <= tiff.length) || found.size === mostDirectories) return undefined;
    const entries = Array.from({ length: count }, (_, n) => {
      const at = start + 2 + n * 12;
      const bytes = (typeBytes[numberAt(tiff, at + 2, 2)] ?? 0) * numberAt(tiff, at + 4, 4);
      return { tag: numberAt(tiff, at, 2), at, bytes, value: numberAt(tiff, at + 8, 4) };
    });
    found.set(start, { kind, at: start, entries });
    for (const { tag, value } of entries) {
      if (leading.includes(tag)) waiting.push([tag, value]);
    }
    if (kind === 0 && end + 4 <= tiff.length) waiting.push([0, numberAt(tiff, end, 4)]);
  }
  return [...found.values()];
}

function numberAt(tiff: Buffer, at: number, bytes: 2 | 4): number {
  return tiff[0] === 0x49 ? tiff.readUIntLE(at, bytes) : tiff.readUIntBE(at, bytes);
}

/** EXIF without what is unwanted, everything else in its place; undefined where nothing is left. */
function exifWithout(exif: Buffer, what: Unwanted): Buffer | undefined {
  const tiff = Buffer.from(tiffIn(exif));
  const directories = directoriesOf(tiff);
  if (what === "all" || directories === undefined) return orientationOnly(tiff, directories?.[0]);
  for (const { kind, at, entries } of directories) {
    const kept: Buffer[] = [];
    for (const { tag, at, bytes, value } of entries) {
      const isUnwanted = kind === tags.gps || tag === tags.gps || opaque.includes(tag);
      if (!isUnwanted) kept.push(Buffer.from(tiff.subarray(at, at + 12)));
      else if (bytes > 4 && tag !== tags.gps) tiff.subarray(value, value + bytes).fill(0);
    }
    if (kept.length === entries.length) continue;
    const end = at + 2 + entries.length * 12;
    const next = Buffer.from(tiff.subarray(end, end + 4));
    tiff.subarray(at, end + 4).fill(0);
    if (tiff[0] === 0x49) tiff.writeUInt16LE(kept.length, at);
    else tiff.writeUInt16BE(kept.length, at);
    Buffer.concat([...kept, next]).copy(tiff, at + 2);
  }
  return tiff;
}

function orientationOnly(tiff: Buffer, first: Directory | undefined): Buffer | undefined {
  const entry = first?.entries.find(({ tag }) => tag === tags.orientation);
  const value = entry === undefined ? 1 : numberAt(tiff, entry.at + 8, 2);
  if (value < 2 || value > 8) return undefined;
  const head = Buffer.from("4d4d002a000000080001011200030000000100000000" + "00000000", "hex");
  head.writeUInt16BE(value, 18);
  return head;
}
