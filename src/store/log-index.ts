import { join } from "node:path";
import { crc32 } from "node:zlib";
import type { Disk } from "../lib/disk.ts";
import { isErrno, writeFully } from "../lib/files.ts";
import type { Place } from "./log-lines.ts";

/** Where the index of a log lies. */
export function indexPath(folder: string): string {
  return join(folder, "index.bin");
}

/** Four words of the key, segment + 1 (or its negative for a damaged line), offset, length, CRC-32. */
export const entryBytes = 32;

/** An entry of the index. */
export interface IndexEntry extends Place {
  /** The packed key; undefined for a line that was found damaged. */
  key: Uint32Array | undefined;
}

/** The index of a log, which tells in order where its lines stand. It need not be durable: it can be made again. */
export interface Index {
  /**
   * Reads all entries, up to the first one that is damaged; what stands behind is cut off, because its lines are
   * read from the segments once more. `key` is only valid during the call.
   */
  load(each: (entry: IndexEntry) => void): void;
  /** `key`: undefined for a damaged line. */
  add(place: Place, key: Uint32Array | undefined): void;
  /** Appends what was added. */
  write(): void;
  close(): void;
}

/** Opens or creates an index; for reading only it need not exist. */
export function openIndex(path: string, readOnly: boolean, disk: Disk): Index {
  const handle = openFile(path, readOnly, disk);
  let end = 0;
  let added = Buffer.alloc(entryBytes << 8);
  let addedBytes = 0;
  return {
    load(each) {
      if (handle === undefined) return;
      end = loadEntries(disk, handle, each);
      if (!readOnly && disk.bytesOf(handle) > end) disk.cut(handle, end);
    },
    add(place, key) {
      if (readOnly) return;
      if (addedBytes === added.length) added = Buffer.concat([added, Buffer.alloc(added.length)]);
      putEntry(added.subarray(addedBytes, addedBytes + entryBytes), place, key);
      addedBytes += entryBytes;
    },
    write() {
      if (handle === undefined || addedBytes === 0) return;
      writeFully(handle, added.subarray(0, addedBytes), end, disk);
      end += addedBytes;
      addedBytes = 0;
    },
    close() {
      if (handle !== undefined) disk.close(handle);
    },
  };
}

/** Writes an entry into its 32 bytes. */
export function putEntry(into: Buffer, place: Place, key: Uint32Array | undefined): void {
  for (let word = 0; word < 4; word++) into.writeUInt32LE(key?.[word] ?? 0, word * 4);
  into.writeInt32LE(key === undefined ? -place.segment - 1 : place.segment + 1, 16);
  into.writeUInt32LE(place.offset, 20);
  into.writeUInt32LE(place.length, 24);
  into.writeUInt32LE(crc32(into.subarray(0, 28)), 28);
}

/** What an entry's 32 bytes say; undefined where they are damaged. */
export function entryOf(bytes: Buffer, key = new Uint32Array(4)): IndexEntry | undefined {
  if (crc32(bytes.subarray(0, 28)) !== bytes.readUInt32LE(28)) return undefined;
  for (let word = 0; word < 4; word++) key[word] = bytes.readUInt32LE(word * 4);
  const segment = bytes.readInt32LE(16);
  return {
    segment: Math.abs(segment) - 1,
    offset: bytes.readUInt32LE(20),
    length: bytes.readUInt32LE(24),
    key: segment < 0 ? undefined : key,
  };
}

const chunkBytes = entryBytes << 12;

/** Reads entries up to the first damaged one; returns where that starts. */
function loadEntries(disk: Disk, handle: number, each: (entry: IndexEntry) => void): number {
  const chunk = Buffer.allocUnsafe(Math.min(chunkBytes, disk.bytesOf(handle) + entryBytes));
  const key = new Uint32Array(4);
  for (let end = 0; ; ) {
    const read = disk.read(handle, chunk, 0, chunk.length, end);
    for (let start = 0; start + entryBytes <= read; start += entryBytes) {
      const entry = entryOf(chunk.subarray(start, start + entryBytes), key);
      if (entry === undefined) return end;
      each(entry);
      end += entryBytes;
    }
    if (read < chunk.length) return end;
  }
}

function openFile(path: string, readOnly: boolean, disk: Disk): number | undefined {
  try {
    return disk.open(path, readOnly ? "r" : "r+");
  } catch (error) {
    if (!isErrno(error, "ENOENT")) throw error;
    return readOnly ? undefined : disk.open(path, "wx+");
  }
}
