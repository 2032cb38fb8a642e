import { type FileHandle, open } from "node:fs/promises";
import { readAt } from "./read-at.ts";

/** A file whose last bytes are not all zeros was written to its end. */
const tailBytes = 16;
const startOfImage = Buffer.from([0xff, 0xd8, 0xff]);
const chunkBytes = 64 << 10;
const startOfScan = 0xda;
const endOfImage = Buffer.from([0xff, 0xd9]);

/**
 * Whether a file is a JPEG that ends in zeros where its picture should, as one does that was given its size beforehand
 * and was not written to its end. The decoder takes zeros for pixels; but no end-of-image marker follows the first
 * scan, which every JPEG must have (ITU T.81, B.2.1). Zeros somewhere behind that marker are padding.
 *
 * @throws the file system's own error
 */
export async function isUnwritten(path: string): Promise<boolean> {
  const file = await open(path);
  try {
    const { size } = await file.stat();
    const tail = await readAt(file, Math.max(0, size - tailBytes), tailBytes);
    if (tail.some((byte) => byte !== 0)) return false;
    if (!(await readAt(file, 0, startOfImage.length)).equals(startOfImage)) return false;
    return !(await includes(file, endOfImage, await firstScan(file)));
  } finally {
    await file.close();
  }
}

/** Where the first scan begins, behind the segments that can hold thumbnails with end markers of their own. */
async function firstScan(file: FileHandle): Promise<number> {
  for (let at = 2; ; ) {
    const segment = await readAt(file, at, 4);
    const [first, marker] = segment;
    if (segment.length < 4 || first !== 0xff || marker === startOfScan) return at;
    // Any number of 0xFF may precede a marker.
    at += marker === 0xff ? 1 : 2 + segment.readUInt16BE(2);
  }
}

async function includes(file: FileHandle, marker: Buffer, from: number): Promise<boolean> {
  for (let at = from; ; at += chunkBytes) {
    // One byte more, for a marker across two chunks.
    const chunk = await readAt(file, at, chunkBytes + 1);
    if (chunk.includes(marker)) return true;
    if (chunk.length <= chunkBytes) return false;
  }
}
