import {
  closeSync,
  fdatasyncSync,
  fstatSync,
  ftruncateSync,
  openSync,
  readdirSync,
  readSync,
} from "node:fs";
import { join } from "node:path";
import { crc32 } from "node:zlib";
import { StoreError } from "../errors.ts";
import { isErrno, makeFolder, syncFolder, writeFully } from "../lib/files.ts";
import { createTable, packKey } from "./table.ts";

/** Where one line stands. */
interface Place {
  segment: number;
  offset: number;
  /** Bytes, without the line's end. */
  length: number;
}

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
  /** Appends a value as JSON text without line breaks. */
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
}

const bufferBytes = 1 << 20;
const scanBytes = 4 << 20;
const lineStart = '{"sum":"00000000",';
const sumStart = 8;
const valueMark = ',"value":';
const newline = 0x0a;

/**
 * Opens or creates a log in its own folder. A line that a crash cut short is removed from the end; lines that
 * it left damaged before that are passed over.
 *
 * @throws StoreError when a segment that the index names is missing or shorter than it says
 */
export function openSegmentLog(folder: string, options: SegmentLogOptions = {}): SegmentLog {
  const { segmentBytes = 64 << 20, readOnly = false } = options;
  if (!readOnly) makeFolder(folder);
  const places = createTable(3);
  const segments = openSegments(folder, readOnly);
  const index = openIndex(join(folder, "index.bin"), readOnly);
  /** Lines that are not yet written, from `bufferStart` of the last segment on. */
  const buffer = Buffer.allocUnsafe(readOnly ? 0 : bufferBytes);
  let buffered = 0;
  let bufferStart = segments.at(-1)?.size ?? 0;
  let dirty = false;
  let failed = false;

  const covered = segments.map(() => 0);
  index.load(({ segment, offset, length }, key) => {
    const end = offset + length + 1;
    if (end > (segments[segment]?.size ?? 0)) {
      throw new StoreError(`${folder}: segment ${segment + 1} is shorter than its index says`, {
        hint: "restore the store from a copy, or delete index.bin there to keep what is left",
      });
    }
    covered[segment] = Math.max(covered[segment] as number, end);
    if (key !== undefined) places.setPacked(key, segment, offset, length);
  });
  for (const [segment, { handle, size }] of segments.entries()) {
    const end = scanLines(handle, covered[segment] as number, size, (line, offset) => {
      const key = keyOfLine(line);
      remember(key, { segment, offset, length: line.length });
      // Whoever wrote it may not have come to make it durable, which must precede its index entry.
      dirty = true;
    });
    if (end === size || readOnly) continue;
    ftruncateSync(handle, end);
    (segments[segment] as Segment).size = end;
  }
  bufferStart = segments.at(-1)?.size ?? 0;

  /** A line without a key is damaged; the index covers it, so that it is looked at once only. */
  function remember(key: string | undefined, place: Place): void {
    const packed = key === undefined ? undefined : packKey(key);
    if (packed !== undefined) places.setPacked(packed, place.segment, place.offset, place.length);
    index.add(place, packed);
  }

  /** Number of the segment that takes the next line. */
  function current(): number {
    const last = segments.at(-1);
    if (last !== undefined && last.size < segmentBytes) return segments.length - 1;
    flush();
    if (dirty) fdatasyncSync((last as Segment).handle);
    dirty = false;
    const handle = openSync(join(folder, segmentName(segments.length)), "wx+");
    segments.push({ handle, size: 0 });
    bufferStart = 0;
    syncFolder(folder);
    return segments.length - 1;
  }

  function write(bytes: Uint8Array, position: number): void {
    try {
      writeFully((segments.at(-1) as Segment).handle, bytes, position);
    } catch (error) {
      failed = true;
      throw error;
    }
    dirty = true;
  }

  function flush(): void {
    if (buffered === 0) return;
    write(buffer.subarray(0, buffered), bufferStart);
    bufferStart += buffered;
    buffered = 0;
  }

  function lineAt({ segment, offset, length }: Place): Buffer {
    const isBuffered = segment === segments.length - 1 && offset >= bufferStart && buffered > 0;
    if (isBuffered) {
      const start = offset - bufferStart;
      return buffer.subarray(start, start + length);
    }
    const bytes = Buffer.allocUnsafe(length);
    const read = readSync((segments[segment] as Segment).handle, bytes, 0, length, offset);
    if (read === length) return bytes;
    throw new StoreError(`${folder}: segment ${segment + 1} ends too early`);
  }

  function sync(): void {
    flush();
    if (dirty) fdatasyncSync((segments.at(-1) as Segment).handle);
    dirty = false;
    index.write();
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
          hint: "restore the store from a copy, or delete index.bin there and crawl again",
        });
      }
      return line.toString("utf8", line.indexOf(valueMark) + valueMark.length, length - 1);
    },
    append(key, value) {
      const segment = current();
      const text = `${lineStart}"key":${JSON.stringify(key)}${valueMark}${value}}\n`;
      // No character needs more than three bytes in UTF-8 per UTF-16 unit.
      const most = text.length * 3;
      if (most > bufferBytes - buffered) flush();
      const place = { segment, offset: bufferStart + buffered, length: 0 };
      if (most > bufferBytes) {
        const line = Buffer.from(text);
        sealLine(line);
        write(line, bufferStart);
        bufferStart += line.length;
        place.length = line.length - 1;
      } else {
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
        if (!readOnly && !failed) sync();
      } finally {
        for (const { handle } of segments) closeSync(handle);
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

function segmentName(number: number): string {
  return `${String(number + 1).padStart(6, "0")}.ndjson`;
}

function openSegments(folder: string, readOnly: boolean): Segment[] {
  const names = entriesOf(folder).filter((name) => /^\d{6,}\.ndjson$/.test(name));
  return Array.from(names, (_, number) => {
    const name = segmentName(number);
    if (!names.includes(name)) {
      throw new StoreError(`${folder}: ${name} is missing`, {
        hint: "restore the store from a copy",
      });
    }
    const handle = openSync(join(folder, name), readOnly ? "r" : "r+");
    return { handle, size: fstatSync(handle).size };
  });
}

function entriesOf(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (isErrno(error, "ENOENT")) return [];
    throw error;
  }
}

/** Writes the sum of a line, its end included, into the place that is left for it. */
function sealLine(line: Buffer): void {
  line.write(sumOf(line.subarray(0, -1)), sumStart, "latin1");
}

/** CRC-32 of a line, without its end, behind its own sum. */
function sumOf(line: Buffer): string {
  return crc32(line.subarray(lineStart.length)).toString(16).padStart(8, "0");
}

function isIntact(line: Buffer): boolean {
  if (line.length < lineStart.length) return false;
  return line.toString("latin1", sumStart, sumStart + 8) === sumOf(line);
}

/** Key of a line as it stands in a segment; undefined where the line is damaged. */
function keyOfLine(line: Buffer): string | undefined {
  if (!isIntact(line)) return undefined;
  // Inside the key a quote is escaped, so the first mark is the real one.
  const end = line.indexOf(valueMark);
  return JSON.parse(line.toString("utf8", lineStart.length + '"key":'.length, end)) as string;
}

/** Calls `each` with the complete lines between two offsets; returns the end of the last one. */
function scanLines(
  handle: number,
  from: number,
  to: number,
  each: (line: Buffer, offset: number) => void,
): number {
  let bytes = Buffer.alloc(Math.min(scanBytes, Math.max(to - from, 0)));
  let filled = 0;
  let offset = from;
  for (let position = from; position < to; ) {
    // A line longer than the buffer: make room for it.
    if (filled === bytes.length) bytes = Buffer.concat([bytes, Buffer.alloc(bytes.length)]);
    const wanted = Math.min(bytes.length - filled, to - position);
    const read = readSync(handle, bytes, filled, wanted, position);
    if (read === 0) break;
    position += read;
    filled += read;
    let start = 0;
    for (let end = bytes.indexOf(newline); end !== -1 && end < filled; ) {
      each(bytes.subarray(start, end), offset);
      offset += end - start + 1;
      start = end + 1;
      end = bytes.indexOf(newline, start);
    }
    bytes.copyWithin(0, start, filled);
    filled -= start;
    // What lies behind is left over from before, and holds line ends.
    bytes.fill(0, filled);
  }
  return offset;
}

interface Index {
  /** Reads all entries; damaged lines have none. Ends before the first entry that is damaged itself. */
  load(each: (place: Place, key: Uint32Array | undefined) => void): void;
  add(place: Place, key: Uint32Array | undefined): void;
  /** Appends what was added. It need not be durable, because it can be made again. */
  write(): void;
  close(): void;
}

/** Four words of the key, segment + 1 (or its negative for a damaged line), offset, length, CRC-32. */
const entryBytes = 32;

function openIndex(path: string, readOnly: boolean): Index {
  const handle = openIndexFile(path, readOnly);
  let end = 0;
  let added = Buffer.alloc(entryBytes << 8);
  let addedBytes = 0;
  return {
    load(each) {
      if (handle === undefined) return;
      // What stands behind a torn entry is written over: its lines are read from the segments once more.
      end = readEntries(handle, each);
    },
    add({ segment, offset, length }, key) {
      if (readOnly) return;
      if (addedBytes === added.length) added = Buffer.concat([added, Buffer.alloc(added.length)]);
      const entry = added.subarray(addedBytes, addedBytes + entryBytes);
      addedBytes += entryBytes;
      for (let word = 0; word < 4; word++) entry.writeUInt32LE(key?.[word] ?? 0, word * 4);
      entry.writeInt32LE(key === undefined ? -segment - 1 : segment + 1, 16);
      entry.writeUInt32LE(offset, 20);
      entry.writeUInt32LE(length, 24);
      entry.writeUInt32LE(crc32(entry.subarray(0, 28)), 28);
    },
    write() {
      if (handle === undefined || addedBytes === 0) return;
      writeFully(handle, added.subarray(0, addedBytes), end);
      end += addedBytes;
      addedBytes = 0;
    },
    close() {
      if (handle !== undefined) closeSync(handle);
    },
  };
}

/** Reads entries up to the first damaged one; returns where that starts. */
function readEntries(handle: number, each: Parameters<Index["load"]>[0]): number {
  const chunk = Buffer.alloc(entryBytes << 12);
  const key = new Uint32Array(4);
  for (let end = 0; ; ) {
    const read = readSync(handle, chunk, 0, chunk.length, end);
    for (let start = 0; start + entryBytes <= read; start += entryBytes) {
      const entry = chunk.subarray(start, start + entryBytes);
      if (crc32(entry.subarray(0, 28)) !== entry.readUInt32LE(28)) return end;
      for (let word = 0; word < 4; word++) key[word] = entry.readUInt32LE(word * 4);
      const segment = entry.readInt32LE(16);
      const place = {
        segment: Math.abs(segment) - 1,
        offset: entry.readUInt32LE(20),
        length: entry.readUInt32LE(24),
      };
      each(place, segment < 0 ? undefined : key);
      end += entryBytes;
    }
    if (read < chunk.length) return end;
  }
}

function openIndexFile(path: string, readOnly: boolean): number | undefined {
  try {
    return openSync(path, readOnly ? "r" : "r+");
  } catch (error) {
    if (!isErrno(error, "ENOENT")) throw error;
    return readOnly ? undefined : openSync(path, "wx+");
  }
}
