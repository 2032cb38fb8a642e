import { StoreError } from "../errors.ts";
import { openSegmentLog, type SegmentLog } from "../store/log.ts";
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
  let failed = folder === undefined;
  const nameOf = ({ kind, id }: WantedItem): string => `${kind}/${id}`;

  /** Where its journal is damaged, items are asked for again: that is no reason to stop. */
  function attempt<T>(work: (log: SegmentLog) => T): T | undefined {
    if (failed || folder === undefined) return undefined;
    try {
      log ??= openSegmentLog(folder);
      return work(log);
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      failed = true;
      return undefined;
    }
  }

  return {
    has: (item) => attempt((log) => log.read(nameOf(item))) === String(round),
    add(item) {
      attempt((log) => {
        log.append(nameOf(item), String(round));
        log.flush();
      });
    },
    close() {
      log?.close();
    },
  };
}
