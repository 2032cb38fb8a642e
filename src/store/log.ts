import { StoreError } from "../errors.ts";
import { type Disk, nodeDisk } from "../lib/disk.ts";
import { settleFolder, syncFolder, writeFully } from "../lib/files.ts";
import { indexPath, openIndex } from "./log-index.ts";
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
  const { segmentBytes = 64 << 20, readOnly = false, disk = nodeDisk } = options;
  if (!readOnly) settleFolder(folder, disk);
  // The index on disk holds such keys. They are digests, or names with a slash or a space in them.
  const places = createTable(3, packKey);
  const segments = openSegments(folder, readOnly, disk);
  const index = openIndex(indexPath(folder), readOnly, disk);
  /** Lines that are not yet written, from `bufferStart` of the last segment on; made with the first of them. */
  let buffer = Buffer.alloc(0);
  const bufferBytes = Math.min(maxBufferBytes, segmentBytes);
  let buffered = 0;
  let bufferStart = 0;
  /** Bytes of the last segment that are durable. */
  let durable = 0;
  let dirty = false;
  let failure: { error: unknown } | undefined;

  const covered = segments.map(() => 0);
  index.load(({ segment, offset, length, key }) => {
    const end = offset + length + 1;
    if (end > (segments[segment]?.size ?? 0)) {
      throw new StoreError(`${folder}: segment ${segment + 1} is shorter than its index says`, {
        hint: 'run "stillpress repair" to keep what is left',
      });
    }
    covered[segment] = Math.max(covered[segment] as number, end);
    if (key !== undefined) places.setPacked(key, segment, offset, length);
  });
  for (const [segment, { handle, size }] of segments.entries()) {
    const end = scanLines(disk, handle, covered[segment] as number, size, (line, offset) => {
      const key = keyOfLine(line);
      remember(key, { segment, offset, length: line.length });
      // Whoever wrote it may not have come to make it durable, which must precede its index entry.
      dirty = !readOnly;
    });
    if (end === size || readOnly) continue;
    disk.cut(handle, end);
    (segments[segment] as Segment).size = end;
  }
  bufferStart = segments.at(-1)?.size ?? 0;
  durable = bufferStart;
  makeDurable();

  /** A line without a key is damaged; the index covers it, so that it is looked at once only. */
  function remember(key: string | undefined, place: Place): void {
    const packed = key === undefined ? undefined : packKey(key);
    if (packed !== undefined) places.setPacked(packed, place.segment, place.offset, place.length);
    index.add(place, packed);
  }

  function refuseAfterFailure(): void {
    if (failure !== undefined) throw failure.error;
  }

  /** Does what changes the disk, unless that has failed once. */
  function attempt(change: () => void): void {
    refuseAfterFailure();
    try {
      change();
    } catch (error) {
      failure = { error };
      throw error;
    }
  }

  /** Number of the segment that takes the next line. */
  function current(): number {
    const last = segments.at(-1);
    if (last !== undefined && last.size < segmentBytes) return segments.length - 1;
    flush();
    makeDurable();
    attempt(() => {
      const handle = disk.open(segmentPath(folder, segments.length), "wx+");
      segments.push({ handle, size: 0 });
      bufferStart = 0;
      durable = 0;
      syncFolder(folder, disk);
    });
    return segments.length - 1;
  }

  function write(bytes: Uint8Array): void {
    const { handle } = segments.at(-1) as Segment;
    attempt(() => writeFully(handle, bytes, bufferStart, disk));
    bufferStart += bytes.length;
    dirty = true;
  }

  function flush(): void {
    refuseAfterFailure();
    if (buffered === 0) return;
    write(buffer.subarray(0, buffered));
    buffered = 0;
  }

  function makeDurable(): void {
    if (!dirty) return;
    const { handle, size } = segments.at(-1) as Segment;
    attempt(() => {
      try {
        disk.syncData(handle);
      } catch (error) {
        forget(handle);
        throw error;
      }
    });
    dirty = false;
    durable = size;
  }

  /**
   * Cuts off what could not be made durable. The operating system takes it for written after the failure, so
   * that the next sync would succeed without it, and the next run believe in it until a power cut.
   */
  function forget(handle: number): void {
    try {
      disk.cut(handle, durable);
    } catch {
      // The failure before this one is the one to tell.
    }
  }

  function lineAt({ segment, offset, length }: Place): Buffer {
    const isBuffered = segment === segments.length - 1 && offset >= bufferStart && buffered > 0;
    if (isBuffered) {
      const start = offset - bufferStart;
      return buffer.subarray(start, start + length);
    }
    const bytes = Buffer.allocUnsafe(length);
    const read = disk.read((segments[segment] as Segment).handle, bytes, 0, length, offset);
    if (read === length) return bytes;
    refuseAfterFailure();
    throw new StoreError(`${folder}: segment ${segment + 1} ends too early`, {
      hint: 'run "stillpress repair" to have it again',
    });
  }

  function sync(): void {
    flush();
    makeDurable();
    attempt(() => index.write());
  }

  return {
    get size() {
      return places.size;
    },
    get bytes() {
      return segments.reduce((sum, segment) => sum + segment.size, 0);
    },
    has: (key) => places.has(key),
    read(key) {
      const found = places.get(key);
      if (found === undefined) return undefined;
      const [segment = 0, offset = 0, length = 0] = found;
      const line = lineAt({ segment, offset, length });
      if (!isIntact(line)) {
        throw new StoreError(`${folder}: segment ${segment + 1} is damaged at byte ${offset}`, {
          hint: 'run "stillpress repair" to have it again',
        });
      }
      return valueOfLine(line);
    },
    append(key, value) {
      refuseAfterFailure();
      const segment = current();
      const text = lineOf(key, value);
      // No character needs more than three bytes in UTF-8 per UTF-16 unit.
      const most = text.length * 3;
      if (most > bufferBytes - buffered) flush();
      const place = { segment, offset: bufferStart + buffered, length: 0 };
      if (most > bufferBytes) {
        const line = Buffer.from(text);
        sealLine(line);
        write(line);
        place.length = line.length - 1;
      } else {
        if (buffer.length === 0) buffer = Buffer.allocUnsafe(bufferBytes);
        const bytes = buffer.write(text, buffered);
        sealLine(buffer.subarray(buffered, buffered + bytes));
        buffered += bytes;
        place.length = bytes - 1;
      }
      (segments[segment] as Segment).size = place.offset + place.length + 1;
      remember(key, place);
    },
    flush,
    sync,
    close() {
      try {
        // What could not be written once was reported then.
        if (!readOnly && failure === undefined) sync();
      } finally {
        for (const { handle } of segments) disk.close(handle);
        index.close();
      }
    },
  };
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
