import type { FileHandle } from "node:fs/promises";
import { readAt, withHandle } from "../lib/files.ts";
import { endBytes } from "./magic.ts";

/** Boxes that are read of a file; what has more is taken for whole. */
const mostBoxes = 1_000;

/** Formats that say at their end, or ahead of it, where a file ends; by their content types. */
const tests: [RegExp, (file: Sized) => Promise<boolean> | boolean][] = [
  // ISO 32000-1, 7.5.5, and what viewers allow behind it.
  [/^application\/pdf$/, ({ tail }) => !tail.includes("%%EOF")],
  // APPNOTE.TXT, 4.3.16: the end of the central directory.
  [/^application\/(?:zip|epub\+zip|vnd\.o.*)$/, ({ tail }) => !tail.includes("PK\x05\x06")],
  [/^(?:audio|video)\/ogg$/, isOggCut],
  [/^(?:audio\/wav|video\/x-msvideo|image\/webp)$/, isRiffCut],
  [/^(?:(?:video|audio)\/(?:mp4|3gpp|quicktime)|image\/(?:heic|avif))$/, areBoxesCut],
  [/^(?:audio|video)\/(?:webm|x-matroska)$/, isMatroskaCut],
];

interface Sized {
  file: FileHandle;
  bytes: number;
  /** At most `endBytes`. */
  head: Buffer;
  tail: Buffer;
}

/** Whether a file breaks off before its own end. False where its format does not tell. */
export async function isCut(path: string, type: string): Promise<boolean> {
  const test = tests.find(([types]) => types.test(type))?.[1];
  if (test === undefined) return false;
  return await withHandle(path, "r", async (file) => {
    const { size: bytes } = await file.stat();
    const head = await readAt(file, 0, endBytes);
    const tail = await readAt(file, Math.max(0, bytes - endBytes), endBytes);
    return await test({ file, bytes, head, tail });
  });
}

/** RFC 3533, 6: the last page of a stream has the flag 4, and a table of the lengths of its segments. */
function isOggCut({ tail }: Sized): boolean {
  const page = tail.subarray(Math.max(0, tail.lastIndexOf("OggS")));
  const isLast = ((page[5] ?? 0) & 4) !== 0;
  const lengths = page.subarray(27, 27 + (page[26] ?? 0));
  return (
    !isLast || lengths.reduce((sum, length) => sum + length, 27 + lengths.length) > page.length
  );
}

/** Writers that cannot go back leave 0 or the largest number for a size that they do not know. */
function isRiffCut({ head, bytes }: Sized): boolean {
  if (head.length < 12) return true;
  const size = head.readUInt32LE(4);
  return size !== 0 && size !== 0xffffffff && size + 8 > bytes;
}

/** ISO/IEC 14496-12, 4.2: each box says its size; 0 reaches to the end, and 1 stands for 64 bits behind the type. */
async function areBoxesCut({ file, bytes }: Sized): Promise<boolean> {
  let at = 0;
  for (let n = 0; at < bytes && n < mostBoxes; n++) {
    const box = await readAt(file, at, 16);
    if (box.length < 8) return true;
    const short = box.readUInt32BE(0);
    if (short === 0) return false;
    if (short === 1 && box.length < 16) return true;
    const size = short === 1 ? Number(box.readBigUInt64BE(8)) : short;
    // What is no size says nothing of the end.
    if (size < 8) return false;
    at += size;
  }
  return at > bytes;
}

/** RFC 8794 and RFC 9559: behind the header comes a segment, whose size is unknown where all its bits are set. */
function isMatroskaCut({ head, bytes }: Sized): boolean {
  const header = sizeIn(head, 4);
  const segment = header && sizeIn(head, header.end + header.size + 4);
  return segment !== undefined && segment.end + segment.size > bytes;
}

/** A size of variable length, and where it ends; undefined where it is unknown. */
function sizeIn(head: Buffer, at: number): { size: number; end: number } | undefined {
  const first = head[at] ?? 0;
  const length = Math.clz32(first) - 23;
  if (length > 8 || at + length > head.length) return undefined;
  const rest = head.subarray(at + 1, at + length);
  if (first === (1 << (9 - length)) - 1 && rest.every((byte) => byte === 0xff)) return undefined;
  let size = first - (1 << (8 - length));
  for (const byte of rest) size = size * 256 + byte;
  return { size, end: at + length };
}
