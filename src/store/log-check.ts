import { type Disk, nodeDisk } from "../lib/disk.ts";
import { settleFolder, writeDurably } from "../lib/files.ts";
import { foundSegments, isIntact, scanLines, segmentPath, wasNeverWritten } from "./log-lines.ts";

/** A place in a log's files that is not as it was written. */
export interface LogDamage {
  path: string;
  /** Bytes from the start of the file. */
  offset: number;
  reason: string;
}

/**
 * Reads a whole log, to which nobody writes meanwhile, and names every line that is not as it was written, in lines
 * that were replaced since as well. What a crash leaves is no damage: an end that was cut short, and lines with bytes
 * that never reached the disk.
 *
 * @throws the file system's own error
 */
export function checkLog(folder: string, disk = nodeDisk): LogDamage[] {
  const damage: LogDamage[] = [];
  for (const path of segmentPaths(folder, disk)) {
    if (disk.stat(path) === undefined) damage.push({ path, offset: 0, reason: "is missing" });
    else {
      scanFile(path, disk, (line, offset) => {
        if (isIntact(line) || wasNeverWritten(line)) return;
        damage.push({ path, offset, reason: "a damaged line" });
      });
    }
  }
  return damage;
}

/**
 * Takes the damaged lines out of a log, and puts an empty segment in the place of a missing one. Returns how many
 * damaged lines and missing segments there were.
 *
 * @throws the file system's own error
 */
export function repairLog(folder: string, disk = nodeDisk): number {
  const damaged = new Set(checkLog(folder, disk).map(({ path }) => path));
  settleFolder(folder, disk);
  let lost = 0;
  for (const path of damaged) {
    const intact: Buffer[] = [];
    if (disk.stat(path) === undefined) lost++;
    else {
      scanFile(path, disk, (line) => {
        if (isIntact(line)) intact.push(Buffer.concat([line, newline]));
        else lost++;
      });
    }
    writeDurably(path, Buffer.concat(intact), disk);
  }
  return lost;
}

const newline = Buffer.from("\n");

/** Paths of a log's segments, those that are missing between them included. */
function segmentPaths(folder: string, disk: Disk): string[] {
  const last = foundSegments(disk, folder).at(-1) ?? -1;
  return Array.from({ length: last + 1 }, (_, number) => segmentPath(folder, number));
}

/** Calls `each` with the lines of a file, the last one even where its end is missing. */
function scanFile(path: string, disk: Disk, each: (line: Buffer, offset: number) => void): void {
  const handle = disk.open(path, "r");
  try {
    const size = disk.bytesOf(handle);
    const end = scanLines(disk, handle, size, each);
    const rest = Buffer.alloc(size - end);
    disk.read(handle, rest, 0, rest.length, end);
    // A flipped bit in the last line's end makes it look torn.
    if (isIntact(rest.subarray(0, -1))) each(rest, end);
  } finally {
    disk.close(handle);
  }
}
