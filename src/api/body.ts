import { promisify } from "node:util";
import { brotliDecompress, gunzip } from "node:zlib";
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
  abandon(): void;
}

const unpackers = { gzip: promisify(gunzip), br: promisify(brotliDecompress) };
type Coding = keyof typeof unpackers;

/** The compression, which undici leaves on; undefined where there is none. @throws AttemptError */
export function codingOf({ status, headers }: Head): Coding | undefined {
  const coding = headerOf(headers, "content-encoding")?.trim().toLowerCase() ?? "";
  if (coding === "" || coding === "identity") return undefined;
  if (coding === "gzip" || coding === "x-gzip") return "gzip";
  if (coding === "br") return "br";
  throw new AttemptError("answer has an unknown content encoding", { status, final: true });
}

/** A compressed body as it was before. @param tooLong thrown where it has more than `most` bytes */
export async function unpack(body: Buffer, coding: Coding, most: number, tooLong: AttemptError) {
  try {
    return await unpackers[coding](body, { maxOutputLength: most });
  } catch (error) {
    throw isErrno(error, "ERR_BUFFER_TOO_LARGE") ? tooLong : error;
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

/** That a body is above its limit, which another attempt would not change. */
export function tooLarge(what: string, { status }: Head, maxBytes: number): AttemptError {
  return new AttemptError(`${what} is above ${maxBytes} bytes`, { status, final: true });
}
