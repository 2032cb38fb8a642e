import {
  closeSync,
  existsSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
} from "node:fs";
import { join } from "node:path";
import { StoreError } from "../errors.ts";
import { readText, syncFolder, writeDurably, writeFully } from "../lib/files.ts";

/** Where one line stands. */
interface Place {
  segment: number;
  offset: number;
  /** Bytes, without the line's end. */
  length: number;
}

/**
 * Append-only NDJSON in segments, with a key for each line; the last line with a key counts. Lines are found
 * through an index beside the segments, which is made anew from them where it is missing or behind.
 */
export interface SegmentLog {
  readonly size: number;
  has(key: string): boolean;
  keys(): IterableIterator<string>;
  /** The line of a key, without its end. */
  read(key: string): string | undefined;
  /** Appends a line, which must hold no line break. It is durable after `sync`. */
  append(key: string, line: string): void;
  /** Makes all appended lines durable, then their index entries. */
  sync(): void;
  close(): void;
}

export interface SegmentLogOptions {
  /** Finds the key of a line when the index is rebuilt. */
  keyOf: (line: string) => string;
  /** Bytes after which the next line starts a new segment. */
  segmentBytes?: number;
}

const bufferBytes = 1 << 20;
const scanBytes = 4 << 20;

/**
 * Opens or creates a log in its own folder. A line that a crash cut short is removed from the end.
 *
 * @throws StoreError when a segment that the index names is missing or shorter than it says
 */
