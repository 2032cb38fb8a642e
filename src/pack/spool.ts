import { nodeDisk } from "../lib/disk.ts";
import { removeQuietly, writeFully } from "../lib/files.ts";

/** What is written at once. */
const batchBytes = 1 << 18;

/** Text or bytes in a temporary file until they are needed: a million lines would take much memory. */
export class Spool {
  readonly #path: string;
  readonly #handle: number;
  #waiting: Buffer[] = [];
  #waitingBytes = 0;
  #written = 0;

  /** @param path of a file that must not exist. @throws the error of node:fs */
  constructor(path: string) {
    this.#path = path;
    this.#handle = nodeDisk.open(path, "wx+");
  }

  get bytes(): number {
    return this.#written + this.#waitingBytes;
  }

  write(piece: string | Uint8Array): void {
    const bytes = Buffer.from(piece);
    this.#waiting.push(bytes);
    this.#waitingBytes += bytes.length;
    if (this.#waitingBytes >= batchBytes) this.#flush();
  }

  /** What was written, or a part of it, in pieces that are valid until the next one. */
  *pieces(from = 0, to = this.bytes): Generator<Buffer> {
    this.#flush();
    const buffer = Buffer.allocUnsafe(Math.min(batchBytes, to - from));
    for (let at = from; at < to; ) {
      const length = nodeDisk.read(this.#handle, buffer, 0, Math.min(buffer.length, to - at), at);
      if (length === 0) throw new Error(`${this.#path} was cut short by another program`);
      yield buffer.subarray(0, length);
      at += length;
    }
  }

  close(): void {
    nodeDisk.close(this.#handle);
    removeQuietly(this.#path);
  }

  #flush(): void {
    if (this.#waitingBytes === 0) return;
    writeFully(this.#handle, Buffer.concat(this.#waiting), this.#written);
    this.#written += this.#waitingBytes;
    this.#waiting = [];
    this.#waitingBytes = 0;
  }
}
