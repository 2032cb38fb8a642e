import { createHash } from "node:crypto";
import * as fs from "node:fs";
import { promisify } from "node:util";
import { exitCodes, StoreError } from "../errors.ts";
import { writeFully } from "../lib/files.ts";
import { codingOf, isOpenEnded, labelOf, type Sink, typeOf, unpackFile } from "./body.ts";
import { AttemptError } from "./failure.ts";
import { fileNameOf } from "./file-name.ts";
import { headerOf } from "./headers.ts";
import type { ClientLimits } from "./limits.ts";
import type { Head } from "./transfer.ts";
import { type Validators, validatorsOf } from "./validators.ts";

/** A finished download: the file lies complete and synced at the path that was given. */
export interface Downloaded {
  bytes: number;
  sha256: string;
  /** Content-Type without parameters, lower case; undefined where the answer had none. */
  type: string | undefined;
  /** As the answer calls the file; undefined where it does not. */
  name: string | undefined;
  /** Whether a whole file looks like one that was cut short, unless its size is known. */
  openEnded: boolean;
  /** Undefined where the origin gave none. */
  validators: Validators | undefined;
}

interface SaveOptions extends Omit<ClientLimits, "maxDownloadBytes"> {
  maxBytes: number;
  /** Of the file, where somebody knows; an answer of so many is the file itself, whatever it says of a compression. */
  knownBytes: number | undefined;
  /** Milliseconds that all of `downloadMs` has left. */
  leftMs: number;
  /** What to make of a validator before it is looked at: one that changes is not kept. */
  clean: (text: string) => string;
  stop: (reason: AttemptError) => void;
}

/** Of a file that comes compressed although nobody asked for that: a few bytes must not become a full disk. */
const maxUnpackedBytes = 256 << 20;
/** After so many more bytes of a file, there is another look at the disk. */
const roomStep = 64 << 20;
/** RFC 1952, 2.3.1. */
const gzipStart = Buffer.from([0x1f, 0x8b]);
const sync = promisify(fs.fsync);

/**
 * Writes a body into a new file and makes it durable. Each piece is written before the next one is read from the
 * connection, so that memory holds one of them.
 *
 * @throws AttemptError, as its methods do, when the body is too large or damaged; `stop` gets one when it is too slow
 * @throws StoreError, as its methods do, when the disk takes no more
 */
export function fileSink(head: Head, path: string, options: SaveOptions): Sink<Downloaded> {
  const { maxBytes, knownBytes, minFreeBytes, clean } = options;
  const label = labelOf(head);
  if (!knownBytes) codingOf(label, head);
  let most = maxBytes;
  const tooLarge = (limit: number): AttemptError =>
    new AttemptError(`file is above ${limit} bytes`, { status: head.status, final: true });
  if (Number(headerOf(head.headers, "content-length") ?? 0) > maxBytes) throw tooLarge(maxBytes);
  const handle = onDisk(path, () => fs.openSync(path, "w"));
  let hash = createHash("sha256");
  let start = Buffer.alloc(0);
  let bytes = 0;
  let isOpen = true;
  const stopWatching = watchPace(() => bytes, options);

  function close(): void {
    stopWatching();
    if (isOpen) fs.closeSync(handle);
    isOpen = false;
  }

  function count(piece: Buffer): void {
    bytes += piece.length;
    if (bytes > most) throw tooLarge(most);
    hash.update(piece);
  }

  return {
    take(piece) {
      count(piece);
      if (start.length < 2) start = Buffer.concat([start, piece.subarray(0, 2)]);
      onDisk(path, () => {
        if (bytes % roomStep < piece.length) requireRoom(path, minFreeBytes);
        writeFully(handle, piece);
      });
    },
    async finish() {
      stopWatching();
      try {
        const coding = bytes === knownBytes ? undefined : codingOf(label, head);
        // What does not begin like gzip is none: only its label is wrong.
        if (coding === "br" || (coding === "gzip" && start.indexOf(gzipStart) === 0)) {
          close();
          most = Math.min(maxBytes, maxUnpackedBytes);
          hash = createHash("sha256");
          bytes = 0;
          await unpackFile(path, coding, count);
        } else await sync(handle);
      } catch (error) {
        throw localFailure(path, error);
      }
      close();
      return {
        bytes,
        sha256: hash.digest("hex"),
        type: typeOf(head),
        name: fileNameOf(head.headers, clean),
        openEnded: isOpenEnded(head),
        validators: validatorsOf(head.headers, clean),
      };
    },
    abandon() {
      close();
      fs.rmSync(path, { force: true });
    },
  };
}

/** Stops a transfer that is too slow. By timers, because a drip would never let a check run that waits for data. */
function watchPace(received: () => number, options: SaveOptions): () => void {
  const { minBytesPerSecond, slowAfterMs, paceBytesPerSecond, paceAfterMs } = options;
  const { leftMs, downloadMs, stop } = options;
  const begun = performance.now();
  let seen = 0;
  const watch = setInterval(() => {
    const bytes = received();
    const seconds = (performance.now() - begun) / 1000;
    const isLate = seconds * 1000 > paceAfterMs && bytes < paceBytesPerSecond * seconds;
    if (isLate || bytes - seen < (minBytesPerSecond * slowAfterMs) / 1000) {
      const pace = isLate ? paceBytesPerSecond : minBytesPerSecond;
      stop(new AttemptError(`download is slower than ${pace} bytes per second`, { final: isLate }));
    }
    seen = bytes;
  }, slowAfterMs);
  const deadline = setTimeout(() => {
    // Another attempt would have no time at all.
    stop(new AttemptError(`download takes more than ${downloadMs / 1000} s`, { final: true }));
  }, leftMs);
  return () => {
    clearInterval(watch);
    clearTimeout(deadline);
  };
}

/** @throws AttemptError where a file would leave too little room on the disk */
function requireRoom(path: string, leftBytes: number): void {
  const { bavail, bsize } = fs.statfsSync(path);
  if (bavail * bsize >= leftBytes) return;
  throw new AttemptError("the disk has too little room for so large a file", { final: true });
}

function onDisk<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw localFailure(path, error);
  }
}

/** The error of a file as one of the disk; any other one as it is. */
function localFailure(path: string, error: unknown): unknown {
  if (!(error instanceof Error) || !("syscall" in error)) return error;
  const code = (error as NodeJS.ErrnoException).code ?? "unknown error";
  return new StoreError(`${path} cannot be written: ${code}`, {
    cause: error,
    exitCode: exitCodes.disk,
  });
}
