import { nodeDisk, withFile } from "../lib/disk.ts";
import { settleFolder, writeDurably } from "../lib/files.ts";
import { foundSegments, isIntact, readSegment, scanLines, segmentPath } from "./log-lines.ts";

/**
 * Reads a whole log, to which nobody writes meanwhile, and names every damaged line, also of replaced values, by its
 * offset in bytes. What the next opening removes, because a power cut may have left it, is no damage.
 *
 * @throws the file system's own error
 */
export function checkLog(folder: string, disk = nodeDisk) {
  const last = foundSegments(disk, folder).at(-1) ?? -1;
  return Array.from({ length: last + 1 }, (_, number) => {
    const path = segmentPath(folder, number);
    if (disk.stat(path) === undefined) return [{ path, offset: 0, reason: "is missing" }];
    const { damage } = withFile(path, "r", disk, (handle) =>
      readSegment(disk, handle, number === last, () => {}),
    );
    return damage.map((offset) => ({ path, offset, reason: "a damaged line" }));
  }).flat();
}

/**
 * Takes the damaged lines out of a log, and puts empty segments in the place of missing ones. Returns how many of both
 * there were. @throws the file system's own error
 */
export function repairLog(folder: string, disk = nodeDisk): number {
  const damage = checkLog(folder, disk);
  settleFolder(folder, disk);
  for (const path of new Set(damage.map((one) => one.path))) {
    const intact: Buffer[] = [];
    if (disk.stat(path) !== undefined) {
      withFile(path, "r", disk, (handle) => {
        scanLines(disk, handle, disk.bytesOf(handle), (line) => {
          if (isIntact(line)) intact.push(Buffer.concat([line, newline]));
        });
      });
    }
    writeDurably(path, Buffer.concat(intact), disk);
  }
  return damage.length;
}

const newline = Buffer.from("\n");
