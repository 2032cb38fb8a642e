import { type Disk, nodeDisk } from "../lib/disk.ts";
import { settleFolder, writeDurably } from "../lib/files.ts";
import { entryBytes, entryOf, type IndexEntry, indexPath, putEntry } from "./log-index.ts";
import { foundSegments, keyOfLine, type Place, scanLines, segmentPath } from "./log-lines.ts";
import { packKey } from "./table.ts";

/** A place in a log's files that is not as it was written. */
export interface LogDamage {
  path: string;
  /** Bytes from the start of the file. */
  offset: number;
  reason: string;
}

/**
 * Reads a whole log, to which nobody writes meanwhile, and names everything in its segments and its index that
 * is not as it was written: each single flipped bit shows, in lines that were replaced since as well.
 *
 * What a crash leaves is no damage, because the next opening deals with it: lines at the end that the index does
 * not name yet, an end that was cut short, and damaged lines that the index names as such.
 *
 * @throws the file system's own error
 */
export function checkLog(folder: string, disk = nodeDisk): LogDamage[] {
  return survey(folder, disk, () => {}).damage;
}

/**
 * Makes the index of a log anew from its segments. What was in damaged lines is absent from then on; a segment
 * that is missing is taken for an empty one. Returns how many lines were lost.
 *
 * @throws the file system's own error
 */
export function repairLog(folder: string, disk = nodeDisk): number {
  const entries: Buffer[] = [];
  const { missing, lost } = survey(folder, disk, (line) => {
    const entry = Buffer.alloc(entryBytes);
    putEntry(entry, line, line.key);
    entries.push(entry);
  });
  settleFolder(folder, disk);
  for (const path of missing) writeDurably(path, "", disk);
  writeDurably(indexPath(folder), Buffer.concat(entries), disk);
  return lost;
}

interface Survey {
  damage: LogDamage[];
  /** Paths of segments that are not there. */
  missing: string[];
  /** Lines that were readable once and are no more. */
  lost: number;
}

/** Goes through lines and index entries side by side, both in the order in which they were appended. */
function survey(folder: string, disk: Disk, each: (line: IndexEntry) => void): Survey {
  const path = indexPath(folder);
  const index = readIndex(path, disk);
  const damage = index.damage;
  const hasGaps = damage.length > 0;
  let next = 0;
  let lost = 0;
  /** The last entry that was looked at. */
  let named: Place = { segment: 0, offset: 0, length: -1 };

  function lose({ segment, offset }: Place): void {
    lost++;
    damage.push({ path: segmentPath(folder, segment), offset, reason: "a damaged line" });
  }

  function contradict(reason: string): void {
    damage.push({ path, offset: index.startOf(next), reason });
  }

  /** Passes the entries before a place, of lines that do not begin there any more; all without one. */
  function passBefore(place?: Place): IndexEntry | undefined {
    for (; next < index.count; next++) {
      const entry = index.at(next);
      if (place !== undefined && !isBefore(entry, place)) return entry;
      named = entry;
      if (entry.key !== undefined) lose(entry);
      else contradict("names a damaged line where none begins");
    }
    return undefined;
  }

  const highest = index.count === 0 ? -1 : index.at(index.count - 1).segment;
  const missing = eachLine(folder, disk, highest, (line) => {
    each(line);
    const entry = passBefore(line);
    // A line that a false line end has cut in two is lost once.
    const isRest = line.segment === named.segment && line.offset <= named.offset + named.length;
    if (entry !== undefined && !isBefore(line, entry)) {
      if (line.key === undefined && entry.key !== undefined) lose(line);
      else if (!isSame(line, entry)) contradict("does not say what the segment holds");
      named = entry;
      next++;
    } else if (line.key === undefined) {
      if (isRest) return;
      if (entry === undefined) lost++;
      else lose(line);
    } else if (entry !== undefined && !hasGaps) contradict("lacks a line before this entry");
  });
  passBefore();
  for (const gone of missing) damage.push({ path: gone, offset: 0, reason: "is missing" });
  return { damage, missing, lost };
}

/** Calls `each` with all complete lines; returns the paths of the segments that are missing. */
function eachLine(
  folder: string,
  disk: Disk,
  highest: number,
  each: (line: IndexEntry) => void,
): string[] {
  const found = foundSegments(disk, folder);
  const missing: string[] = [];
  for (let segment = 0; segment <= Math.max(highest, found.at(-1) ?? -1); segment++) {
    const path = segmentPath(folder, segment);
    if (!found.includes(segment)) {
      missing.push(path);
      continue;
    }
    const handle = disk.open(path, "r");
    try {
      scanLines(disk, handle, 0, disk.bytesOf(handle), (line, offset) => {
        const key = keyOfLine(line);
        const packed = key === undefined ? undefined : packKey(key);
        each({ segment, offset, length: line.length, key: packed });
      });
    } finally {
      disk.close(handle);
    }
  }
  return missing;
}

interface IndexFile {
  /** Entries that are intact and in order. */
  count: number;
  /** One of them, with a key that is valid until the next call. */
  at(number: number): IndexEntry;
  /** Where one of them starts in the file, in bytes. */
  startOf(number: number): number;
  damage: LogDamage[];
}

function readIndex(path: string, disk: Disk): IndexFile {
  const bytes = disk.stat(path) === undefined ? Buffer.alloc(0) : disk.readFile(path);
  const damage: LogDamage[] = [];
  const starts: number[] = [];
  const key = new Uint32Array(4);
  const entryAt = (start: number): IndexEntry | undefined =>
    entryOf(bytes.subarray(start, start + entryBytes), key);
  let before: Place | undefined;
  for (let offset = 0; offset < bytes.length; offset += entryBytes) {
    const entry = offset + entryBytes <= bytes.length ? entryAt(offset) : undefined;
    if (entry === undefined) damage.push({ path, offset, reason: "a damaged entry" });
    else if (before !== undefined && !isBefore(before, entry)) {
      damage.push({ path, offset, reason: "an entry out of order" });
    } else {
      starts.push(offset);
      before = entry;
    }
  }
  const startOf = (number: number): number => starts[number] ?? bytes.length;
  return {
    count: starts.length,
    at: (number) => entryAt(startOf(number)) as IndexEntry,
    startOf,
    damage,
  };
}

function isBefore(one: Place, other: Place): boolean {
  return (
    one.segment < other.segment || (one.segment === other.segment && one.offset < other.offset)
  );
}

function isSame(one: IndexEntry, other: IndexEntry): boolean {
  if (one.length !== other.length) return false;
  if (one.key === undefined || other.key === undefined) return one.key === other.key;
  return one.key.every((word, at) => word === other.key?.[at]);
}
