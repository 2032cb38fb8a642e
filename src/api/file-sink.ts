import { createHash } from "node:crypto";
import { closeSync, fsync, openSync, readFileSync, rmSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { promisify } from "node:util";
import { exitCodes, StoreError } from "../errors.ts";
import { writeFully } from "../lib/files.ts";
import { codingOf, isOpenEnded, type Sink, tooLarge, typeOf, unpack } from "./body.ts";
import { AttemptError } from "./failure.ts";
import { headerOf } from "./headers.ts";
import type { ClientLimits } from "./limits.ts";
import type { Head } from "./transfer.ts";
import { type Validators, validatorsOf } from "./validators.ts";

/** A finished download: the file lies complete and synced at the path that was given. */
export interface Downloaded {
  bytes: number;
  /** Of the content, hexadecimal. */
  sha256: string;
  /** Content-Type without parameters, lower case; undefined where the answer had none. */
  type: string | undefined;
  /** Whether a whole file looks like one that was cut short, unless its size is known. */
  openEnded: boolean;
  /** Undefined where the origin gave none. */
  validators: Validators | undefined;
}

interface SaveOptions
  extends Pick<ClientLimits, "minBytesPerSecond" | "slowAfterMs" | "downloadMs"> {
  maxBytes: number;
  /** Milliseconds that all of `downloadMs` has left. */
  leftMs: number;
  /** What to make of a validator before it is looked at: one that changes is not kept. */
  clean: (text: string) => string;
  stop: (reason: Error) => void;
}

/** A file that comes compressed although nobody asked for that is unpacked in memory. */
const maxUnpackedBytes = 256 << 20;
const sync = promisify(fsync);

/**
 * Writes a body into a new file and makes it durable. Each piece is written before the next one is read from the
 * connection, so that memory holds one of them.
 *
 * @throws AttemptError, as its methods do, when the body is too large or damaged; `stop` gets one when it is too slow
 * @throws StoreError, as its methods do, when the disk takes no more
 */
export function fileSink(head: Head, path: string, options: SaveOptions): Sink<Downloaded> {
  const { maxBytes, minBytesPerSecond, slowAfterMs, leftMs, downloadMs } = options;
  const { clean, stop } = options;
  const coding = codingOf(head);
  // What is packed is unpacked in memory.
  const most = coding === undefined ? maxBytes : Math.min(maxBytes, maxUnpackedBytes);
  if (Number(headerOf(head.headers, "content-length") ?? 0) > maxBytes) {
    throw tooLarge("file", head, maxBytes);
  }
  const handle = onDisk(path, () => openSync(path, "w"));
  const hash = createHash("sha256");
  let received = 0;

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

  return {
    take(piece) {
      received += piece.length;
      if (received > most) throw tooLarge("file", head, most);
      if (coding === undefined) hash.update(piece);
      onDisk(path, () => writeFully(handle, piece));
    },
    async finish() {
      stopWatching();
      let bytes = received;
      try {
        if (coding === undefined) await sync(handle);
        else {
          const packed = readFileSync(path);
          const content = await unpack(packed, coding, most, tooLarge("file", head, most));
          bytes = content.length;
          hash.update(content);
          await writeFile(path, content, { flush: true });
        }
      } catch (error) {
        throw localFailure(path, error);
      }
      closeSync(handle);
      return {
        bytes,
        sha256: hash.digest("hex"),
        type: typeOf(head),
        openEnded: isOpenEnded(head),
        validators: validatorsOf(head.headers, clean),
      };
    },
    abandon() {
      stopWatching();
      closeSync(handle);
      rmSync(path, { force: true });
    },
  };
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
