import { StoreError } from "../errors.ts";
import { type Disk, nodeDisk } from "../lib/disk.ts";
import { settleFolder, writeDurably, writeFully } from "../lib/files.ts";
import { orUndefined } from "../lib/or-undefined.ts";
import {
  isIntact,
  keyOfLine,
  lineOf,
  markLine,
  readSegment,
  segmentNumbers,
  segmentPath,
  valueOfLine,
} from "./log-lines.ts";
import { createReadAhead } from "./read-ahead.ts";

export interface SegmentLogOptions {
  /** Bytes after which the next line starts a new segment. */
  segmentBytes?: number;
  /** Changes nothing on disk: for reading beside a run that writes. */
  readOnly?: boolean;
  disk?: Disk;
}

/** Where one line stands; `length` in bytes, without the line's end. */
interface Place {
  segment: number;
  offset: number;
  length: number;
}

interface Segment {
  handle: number;
  /** Bytes. */
  size: number;
  /** End of the last mark; 0 where there is none. */
  markedTo: number;
}

/**
 * Append-only values with keys in a folder of their own; the last value of a key counts. They lie in NDJSON segments,
 * a line each: `{"sum":"1a2b3c4d","key":"…","value":…}`, where `sum` is the CRC-32 of what follows it. Marks between
 * them (see `markLine`) tell damage from what a power cut leaves.
 */
export class SegmentLog {
  readonly #folder: string;
  readonly #disk: Disk;
  readonly #readOnly: boolean;
  readonly #segmentBytes: number;
  readonly #bytesAt: ReturnType<typeof createReadAhead>;
  readonly #places = new Map<string, Place>();
  readonly #segments: Segment[];
  #lineBytes = 0;
  /** Bytes of the last segment that are durable. */
  #durable = 0;
  #dirty: boolean;
  #failure: { error: unknown } | undefined;

