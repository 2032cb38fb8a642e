import type { LinkBook } from "../api/links.ts";
import type { Config } from "../config.ts";
import { keyOf } from "../lib/digest.ts";
import type { MediaEntry } from "../store/media.ts";
import type { WantedItem } from "./jobs.ts";

/** Decides which originals are asked for again although their records did not change. */
export interface Rechecks {
  /** Whether the configuration asks for any. */
  readonly active: boolean;
  /**
   * Whether it is this item's turn, and can be asked for without further requests. One whose last recheck failed is
   * always due: what is in the archive may not be what the origin has, and that is to be said in each run.
   */
  due(item: WantedItem, entry: MediaEntry): boolean;
  /** The origin said that nothing changed. */
  answered(): void;
  /** The origin sent the very same file once more. */
  repeated(): void;
}

/** An origin that sent so many files in a row for nothing does not look at conditions. */
const patience = 3;

/**
 * With `crawl.refreshShare` of 0.15 each original is asked for again at least once in 7 crawls; with
 * `crawl.refresh` of `all`, in each. Only those are whose origin gave validators, by which it can answer that
 * nothing changed.
 *
 * @param round number of this crawl, so that the share rolls over all items
 */
export function createRechecks(
  { refresh, refreshShare }: Pick<Config["crawl"], "refresh" | "refreshShare">,
  round: number,
  links: Pick<LinkBook, "take">,
): Rechecks {
  const groups = refresh === "all" ? 1 : refreshShare > 0 ? Math.ceil(1 / refreshShare) : 0;
  let vain = 0;
  return {
    active: groups > 0,
    due({ kind, id }, { validators, recheckFailed }) {
      if (validators === undefined) return false;
      if (recheckFailed) return true;
      if (groups === 0 || vain >= patience) return false;
      // The same rule as the crawl's, so that an item's object and file are asked for in the same night.
      if (Number.parseInt(keyOf(id).slice(0, 8), 16) % groups !== round % groups) return false;
      return links.take(kind, id) !== undefined;
    },
    answered() {
      vain = 0;
    },
    repeated() {
      vain++;
    },
  };
}
