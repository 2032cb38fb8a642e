import { closeSync, createReadStream, createWriteStream, fsync, openSync, rmSync } from "node:fs";
import { Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import { promisify } from "node:util";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";
import { exitCodes, StoreError } from "../errors.ts";
import { sha256Stream } from "../lib/digest.ts";
import { writeFully } from "../lib/files.ts";
import { codingOf, type Delimiter, delimiterOf, type Sink, tooLarge, typeOf } from "./body.ts";
import { AttemptError } from "./failure.ts";
import { headerOf } from "./headers.ts";
import type { Head } from "./transfer.ts";
import { type Validators, validatorsOf } from "./validators.ts";

/** A finished download: the file lies complete and synced at the path that was given. */
export interface Downloaded {
  bytes: number;
  /** Of the content, hexadecimal. */
  sha256: string;
  /** Content-Type without parameters, lower case; undefined where the answer had none. */
  type: string | undefined;
  /** By "close" nobody can tell a whole file from one that was cut short, unless its size is known. */
  delimited: Delimiter;
  /** To ask for it again only where it has changed; undefined where the origin gave none. */
  validators: Validators | undefined;
}

export interface SaveOptions {
  maxBytes: number;
  /** A file that stays below this on average of `slowAfterMs` is taken for a drip and given up. */
  minBytesPerSecond: number;
  slowAfterMs: number;
  /** Milliseconds that all of `downloadMs` has left. */
  leftMs: number;
  downloadMs: number;
  /** What to make of a validator before it is looked at: one that changes is not kept. */
  clean: (text: string) => string;
  /** Ends the transfer. */
  stop: (reason: Error) => void;
  /** Ends what follows the transfer. */
  signal: AbortSignal | undefined;
}

const decoders = { gzip: createGunzip, br: createBrotliDecompress, deflate: createInflate };
const sync = promisify(fsync);

/**
 * Writes a body into a new file and makes it durable.
 *
 * Each piece is written before the next one is read from the connection, so that memory holds one of them. A
 * compressed body, which nobody asked for, is kept as it is in a file beside it until its last piece is there,
 * because unpacking could not keep that pace.
 *
 * @throws AttemptError, as its methods do, when the body is too large or damaged; `stop` gets one when it is too slow
 * @throws StoreError, as its methods do, when the disk takes no more
 */
export function fileSink(head: Head, path: string, options: SaveOptions): Sink<Downloaded> {
  const { maxBytes, minBytesPerSecond, slowAfterMs, leftMs, downloadMs } = options;
  const { clean, stop, signal } = options;
  const coding = codingOf(head);
  if (Number(headerOf(head.headers, "content-length") ?? 0) > maxBytes) {
    throw tooLarge("file", head, maxBytes);
  }
  const arriving = coding === undefined ? path : `${path}.packed`;
  const handle = openNew(arriving);
  const hash = sha256Stream();
  let open = true;
  let received = 0;
  let bytes = 0;

  // A timer, because a drip would never let a check run that waits for data.
  let seen = 0;
  const watch = setInterval(() => {
    if (received - seen < (minBytesPerSecond * slowAfterMs) / 1000) {
      stop(new AttemptError(`download is slower than ${minBytesPerSecond} bytes per second`));
    }
    seen = received;
  }, slowAfterMs);

  const deadline = setTimeout(() => {
    // Another attempt would have no time at all.
    stop(new AttemptError(`download takes more than ${downloadMs / 1000} s`, { final: true }));
  }, leftMs);

  function stopWatching(): void {
    clearInterval(watch);
    clearTimeout(deadline);
  }

  function close(): void {
    stopWatching();
    if (open) closeSync(handle);
    open = false;
  }

  function measure(content: Buffer): void {
    bytes += content.length;
    if (bytes > maxBytes) throw tooLarge("file", head, maxBytes);
    hash.update(content);
  }

  return {
    take(piece) {
      received += piece.length;
      if (received > maxBytes) throw tooLarge("file", head, maxBytes);
      if (coding === undefined) measure(piece);
      try {
        writeFully(handle, piece);
      } catch (error) {
        throw localFailure(arriving, error);
      }
    },
    async finish() {
      stopWatching();
      try {
        if (coding === undefined) await sync(handle);
        else await unpack(arriving, path, decoders[coding](), measure, signal);
      } catch (error) {
        throw localFailure(path, error);
      }
      close();
      if (coding !== undefined) rmSync(arriving);
      return {
        bytes,
        sha256: hash.digest("hex"),
        type: typeOf(head),
        delimited: delimiterOf(head),
        validators: validatorsOf(head.headers, clean),
      };
    },
    abandon() {
      close();
      rmSync(arriving, { force: true });
      rmSync(path, { force: true });
    },
  };
}

/** @throws StoreError */
function openNew(path: string): number {
  try {
    return openSync(path, "w");
  } catch (error) {
    throw localFailure(path, error);
  }
}

/** Unpacks a file into another one, durably, and shows every piece of the content on its way. */
async function unpack(
  from: string,
  to: string,
  decoder: Transform,
  show: (content: Buffer) => void,
  signal: AbortSignal | undefined,
): Promise<void> {
  const through = new Transform({
    transform(content: Buffer, _, done) {
      try {
        show(content);
        done(null, content);
      } catch (error) {
        done(error as Error);
      }
    },
  });
  const file = createWriteStream(to, { flush: true });
  await pipeline(createReadStream(from), decoder, through, file, { signal });
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
