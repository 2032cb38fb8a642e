import { dirname } from "node:path";
import { crc32 } from "node:zlib";
import { nodeDisk } from "../lib/disk.ts";
import { makeFolder, removeQuietly, syncFolder, writeFully } from "../lib/files.ts";
import { orUndefined } from "../lib/or-undefined.ts";
import { Spool } from "./spool.ts";
import { centralHeader, endOfDirectory, localHeader, type ZipEntry } from "./zip-format.ts";

/** A content in pieces that are valid until the next one. */
export type Pieces = Iterable<Uint8Array> | AsyncIterable<Uint8Array>;

/** A content up to this size is written with its header at once. */
const smallBytes = 4 << 20;
/** What is gathered before it is written. */
const batchBytes = 1 << 20;

/**
 * Writes a zip without compression, of any size and with any number of files (Zip64), in little memory. It gets its name
 * when it is whole and durable.
 */
export class ZipWriter {
  readonly #path: string;
  readonly #temporary: string;
  readonly #time: Date;
  readonly #handle: number;
  readonly #directory: Spool;
  #entries = 0;
  #batch = Buffer.allocUnsafe(batchBytes);
  #inBatch = 0;
  #written = 0;

  /** @param time of all its files. @throws the error of node:fs */
  constructor(path: string, time: Date) {
    this.#path = path;
    this.#time = time;
    this.#temporary = `${path}.${process.pid}.tmp`;
    makeFolder(dirname(path));
    for (const left of [this.#temporary, `${this.#temporary}.directory`]) removeQuietly(left);
    this.#handle = nodeDisk.open(this.#temporary, "wx+");
    this.#directory = new Spool(`${this.#temporary}.directory`);
  }

  /** Names for further temporary files, beside the zip. */
  temporaryPath(name: string): string {
    const path = `${this.#temporary}.${name}`;
    removeQuietly(path);
    return path;
  }

  get #position(): number {
    return this.#written + this.#inBatch;
  }

  async add(name: string, content: Pieces): Promise<void> {
    const entry: ZipEntry = { name, bytes: 0, crc: 0, offset: this.#position, isLong: false };
    const first: Buffer[] = [];
    const begin = (): void => {
      this.#write(localHeader(entry, this.#time));
      for (const piece of first.splice(0)) this.#write(piece);
    };
    for await (const piece of content) {
      entry.bytes += piece.length;
      entry.crc = crc32(piece, entry.crc);
      if (entry.isLong) this.#write(piece);
      else first.push(Buffer.from(piece));
      if (entry.isLong || entry.bytes <= smallBytes) continue;
      entry.isLong = true;
      begin();
    }
    if (entry.isLong) this.#correct(localHeader(entry, this.#time), entry.offset);
    else begin();
    this.#directory.write(centralHeader(entry, this.#time));
    this.#entries++;
  }

  /** Gives the zip its name; returns its size in bytes. */
  finish(): number {
    const offset = this.#position;
    for (const piece of this.#directory.pieces()) this.#write(piece);
    this.#write(endOfDirectory(this.#entries, this.#directory.bytes, offset));
    this.#flush();
    nodeDisk.sync(this.#handle);
    this.#close();
    nodeDisk.rename(this.#temporary, this.#path);
    syncFolder(dirname(this.#path));
    return this.#written;
  }

  abandon(): void {
    orUndefined(() => this.#close());
    removeQuietly(this.#temporary);
  }

  #close(): void {
    this.#directory.close();
    nodeDisk.close(this.#handle);
  }

  #write(piece: Uint8Array): void {
    if (this.#inBatch + piece.length > batchBytes) this.#flush();
    if (piece.length > batchBytes) {
      writeFully(this.#handle, piece, this.#written);
      this.#written += piece.length;
    } else {
      this.#batch.set(piece, this.#inBatch);
      this.#inBatch += piece.length;
    }
  }

  #flush(): void {
    writeFully(this.#handle, this.#batch.subarray(0, this.#inBatch), this.#written);
    this.#written += this.#inBatch;
    this.#inBatch = 0;
  }

  #correct(bytes: Buffer, at: number): void {
    this.#flush();
    writeFully(this.#handle, bytes, at);
  }
}

/** Writes a zip; a failure leaves none. @throws what `fill` throws, and the error of node:fs. Returns its size in bytes. */
export async function writeZip(
  path: string,
  time: Date,
  fill: (zip: ZipWriter) => Promise<void>,
): Promise<number> {
  const zip = new ZipWriter(path, time);
  try {
    await fill(zip);
    return zip.finish();
  } catch (error) {
    zip.abandon();
    throw error;
  }
}
