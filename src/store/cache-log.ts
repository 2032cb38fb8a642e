import { readable, StoreError } from "../errors.ts";
import type { Disk } from "../lib/disk.ts";
import { openSegmentLog, type SegmentLog } from "./log.ts";

/**
 * Opens a log whose loss costs work, and nothing else: what of it is damaged counts as not there, and where it cannot
 * be opened at all, it begins anew.
 */
export function openCacheLog(folder: string, disk: Disk): SegmentLog {
  const log = openOrBegin(folder, disk);
  const read = log.read.bind(log);
  log.read = (key) => readable(() => read(key));
  return log;
}

function openOrBegin(folder: string, disk: Disk): SegmentLog {
  try {
    return openSegmentLog(folder, { disk });
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    disk.remove(folder);
    return openSegmentLog(folder, { disk });
  }
}