  /**
   * Opens or creates a log, and reads all of it. Of what was appended after the last sync, the first line that a power
   * cut has damaged is removed, with all that follows it.
   *
   * @throws StoreError when a segment is missing, or a line damaged that was durable
   */
  constructor(folder: string, options: SegmentLogOptions = {}) {
    const { segmentBytes = 64 << 20, readOnly = false, disk = nodeDisk } = options;
    if (!readOnly) settleFolder(folder, disk);
    this.#folder = folder;
    this.#disk = disk;
    this.#bytesAt = createReadAhead(disk);
    this.#readOnly = readOnly;
    this.#segmentBytes = segmentBytes;
    this.#segments = segmentNumbers(disk, folder).map((number, _, { length }) =>
      this.#openSegment(number, number === length - 1),
    );
    // The run that wrote the last lines may not have made them durable.
    this.#dirty = !readOnly;
    const { size = 0, markedTo = 0 } = this.#segments.at(-1) ?? {};
    // The last mark may not be durable, but all before it is.
    this.#durable = markedTo === 0 ? size : markedTo - markLine.length;
    this.sync();
  }

  /** Keys with a value. */
  get size(): number {
    return this.#places.size;
  }

  /** Bytes of all lines but the marks: another number means that something was appended. */
  get bytes(): number {
    return this.#lineBytes;
  }

  /** All keys with a value, in the order of their first values. */
  keys(): Iterable<string> {
    return this.#places.keys();
  }

  has(key: string): boolean {
    return this.#places.has(key);
  }

  /** The value of a key as JSON text. @throws StoreError when its line was damaged since the log was opened */
  read(key: string): string | undefined {
    const place = this.#places.get(key);
    if (place === undefined) return undefined;
    const { segment, offset, length } = place;
    const { handle } = this.#segments[segment] as Segment;
    const line = this.#bytesAt(handle, offset, length);
    if (line.length === length && isIntact(line)) return valueOfLine(line);
    this.#refuseAfterFailure();
    throw this.#damaged(segment, offset);
  }

  /**
   * Appends a value as JSON text without line breaks. It survives this process at once, and a power cut after `sync`.
   *
   * @throws the file system's own error, as `sync` does; after one, every call throws it again, because nobody knows
   * what else would reach the disk
   */
  append(key: string, value: string): void {
    const segment = this.#current();
    const line = lineOf(key, value);
    const place = { segment: this.#segments.length - 1, offset: segment.size };
    this.#write(segment, line);
    this.#places.set(key, { ...place, length: line.length - 1 });
    this.#lineBytes += line.length;
    this.#dirty = true;
  }

  /** Makes what was appended durable. */
  sync(): void {
    this.#refuseAfterFailure();
    const last = this.#segments.at(-1);
    if (!this.#dirty || last === undefined) return;
    const { markedTo, size } = last;
    this.#syncData(last);
    this.#dirty = false;
    if (markedTo < size) this.#mark(last);
    // Damage behind the first mark of a segment is told by that mark.
    if (markedTo === 0 && size > 0) this.#syncData(last);
  }

  close(): void {
    try {
      // A failure was told when it came.
      if (!this.#readOnly && this.#failure === undefined) this.sync();
    } finally {
      for (const { handle } of this.#segments) this.#disk.close(handle);
    }
  }

  /** Reads the lines of a segment, and cuts off what a power cut has damaged. */
  #openSegment(segment: number, isLast: boolean): Segment {
    const path = segmentPath(this.#folder, segment);
    const handle = this.#disk.open(path, this.#readOnly ? "r" : "r+");
    const found = readSegment(this.#disk, handle, isLast, (line, offset) => {
      this.#places.set(keyOfLine(line), { segment, offset, length: line.length });
      this.#lineBytes += line.length + 1;
    });
    const [damaged] = found.damage;
    if (damaged !== undefined) throw this.#damaged(segment, damaged);
    const { size, markedTo } = found;
    if (!this.#readOnly && size < this.#disk.bytesOf(handle)) this.#disk.cut(handle, size);
    return { handle, size, markedTo };
  }

  #damaged(segment: number, offset: number): StoreError {
    const message = `${this.#folder}: segment ${segment + 1} is damaged at byte ${offset}`;
    return new StoreError(message, { hint: 'run "stillpress repair" to have it again' });
  }

  #refuseAfterFailure(): void {
    if (this.#failure !== undefined) throw this.#failure.error;
  }

  /** Changes the disk, unless that has failed once. */
  #change<T>(change: () => T): T {
    this.#refuseAfterFailure();
    try {
      return change();
    } catch (error) {
      this.#failure = { error };
      throw error;
    }
  }

  /** The segment that takes the next line: it has a durable mark. */
  #current(): Segment {
    const last = this.#segments.at(-1);
    const isFull = last === undefined || last.size >= this.#segmentBytes;
    if (!isFull && last.markedTo > 0) return last;
    this.sync();
    // Its last mark, too: a power cut may damage the last segment of a log only.
    if (last !== undefined) this.#syncData(last);
    if (isFull) return this.#begin();
    this.#mark(last);
    this.#syncData(last);
    return last;
  }

  /** Begins a segment with a mark that is durable before its name is, so that no crash leaves one without. */
  #begin(): Segment {
    return this.#change(() => {
      const path = segmentPath(this.#folder, this.#segments.length);
      // This run was paused for so long that another one took its lock.
      if (this.#disk.stat(path) !== undefined)
        throw new StoreError(`${path}: another run began it`);
      writeDurably(path, markLine, this.#disk);
      const size = markLine.length;
      const segment = { handle: this.#disk.open(path, "r+"), size, markedTo: size };
      this.#segments.push(segment);
      this.#durable = size;
      return segment;
    });
  }

  /** Says that everything before is durable. The mark itself need not be. */
  #mark(segment: Segment): void {
    this.#write(segment, markLine);
    segment.markedTo = segment.size;
  }

  #write(segment: Segment, line: Buffer): void {
    this.#change(() => writeFully(segment.handle, line, segment.size, this.#disk));
    segment.size += line.length;
  }

  #syncData({ handle, size }: Segment): void {
    this.#change(() => {
      try {
        this.#disk.syncData(handle);
      } catch (error) {
        // The operating system takes it for written after the failure: the next sync would succeed without it, and the
        // next run would believe in it until a power cut.
        orUndefined(() => this.#disk.cut(handle, this.#durable));
        throw error;
      }
    });
    this.#durable = size;
  }
}
