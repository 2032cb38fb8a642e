import type { LinkBook } from "../api/links.ts";
import type { Config } from "../config.ts";
import { isTurnOf, roundsOf } from "../lib/turns.ts";
import type { Absence, MediaEntry } from "../store/media.ts";
import type { WantedItem } from "./jobs.ts";

/** Decides which originals are asked for again although their records did not change. */
export interface Rechecks {
  /** Whether the configuration asks for any. */
  readonly active: boolean;
  /** Whether the origin proved to look at no conditions, so that no others are asked for again in this run. */
  readonly givenUp: boolean;
  /**
   * Whether it is this item's turn, and can be asked for without further requests. Of files without validators, only
   * pictures that could not be decoded are. One whose last recheck failed is
   * always due: what is in the archive may not be what the origin has, and that is to be said in each run.
   */
  due(item: WantedItem, entry: MediaEntry): boolean;
  /** Whether it is the turn of an item of which the origin had no file when it was asked. */
  dueAgain(item: WantedItem, absence: Absence): boolean;
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
  const rounds = refresh === "all" ? 1 : roundsOf(refreshShare);
  let vain = 0;
  const isTurn = ({ kind, id }: WantedItem): boolean =>
    rounds > 0 && isTurnOf(id, round, rounds) && links.take(kind, id) !== undefined;
  return {
    active: rounds > 0,
    get givenUp() {
      return vain >= patience;
    },
    due(item, { kind, renditions, validators, recheckFailed }) {
      if (recheckFailed) return true;
      const bare = kind === "images" && renditions.length === 0;
      return (validators === undefined ? bare : !this.givenUp) && isTurn(item);
    },
    dueAgain: (item, { asked }) => asked && isTurn(item),
    answered() {
      vain = 0;
    },
    repeated() {
      vain++;
    },
  };
}
