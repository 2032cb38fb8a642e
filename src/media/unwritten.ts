import { readFile } from "node:fs/promises";
import { readEnds } from "./inspect.ts";

/** A file whose last bytes are not all zeros was written to its end. */
const tailBytes = 16;
const startOfImage = Buffer.from([0xff, 0xd8, 0xff]);
const startOfScan = 0xda;
const endOfImage = Buffer.from([0xff, 0xd9]);

/**
 * Whether a file is a JPEG whose picture breaks off into zeros: a file that was given its size in advance and not
 * written to its end. The decoder takes the zeros for pixels, but every JPEG has an end-of-image marker behind its
 * first scan (ITU T.81, B.2.1). Zeros behind that marker are padding.
 */
export async function isUnwritten(path: string): Promise<boolean> {
  const { tail } = (await readEnds(path)).ends;
  if (tail.subarray(-tailBytes).some((byte) => byte !== 0)) return false;
  const bytes = await readFile(path);
  if (!bytes.subarray(0, startOfImage.length).equals(startOfImage)) return false;
  return !bytes.includes(endOfImage, firstScan(bytes));
}

/** Where the first scan begins, behind the segments that can hold thumbnails with end markers of their own. */
function firstScan(bytes: Buffer): number {
  let at = 2;
  while (at + 4 <= bytes.length && bytes[at] === 0xff && bytes[at + 1] !== startOfScan) {
    // Any number of 0xFF may precede a marker.
    at += bytes[at + 1] === 0xff ? 1 : 2 + bytes.readUInt16BE(at + 2);
  }
  return at;
}
