import { StoreError } from "../errors.ts";
import { type Disk, nodeDisk } from "../lib/disk.ts";
import { settleFolder, syncFolder, writeFully } from "../lib/files.ts";
import {
  isIntact,
  keyOfLine,
  lineOf,
  type Place,
  scanLines,
  segmentNumbers,
  segmentPath,
  valueOfLine,
  wasNeverWritten,
} from "./log-lines.ts";

/**
 * Append-only values with keys, the last one of a key counts. They lie in NDJSON segments, a line each:
 * `{"sum":"1a2b3c4d","key":"…","value":…}`, where `sum` is the CRC-32 of what follows it. Opening reads all of them.
 */
export interface SegmentLog {
  /** Keys with a value. */
  readonly size: number;
  /** Bytes of all lines: another number means that something was appended. */
  readonly bytes: number;
  has(key: string): boolean;
  /** The value of a key as JSON text. @throws StoreError when its line was damaged since the log was opened */
  read(key: string): string | undefined;
  /**
   * Appends a value as JSON text without line breaks.
   *
   * @throws the file system's own error, as `flush` and `sync` do; after one they throw it again at every call,
   * because nobody knows what of the rest would reach the disk
   */
  append(key: string, value: string): void;
  /** Hands what was appended to the operating system: it survives this process, not a power cut. */
  flush(): void;
  /** Makes what was appended durable. */
  sync(): void;
  close(): void;
}

export interface SegmentLogOptions {
  /** Bytes after which the next line starts a new segment. */
  segmentBytes?: number;
  /** Changes nothing on disk, not even a torn end: for reading beside a run that writes. */
  readOnly?: boolean;
  disk?: Disk;
}

const maxPendingBytes = 1 << 20;

/**
 * Opens or creates a log in its own folder. A line that a crash cut short is removed from the end; lines with bytes
 * that never reached the disk are passed over.
 *
 * @throws StoreError when a segment is missing, or another line damaged
 */
export function openSegmentLog(folder: string, options: SegmentLogOptions = {}): SegmentLog {
  const { readOnly = false, disk = nodeDisk } = options;
  if (!readOnly) settleFolder(folder, disk);
  return new OpenLog(folder, options);
}

interface Segment {
  handle: number;
  /** Bytes, those that are pending included. */
  size: number;
}

class OpenLog implements SegmentLog {
  readonly #folder: string;
  readonly #disk: Disk;
  readonly #readOnly: boolean;
  readonly #segmentBytes: number;
  readonly #places = new Map<string, Place>();
  readonly #segments: Segment[];
  /** Lines at the end of the last segment that are not yet written. */
  #pending: Buffer[] = [];
  #pendingBytes = 0;
  /** Bytes of the last segment that are durable. */
  #durable = 0;
  #dirty: boolean;
  #failure: { error: unknown } | undefined;

