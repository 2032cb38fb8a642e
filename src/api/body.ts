import { createReadStream, createWriteStream, renameSync, rmSync } from "node:fs";
import { pipeline } from "node:stream/promises";
import { promisify } from "node:util";
import { brotliDecompress, createBrotliDecompress, createGunzip, gunzip } from "node:zlib";
import { isErrno } from "../lib/files.ts";
import { AttemptError } from "./failure.ts";
import { headerOf } from "./headers.ts";
import type { Head } from "./transfer.ts";

/** Where the body of an answer goes, piece by piece as it arrives. */
export interface Sink<T> {
  /** Takes the next piece; throws where no more is wanted. */
  take(piece: Buffer): void;
  /** What became of the body, after its last piece. */
  finish(): Promise<T>;
  /** Undoes everything: the transfer, `take` or `finish` failed. */
  abandon?(): void;
}

const unpackers = { gzip: promisify(gunzip), br: promisify(brotliDecompress) };
type Coding = keyof typeof unpackers;
/** What an answer says of its compression: one that is undone here, or one that is not. */
export type Label = Coding | "other" | undefined;
const labels: Record<string, Label> = { gzip: "gzip", "x-gzip": "gzip", br: "br" };
/** The other codings that IANA has registered, and an older name of one. */
for (const coding of "compress x-compress deflate zstd exi aes128gcm dcb dcz".split(" ")) {
  labels[coding] = "other";
}

/** The compression, which undici leaves on. As browsers do, this passes over words that are no coding. */
export function labelOf({ headers }: Head): Label {
  const words = headerOf(headers, "content-encoding")?.toLowerCase().split(",") ?? [];
  const found = words.flatMap((word) =>
    Object.hasOwn(labels, word.trim()) ? [labels[word.trim()]] : [],
  );
  return found.length > 1 ? "other" : found[0];
}

/** @throws AttemptError where a label names a compression that is not undone here */
export function codingOf(label: Label, { status }: Head): Coding | undefined {
  if (label !== "other") return label;
  throw new AttemptError("answer has an unknown content encoding", { status, final: true });
}

/** A compressed body as it was before. @param tooLong thrown where it has more than `most` bytes */
export function unpack(body: Buffer, coding: Coding, most: number, tooLong: AttemptError) {
  return unpackers[coding](body, { maxOutputLength: most }).catch((error: unknown) => {
    throw isErrno(error, "ERR_BUFFER_TOO_LARGE") ? tooLong : error;
  });
}

/** Unpacks a file in place. @param look is shown each piece before it is written; what it throws ends the work */
export async function unpackFile(path: string, coding: Coding, look: (piece: Buffer) => void) {
  const unpacked = `${path}.unpacked`;
  try {
    await pipeline(
      createReadStream(path),
      coding === "br" ? createBrotliDecompress() : createGunzip(),
      async function* (pieces: AsyncIterable<Buffer>) {
        for await (const piece of pieces) {
          look(piece);
          yield piece;
        }
      },
      createWriteStream(unpacked, { flush: true }),
    );
    renameSync(unpacked, path);
  } finally {
    rmSync(unpacked, { force: true });
  }
}

/** Whether only the end of the connection ends a body. It also comes where an answer is cut short. */
export function isOpenEnded({ headers }: Head): boolean {
  const ends = [headerOf(headers, "transfer-encoding"), headerOf(headers, "content-length")];
  return ends.every((end) => end === undefined);
}

/** Content-Type without parameters, lower case; undefined where the answer has none that is well-formed. */
export function typeOf({ headers }: Head): string | undefined {
  const type = headerOf(headers, "content-type")?.split(";")[0]?.trim().toLowerCase();
  return type !== undefined && /^[\w.+-]+\/[\w.+-]+$/.test(type) ? type : undefined;
}

/** Whether a content type is a page's or a message's, as it can come in the place of a file. */
export function isPage({ type }: { type: string | undefined }): boolean {
  return type === "text/html" || type === "application/json" || type === "application/xhtml+xml";
}
