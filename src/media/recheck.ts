import type { LinkBook } from "../api/links.ts";
import { type Config, recheckOf } from "../config.ts";
import { isTurnOf, type Turn } from "../lib/turns.ts";
import type { Absence, MediaEntry } from "../store/media.ts";
import type { WantedItem } from "./jobs.ts";

/** An origin that sends this many unchanged files in a row ignores conditions. */
const patience = 3;

export type Rechecks = ReturnType<typeof createRechecks>;

/**
 * Decides which originals are asked for again although their records did not change: each one half as often as articles
 * and galleries are read again, with a `crawl.refresh` of `all` in each crawl.
 *
 * @param turn of the last crawl
 */
export function createRechecks(
  crawl: Pick<Config["crawl"], "refresh" | "recheck" | "refreshShare">,
  turn: Turn,
  links: Pick<LinkBook, "wasListed">,
) {
  const isAll = crawl.refresh === "all";
  const active = isAll || recheckOf(crawl).share > 0;
  let vain = 0;

  /**
   * Only items that this crawl has listed: searching for the others costs requests. Those that stand in no index are
   * listed when what they are attached to is read again, which is their turn.
   */
  const isTurn = ({ kind, id, list }: WantedItem): boolean => {
    if (!active || !links.wasListed(kind, id)) return false;
    return isAll || list.endsWith(".unlisted") || isTurnOf(id, turn, 2);
  };

  return {
    active,
    /** Whether the origin ignores conditions, so that this run asks for no others. */
    get givenUp(): boolean {
      return vain >= patience;
    },
    /**
     * Whether it is this item's turn. An item whose last recheck failed is due in each run. Without validators, the
     * origin would send the whole file: only pictures that could not be decoded are due.
     */
    due(item: WantedItem, { kind, renditions, validators, recheckFailed }: MediaEntry): boolean {
      if (recheckFailed) return true;
      const bare = kind === "images" && renditions.length === 0;
      return (validators === undefined ? bare : !this.givenUp) && isTurn(item);
    },
    /** Whether it is the turn of an item without a file at the origin. */
    dueAgain: (item: WantedItem, { asked }: Absence): boolean => asked && isTurn(item),
    /** The origin said that nothing changed. */
    answered(): void {
      vain = 0;
    },
    /** The origin sent the very same file once more. */
    repeated(): void {
      vain++;
    },
  };
}
