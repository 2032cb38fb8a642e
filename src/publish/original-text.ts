import { open } from "node:fs/promises";
import { pipeline } from "node:stream";
import { createGunzip } from "node:zlib";
import { isErrno } from "../lib/files.ts";
import type { LeakGuard } from "./leaks.ts";

/** Enough to tell a text. */
const headBytes = 4096;
const pieceBytes = 1 << 20;
/** What two pieces share: longer than any secret, however it is spelled. */
const shared = 64 << 10;
/** Of a compressed text, what is behind this is not read. */
const maxUnpacked = 256 << 20;

/**
 * What a file would give away, if it is a text: in UTF-8, UTF-16 or another encoding that has ASCII in it, maybe in a
 * gzip; of a PDF, what is not compressed. Reads it piece by piece. Undefined where it is missing, too.
 */
export async function secretInFile(
  path: string,
  { secretIn }: Pick<LeakGuard, "secretIn">,
  signal?: AbortSignal,
): Promise<string | undefined> {
  let before = "";
  for await (const piece of textOf(path)) {
    signal?.throwIfAborted();
    const text = before + piece;
    const secret = secretIn(text);
    if (secret !== undefined) return secret;
    before = text.slice(lastWord(text));
  }
  return undefined;
}

async function* textOf(path: string): AsyncGenerator<string> {
  const file = await open(path).catch((error: unknown) => {
    if (!isErrno(error, "ENOENT")) throw error;
  });
  if (file === undefined) return;
  const { buffer } = await file.read(Buffer.alloc(2), 0, 2, 0);
  const isPacked = buffer.equals(Buffer.from([0x1f, 0x8b]));
  const stored = file.createReadStream({ start: 0, highWaterMark: pieceBytes });
  const unpack = () => pipeline(stored, createGunzip({ chunkSize: pieceBytes }), () => {});
  let bytes = 0;
  try {
    for await (const piece of isPacked ? unpack() : stored) {
      if (bytes === 0 && !isText(piece.subarray(0, headBytes))) return;
      // In UTF-16 and UTF-32, ASCII has zeros between its bytes.
      yield piece.toString("latin1").replaceAll("\0", "");
      bytes += piece.length;
      if (isPacked && bytes > maxUnpacked) return;
    }
  } catch (error) {
    // A gzip that is broken ends where it breaks.
    if (!isPacked) throw error;
  }
}

/** By its mark, or because few of its bytes are control characters. */
function isText(head: Buffer): boolean {
  const start = head.toString("latin1", 0, 5);
  if (/^(?:\xff\xfe|\xfe\xff|\0\0\xfe\xff|%PDF-)/.test(start)) return true;
  const bytes = head.filter((byte) => byte !== 0);
  const controls = bytes.filter((byte) => byte < 0x20 && !(byte >= 9 && byte <= 13));
  return controls.length * 20 <= bytes.length && bytes.length * 5 >= head.length;
}

/** Where the end that two pieces share begins: between words, so that no URL loses its host. */
function lastWord(text: string): number {
  const latest = Math.max(0, text.length - shared);
  for (let at = latest; at > 0 && at > latest - shared; at--) {
    if (" \n\r\t\"'<>`".includes(text[at] as string)) return at;
  }
  return latest;
}
