import type { FileHandle } from "node:fs/promises";
import { z } from "zod";
import { readAt, withHandle } from "../lib/files.ts";

/** What a video or a recording says of itself; nothing where its format, or the file, does not tell. */
export const MovieFacts = z.object({
  /** Of the frame as it is shown, in pixels. */
  width: z.int().positive().optional(),
  height: z.int().positive().optional(),
  seconds: z.number().positive().optional(),
});
export type MovieFacts = z.infer<typeof MovieFacts>;

/** Formats of ISO base media files (ISO/IEC 14496-12) and QuickTime. */
const boxed = /^(?:video|audio)\/(?:mp4|3gpp|quicktime|x-m4[av])$/;
const mostBoxes = 1_000;
const mostBytes = 32 << 20;

/** @throws the file system's own error */
export async function movieFacts(path: string, type: string): Promise<MovieFacts> {
  if (!boxed.test(type)) return {};
  return factsIn(await withHandle(path, "r", movieBox));
}

/** The box that describes all tracks, which stands before or behind them; empty where there is none. */
async function movieBox(file: FileHandle): Promise<Buffer> {
  let at = 0;
  for (let n = 0; n < mostBoxes; n++) {
    const head = await readAt(file, at, 16);
    if (head.length < 16) break;
    const isLong = head.readUInt32BE(0) === 1;
    const size = isLong ? Number(head.readBigUInt64BE(8)) : head.readUInt32BE(0);
    if (size < 8) break;
    const begin = isLong ? 16 : 8;
    if (head.toString("latin1", 4, 8) === "moov")
      return await readAt(file, at + begin, Math.min(mostBytes, size - begin));
    at += size;
  }
  return Buffer.alloc(0);
}

function* boxesIn(bytes: Buffer): Generator<[type: string, body: Buffer]> {
  for (let at = 0; at + 8 <= bytes.length; ) {
    const size = bytes.readUInt32BE(at);
    if (size < 8) return;
    yield [bytes.toString("latin1", at + 4, at + 8), bytes.subarray(at + 8, at + size)];
    at += size;
  }
}

function factsIn(movie: Buffer): MovieFacts {
  const facts: MovieFacts = {};
  for (const [type, body] of boxesIn(movie)) {
    if (type === "mvhd" && body.length >= 32) {
      const isLong = body[0] === 1;
      const unit = body.readUInt32BE(isLong ? 20 : 12);
      const length = isLong ? Number(body.readBigUInt64BE(24)) : body.readUInt32BE(16);
      // All bits are set where the writer did not know.
      const isKnown = unit > 0 && length > 0 && length < (isLong ? 2 ** 53 : 2 ** 32 - 1);
      if (isKnown) facts.seconds = length / unit;
    }
    const [, header] = type === "trak" ? ([...boxesIn(body)].find(isHeader) ?? []) : [];
    if (header !== undefined && facts.width === undefined) Object.assign(facts, frameOf(header));
  }
  return facts;
}

const isHeader = ([type]: [string, Buffer]): boolean => type === "tkhd";

/** The size of a track that is seen. Phones store an upright film on its side, with a matrix that turns it. */
function frameOf(header: Buffer): Pick<MovieFacts, "width" | "height"> {
  const matrix = header[0] === 1 ? 52 : 40;
  if (header.length < matrix + 44) return {};
  const [across, down] = [36, 40].map((at) => Math.round(header.readUInt32BE(matrix + at) / 65536));
  if (!across || !down) return {};
  const isTurned = header.readInt32BE(matrix) === 0 && header.readInt32BE(matrix + 16) === 0;
  return isTurned ? { width: down, height: across } : { width: across, height: down };
}
