import { StoreError } from "../errors.ts";
import { type Disk, nodeDisk } from "../lib/disk.ts";
import { settleFolder, syncFolder, writeFully } from "../lib/files.ts";
import { type Index, indexPath, openIndex } from "./log-index.ts";
import {
  isIntact,
  keyOfLine,
  lineOf,
  type Place,
  scanLines,
  sealLine,
  segmentNumbers,
  segmentPath,
  valueOfLine,
} from "./log-lines.ts";
import { createTable, packKey } from "./table.ts";

/**
 * Append-only values with keys, the last one of a key counts. They lie in NDJSON segments, a line each:
 * `{"sum":"1a2b3c4d","key":"…","value":…}`, where `sum` is the CRC-32 of what follows it. An index beside them
 * tells where each line stands; what it lacks is read from the segments.
 */
export interface SegmentLog {
  /** Keys with a value. */
  readonly size: number;
  /** Bytes of all lines: another number means that something was appended. */
  readonly bytes: number;
  has(key: string): boolean;
  /** The value of a key as JSON text. @throws StoreError when its line is damaged */
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
  /** Makes what was appended durable, and then its index entries. */
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

const maxBufferBytes = 1 << 20;

/**
 * Opens or creates a log in its own folder. A line that a crash cut short is removed from the end; lines that
 * it left damaged before that are passed over.
 *
 * @throws StoreError when a segment that the index names is missing or shorter than it says
 */
export function openSegmentLog(folder: string, options: SegmentLogOptions = {}): SegmentLog {
  const { readOnly = false, disk = nodeDisk } = options;
  if (!readOnly) settleFolder(folder, disk);
  return new OpenLog(folder, options);
}

class OpenLog implements SegmentLog {
  readonly #folder: string;
  readonly #disk: Disk;
  readonly #readOnly: boolean;
  readonly #segmentBytes: number;
  /** The index on disk holds such keys. They are digests, or names with a slash or a space in them. */
  readonly #places = createTable(3, packKey);
  readonly #segments: Segment[];
  readonly #index: Index;
  /** Lines that are not yet written, from `bufferStart` of the last segment on; made with the first of them. */
  #buffer = Buffer.alloc(0);
  readonly #bufferBytes: number;
  #buffered = 0;
  #bufferStart: number;
  /** Bytes of the last segment that are durable. */
  #durable: number;
  #dirty = false;
  #failure: { error: unknown } | undefined;

  constructor(folder: string, options: SegmentLogOptions) {
    const { segmentBytes = 64 << 20, readOnly = false, disk = nodeDisk } = options;
    this.#folder = folder;
    this.#disk = disk;
    this.#readOnly = readOnly;
    this.#segmentBytes = segmentBytes;
    this.#bufferBytes = Math.min(maxBufferBytes, segmentBytes);
    this.#segments = openSegments(folder, readOnly, disk);
    this.#index = openIndex(indexPath(folder), readOnly, disk);
    this.#readTails(this.#loadIndex());
    this.#bufferStart = this.#segments.at(-1)?.size ?? 0;
    this.#durable = this.#bufferStart;
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
    const found = this.#places.get(key);
    if (found === undefined) return undefined;
    const [segment = 0, offset = 0, length = 0] = found;
    const line = this.#lineAt({ segment, offset, length });
    if (isIntact(line)) return valueOfLine(line);
    throw new StoreError(`${this.#folder}: segment ${segment + 1} is damaged at byte ${offset}`, {
      hint: 'run "stillpress repair" to have it again',
    });
  }

