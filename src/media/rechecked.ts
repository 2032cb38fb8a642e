import { openCacheLog } from "../store/cache-log.ts";
import type { SegmentLog } from "../store/log.ts";
import type { WantedItem } from "./jobs.ts";

/** The items that were asked for again in a round of rechecks, so that a run after a crash leaves them alone. */
export interface Rechecked {
  has(item: WantedItem): boolean;
  add(item: WantedItem): void;
  close(): void;
}

/**
 * Opens what is known of a round; nothing is created before the first item.
 *
 * @param folder with nothing else in it; undefined to keep nothing
 */
export function openRechecked(folder: string | undefined, round: number): Rechecked {
  let log: SegmentLog | undefined;
  const journalKey = ({ kind, id }: WantedItem): string => `${kind}/${id}`;
  const opened = (): SegmentLog | undefined => {
    if (folder !== undefined) log ??= openCacheLog(folder);
    return log;
  };
  return {
    has: (item) => opened()?.read(journalKey(item)) === String(round),
    add(item) {
      opened()?.append(journalKey(item), String(round));
      log?.flush();
    },
    close() {
      log?.close();
    },
  };
}