  constructor(folder: string, options: SegmentLogOptions) {
    const { segmentBytes = 64 << 20, readOnly = false, disk = nodeDisk } = options;
    this.#folder = folder;
    this.#disk = disk;
    this.#readOnly = readOnly;
    this.#segmentBytes = segmentBytes;
    this.#segments = segmentNumbers(disk, folder).map((number) => {
      const handle = disk.open(segmentPath(folder, number), readOnly ? "r" : "r+");
      return { handle, size: disk.bytesOf(handle) };
    });
    for (const [segment, state] of this.#segments.entries()) this.#readSegment(segment, state);
    // The run that wrote the last lines may not have made them durable.
    this.#dirty = !readOnly && this.#segments.length > 0;
    this.#durable = this.#segments.at(-1)?.size ?? 0;
    this.#makeDurable();
  }

  get size(): number {
    return this.#places.size;
  }

  get bytes(): number {
    return this.#segments.reduce((sum, segment) => sum + segment.size, 0);
  }

  has(key: string): boolean {
    return this.#places.has(key);
  }

  read(key: string): string | undefined {
    const place = this.#places.get(key);
    if (place === undefined) return undefined;
    const { segment, offset, length } = place;
    const { handle, size } = this.#segments[segment] as Segment;
    const isLast = segment === this.#segments.length - 1;
    if (isLast && offset >= size - this.#pendingBytes) this.flush();
    const line = Buffer.allocUnsafe(length);
    const read = this.#disk.read(handle, line, 0, length, offset);
    if (read === length && isIntact(line)) return valueOfLine(line);
    this.#refuseAfterFailure();
    throw this.#damaged(segment, offset);
  }

  append(key: string, value: string): void {
    this.#refuseAfterFailure();
    const number = this.#current();
    const segment = this.#segments[number] as Segment;
    const line = lineOf(key, value);
    this.#places.set(key, { segment: number, offset: segment.size, length: line.length - 1 });
    this.#pending.push(line);
    this.#pendingBytes += line.length;
    segment.size += line.length;
    if (this.#pendingBytes > maxPendingBytes) this.flush();
  }

  flush(): void {
    this.#refuseAfterFailure();
    if (this.#pendingBytes === 0) return;
    const { handle, size } = this.#segments.at(-1) as Segment;
    const bytes = Buffer.concat(this.#pending, this.#pendingBytes);
    this.#attempt(() => writeFully(handle, bytes, size - bytes.length, this.#disk));
    this.#pending = [];
    this.#pendingBytes = 0;
    this.#dirty = true;
  }

  sync(): void {
    this.flush();
    this.#makeDurable();
  }

  close(): void {
    try {
      // What could not be written once was reported then.
      if (!this.#readOnly && this.#failure === undefined) this.sync();
    } finally {
      for (const { handle } of this.#segments) this.#disk.close(handle);
    }
  }

  /** Finds the lines of a segment, and cuts off a torn end. */
  #readSegment(segment: number, state: Segment): void {
    const end = scanLines(this.#disk, state.handle, state.size, (line, offset) => {
      const key = keyOfLine(line);
      if (key !== undefined) this.#places.set(key, { segment, offset, length: line.length });
      else if (!wasNeverWritten(line)) throw this.#damaged(segment, offset);
    });
    if (end === state.size || this.#readOnly) return;
    this.#disk.cut(state.handle, end);
    state.size = end;
  }

  #damaged(segment: number, offset: number): StoreError {
    const place = `segment ${segment + 1} is damaged at byte ${offset}`;
    return new StoreError(`${this.#folder}: ${place}`, {
      hint: 'run "stillpress repair" to have it again',
    });
  }

  #refuseAfterFailure(): void {
    if (this.#failure !== undefined) throw this.#failure.error;
  }

  /** Does what changes the disk, unless that has failed once. */
  #attempt(change: () => void): void {
    this.#refuseAfterFailure();
    try {
      change();
    } catch (error) {
      this.#failure = { error };
      throw error;
    }
  }

  /** Number of the segment that takes the next line. */
  #current(): number {
    const segments = this.#segments;
    const last = segments.at(-1);
    if (last !== undefined && last.size < this.#segmentBytes) return segments.length - 1;
    this.sync();
    this.#attempt(() => {
      const handle = this.#disk.open(segmentPath(this.#folder, segments.length), "wx+");
      segments.push({ handle, size: 0 });
      this.#durable = 0;
      syncFolder(this.#folder, this.#disk);
    });
    return segments.length - 1;
  }

  #makeDurable(): void {
    if (!this.#dirty) return;
    const { handle, size } = this.#segments.at(-1) as Segment;
    this.#attempt(() => {
      try {
        this.#disk.syncData(handle);
      } catch (error) {
        this.#forget(handle);
        throw error;
      }
    });
    this.#dirty = false;
    this.#durable = size;
  }

  /**
   * Cuts off what could not be made durable. The operating system takes it for written after the failure, so
   * that the next sync would succeed without it, and the next run believe in it until a power cut.
   */
  #forget(handle: number): void {
    try {
      this.#disk.cut(handle, this.#durable);
    } catch {
      // The failure before this one is the one to tell.
    }
  }
}