  append(key: string, value: string): void {
    this.#refuseAfterFailure();
    const segment = this.#current();
    const text = lineOf(key, value);
    // No character needs more than three bytes in UTF-8 per UTF-16 unit.
    const most = text.length * 3;
    if (most > this.#bufferBytes - this.#buffered) this.flush();
    const offset = this.#bufferStart + this.#buffered;
    const bytes = most > this.#bufferBytes ? this.#writeLine(text) : this.#bufferLine(text);
    (this.#segments[segment] as Segment).size = offset + bytes;
    this.#remember(key, { segment, offset, length: bytes - 1 });
  }

  flush(): void {
    this.#refuseAfterFailure();
    if (this.#buffered === 0) return;
    this.#write(this.#buffer.subarray(0, this.#buffered));
    this.#buffered = 0;
  }

  sync(): void {
    this.flush();
    this.#makeDurable();
    this.#attempt(() => this.#index.write());
  }

  close(): void {
    try {
      // What could not be written once was reported then.
      if (!this.#readOnly && this.#failure === undefined) this.sync();
    } finally {
      for (const { handle } of this.#segments) this.#disk.close(handle);
      this.#index.close();
    }
  }

  /** Returns how far the index covers each segment. @throws StoreError where a segment ends before that */
  #loadIndex(): number[] {
    const covered = this.#segments.map(() => 0);
    this.#index.load(({ segment, offset, length, key }) => {
      const end = offset + length + 1;
      if (end > (this.#segments[segment]?.size ?? 0)) {
        const reason = `segment ${segment + 1} is shorter than its index says`;
        throw new StoreError(`${this.#folder}: ${reason}`, {
          hint: 'run "stillpress repair" to keep what is left',
        });
      }
      covered[segment] = Math.max(covered[segment] as number, end);
      if (key !== undefined) this.#places.setPacked(key, segment, offset, length);
    });
    return covered;
  }

  /** Reads what lies behind the last entry of the index, and cuts off a torn end. */
  #readTails(covered: readonly number[]): void {
    for (const [segment, { handle, size }] of this.#segments.entries()) {
      const from = covered[segment] as number;
      const end = scanLines(this.#disk, handle, from, size, (line, offset) => {
        this.#remember(keyOfLine(line), { segment, offset, length: line.length });
        // The run that wrote it may not have made it durable, which must precede its index entry.
        this.#dirty = !this.#readOnly;
      });
      if (end === size || this.#readOnly) continue;
      this.#disk.cut(handle, end);
      (this.#segments[segment] as Segment).size = end;
    }
  }

  /** A line without a key is damaged; the index covers it, so that it is looked at once only. */
  #remember(key: string | undefined, place: Place): void {
    const { segment, offset, length } = place;
    const packed = key === undefined ? undefined : packKey(key);
    if (packed !== undefined) this.#places.setPacked(packed, segment, offset, length);
    this.#index.add(place, packed);
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
    this.flush();
    this.#makeDurable();
    this.#attempt(() => {
      const handle = this.#disk.open(segmentPath(this.#folder, segments.length), "wx+");
      segments.push({ handle, size: 0 });
      this.#bufferStart = 0;
      this.#durable = 0;
      syncFolder(this.#folder, this.#disk);
    });
    return segments.length - 1;
  }

  /** Writes a line that is larger than the buffer; returns its bytes. */
  #writeLine(text: string): number {
    const line = Buffer.from(text);
    sealLine(line);
    this.#write(line);
    return line.length;
  }

  /** Returns the bytes of the line. */
  #bufferLine(text: string): number {
    if (this.#buffer.length === 0) this.#buffer = Buffer.allocUnsafe(this.#bufferBytes);
    const bytes = this.#buffer.write(text, this.#buffered);
    sealLine(this.#buffer.subarray(this.#buffered, this.#buffered + bytes));
    this.#buffered += bytes;
    return bytes;
  }

  #write(bytes: Uint8Array): void {
    const { handle } = this.#segments.at(-1) as Segment;
    this.#attempt(() => writeFully(handle, bytes, this.#bufferStart, this.#disk));
    this.#bufferStart += bytes.length;
    this.#dirty = true;
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

  #lineAt({ segment, offset, length }: Place): Buffer {
    const isLast = segment === this.#segments.length - 1;
    if (isLast && offset >= this.#bufferStart && this.#buffered > 0) {
      const start = offset - this.#bufferStart;
      return this.#buffer.subarray(start, start + length);
    }
    const bytes = Buffer.allocUnsafe(length);
    const { handle } = this.#segments[segment] as Segment;
    if (this.#disk.read(handle, bytes, 0, length, offset) === length) return bytes;
    this.#refuseAfterFailure();
    throw new StoreError(`${this.#folder}: segment ${segment + 1} ends too early`, {
      hint: 'run "stillpress repair" to have it again',
    });
  }
}

interface Segment {
  handle: number;
  /** Bytes, those still in the buffer included. */
  size: number;
}

function openSegments(folder: string, readOnly: boolean, disk: Disk): Segment[] {
  return segmentNumbers(disk, folder).map((number) => {
    const handle = disk.open(segmentPath(folder, number), readOnly ? "r" : "r+");
    return { handle, size: disk.bytesOf(handle) };
  });
}
