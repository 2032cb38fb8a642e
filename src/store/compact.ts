import { setImmediate as otherWork } from "node:timers/promises";
import { type Disk, nodeDisk, withFile } from "../lib/disk.ts";
import { writeDurably } from "../lib/files.ts";
import { keyOfLine, markLine, readSegment, segmentNumbers, segmentPath } from "./log-lines.ts";

export interface CompactOptions {
  /** Whether the value of a key is needed. */
  wanted: (key: string) => boolean;
  /** Counts, and changes nothing. */
  dryRun: boolean;
  disk?: Disk;
}

/**
 * Takes the lines out of a closed log whose keys are not wanted or have a later value. Each segment is replaced by one
 * rename, so that a crash leaves it as it was or as it shall be; a reader that has it open goes on with the old file.
 * Between segments, timers and signals have their turn. Returns the number of those lines and their bytes.
 *
 * @throws StoreError where a segment is missing
 * @throws the file system's own error
 */
export async function compactLog(folder: string, options: CompactOptions) {
  const { wanted, dryRun, disk = nodeDisk } = options;
  const surplus = { count: 0, bytes: 0 };
  const segments = segmentNumbers(disk, folder);
  const lastOf = new Map<string, number>();
  let lines = 0;
  for (const segment of segments) {
    await otherWork();
    readLines(segment, (key) => lastOf.set(key, lines++));
  }
  lines = 0;
  for (const segment of segments) {
    await otherWork();
    const kept: Buffer[] = [markLine];
    const before = surplus.count;
    readLines(segment, (key, line) => {
      if (lastOf.get(key) !== lines++ || !wanted(key)) {
        surplus.count++;
        surplus.bytes += line.length + 1;
      } else if (!dryRun) kept.push(Buffer.concat([line, lineEnd]));
    });
    if (dryRun || surplus.count === before) continue;
    writeDurably(segmentPath(folder, segment), Buffer.concat([...kept, markLine]), disk);
  }
  return surplus;

  function readLines(segment: number, each: (key: string, line: Buffer) => void): void {
    const isLast = segment === segments.length - 1;
    withFile(segmentPath(folder, segment), "r", disk, (handle) =>
      readSegment(disk, handle, isLast, (line) => each(keyOfLine(line), line)),
    );
  }
}

const lineEnd = Buffer.from("\n");