export function openSegmentLog(folder: string, options: SegmentLogOptions): SegmentLog {
  const segmentBytes = options.segmentBytes ?? 64 << 20;
  mkdirSync(folder, { recursive: true });
  const places = new Map<string, Place>();
  const handles: number[] = [];
  const sizes: number[] = [];
  const indexPath = join(folder, "index.ndjson");
  let pending: Buffer[] = [];
  let pendingBytes = 0;
  let pendingStart = 0;
  let indexLines: string[] = [];
  let dirty = false;

  for (const name of readdirSync(folder).sort()) {
    if (!/^\d{6}\.ndjson$/.test(name)) continue;
    const handle = openSync(join(folder, name), "r+");
    handles.push(handle);
    sizes.push(fstatSync(handle).size);
  }
  const indexed = loadIndex();
  const rebuilt = catchUp(indexed);
  if (rebuilt || !existsSync(indexPath)) rewriteIndex();
  let indexHandle = openSync(indexPath, "a");

  /** Reads the index; returns the end of what it covers, per segment. */
  function loadIndex(): number[] {
    const covered = sizes.map(() => 0);
    const text = readText(indexPath) ?? "";
    for (let start = 0; start < text.length; ) {
      const end = text.indexOf("\n", start);
      if (end === -1) break;
      const entry = parseEntry(text.slice(start, end));
      start = end + 1;
      if (entry === undefined) break;
      const [key, place] = entry;
      const lineEnd = place.offset + place.length + 1;
      if (lineEnd > (sizes[place.segment] ?? 0)) {
        throw new StoreError(
          `${folder}: segment ${place.segment + 1} is shorter than its index says`,
          {
            hint: "restore the store from a copy, or delete index.ndjson there to keep what is left",
          },
        );
      }
      places.set(key, place);
      covered[place.segment] = Math.max(covered[place.segment] ?? 0, lineEnd);
    }
    return covered;
  }

  /** Indexes lines behind the index's end and cuts a torn last line; true where there was anything to do. */
  function catchUp(covered: number[]): boolean {
    let changed = false;
    for (const [segment, size] of sizes.entries()) {
      let offset = covered[segment] ?? 0;
      if (offset === size) continue;
      changed = true;
      const handle = handles[segment] as number;
      let carry = Buffer.alloc(0);
      let position = offset;
      while (position < size) {
        const chunk = Buffer.alloc(Math.min(scanBytes, size - position));
        const read = readSync(handle, chunk, 0, chunk.length, position);
        if (read === 0) break;
        position += read;
        carry = Buffer.concat([carry, chunk.subarray(0, read)]);
        let start = 0;
        for (let end = carry.indexOf(10); end !== -1; end = carry.indexOf(10, start)) {
          const key = keyOfLine(carry.toString("utf8", start, end));
          if (key !== undefined) places.set(key, { segment, offset, length: end - start });
          offset += end - start + 1;
          start = end + 1;
        }
        carry = carry.subarray(start);
      }
      if (offset < size) {
        ftruncateSync(handle, offset);
        sizes[segment] = offset;
      }
    }
    return changed;
  }

  function keyOfLine(line: string): string | undefined {
    try {
      return options.keyOf(line);
    } catch {
      return undefined;
    }
  }

  function rewriteIndex(): void {
    let text = "";
    for (const [key, place] of places) text += entryLine(key, place);
    writeDurably(indexPath, text);
  }

  function current(): number {
    const last = handles.length - 1;
    if (last >= 0 && (sizes[last] as number) < segmentBytes) return last;
    flush();
    if (dirty) fsyncSync(handles[last] as number);
    const name = `${String(handles.length + 1).padStart(6, "0")}.ndjson`;
    handles.push(openSync(join(folder, name), "wx+"));
    sizes.push(0);
    pendingStart = 0;
    syncFolder(folder);
    return handles.length - 1;
  }

  function flush(): void {
    if (pendingBytes === 0) return;
    writeFully(handles.at(-1) as number, Buffer.concat(pending));
    pending = [];
    pendingBytes = 0;
    dirty = true;
  }

  function readPlace(place: Place): string {
    const inPending = place.segment === handles.length - 1 && place.offset >= pendingStart;
    if (inPending && pendingBytes > 0) flush();
    const bytes = Buffer.allocUnsafe(place.length);
    const read = readSync(handles[place.segment] as number, bytes, 0, place.length, place.offset);
    if (read !== place.length)
      throw new StoreError(`${folder}: segment ${place.segment + 1} ends too early`);
    return bytes.toString("utf8");
  }

  // Appends go through the handle's own position, which starts behind what is there.
  const last = handles.length - 1;
  if (last >= 0) {
    closeSync(handles[last] as number);
    handles[last] = openSync(join(folder, `${String(last + 1).padStart(6, "0")}.ndjson`), "a+");
    pendingStart = sizes[last] as number;
  }

  return {
    get size() {
      return places.size;
    },
    has: (key) => places.has(key),
    keys: () => places.keys(),
    read(key) {
      const place = places.get(key);
      return place === undefined ? undefined : readPlace(place);
    },
    append(key, line) {
      const segment = current();
      const bytes = Buffer.from(`${line}\n`);
      const place = { segment, offset: sizes[segment] as number, length: bytes.length - 1 };
      if (pendingBytes === 0) pendingStart = place.offset;
      pending.push(bytes);
      pendingBytes += bytes.length;
      sizes[segment] = place.offset + bytes.length;
      places.set(key, place);
      indexLines.push(entryLine(key, place));
      if (pendingBytes >= bufferBytes) flush();
    },
    sync() {
      flush();
      if (dirty) fsyncSync(handles.at(-1) as number);
      dirty = false;
      if (indexLines.length > 0) writeFully(indexHandle, Buffer.from(indexLines.join("")));
      indexLines = [];
    },
    close() {
      this.sync();
      for (const handle of handles) closeSync(handle);
      closeSync(indexHandle);
      indexHandle = -1;
    },
  };
}

function entryLine(key: string, place: Place): string {
  return `${JSON.stringify([key, place.segment, place.offset, place.length])}\n`;
}

function parseEntry(line: string): [string, Place] | undefined {
  try {
    const [key, segment, offset, length] = JSON.parse(line) as [string, number, number, number];
    return [key, { segment, offset, length }];
  } catch {
    return undefined;
  }
}
